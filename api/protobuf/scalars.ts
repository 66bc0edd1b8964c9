import { messageOf } from '../../base/errors/index.ts';
import { writeJson } from '../schema/exact-json.ts';
import { parseJsonLoose } from '../schema/json.ts';
import type { ScalarFormat } from '../schema/schema.ts';
import {
  FormatError,
  canonicalMicroTime,
  canonicalTime,
  formatDuration,
  parseDuration,
} from '../schema/times.ts';
import { ProtobufError } from './protobuf-error.ts';
import {
  BYTES,
  FIXED64,
  type Reader,
  VARINT,
  type WireType,
  readBigInt64,
  readBool,
  readDouble,
  readExactInt64,
  readInt32,
  readInt64,
  visitFields,
  readText,
} from './wire.ts';
import type { BackwardWriter } from './writer.ts';

/** Codec of one value without its tag. */
export interface Shape {
  readonly wire: WireType;
  /** Value that is written if a mandatory value is absent. */
  readonly zero: unknown;
  write(writer: BackwardWriter, value: unknown): void;
  /**
   * Reads a value that ends at the offset `end`. `held` is an earlier value of the same field, because
   * messages are merged.
   */
  read(reader: Reader, end: number, held?: unknown): unknown;
}

/** Returns the error for a value of the wrong type. */
export function mismatch(accepted: string, received: unknown): ProtobufError {
  const word = received === null ? 'null' : Array.isArray(received) ? 'list' : typeof received;
  return new ProtobufError('value', `received ${word}, accepted is ${accepted}`);
}

function asText(value: unknown): string {
  if (typeof value !== 'string') throw mismatch('string', value);
  return value;
}

function asInteger(value: unknown): number {
  if (!Number.isSafeInteger(value)) throw mismatch('whole number', value);
  return value as number;
}

function writeInteger(writer: BackwardWriter, value: unknown): void {
  if (typeof value === 'bigint') return writer.bigVarint(value);
  const number = asInteger(value);
  if (number >= 0) writer.varint(number);
  else writer.bigVarint(BigInt(number));
}

const boolean: Shape = {
  wire: VARINT,
  zero: false,
  write(writer, value) {
    if (typeof value !== 'boolean') throw mismatch('boolean', value);
    writer.byte(value ? 1 : 0);
  },
  read: readBool,
};

const double: Shape = {
  wire: FIXED64,
  zero: 0,
  write(writer, value) {
    if (typeof value !== 'number' && typeof value !== 'bigint') throw mismatch('number', value);
    writer.double(Number(value));
  },
  read: readDouble,
};

const string: Shape = {
  wire: BYTES,
  zero: '',
  write: (writer, value) => writer.text(asText(value)),
  read: readText,
};

/** Codec of bytes, which are base64 in JSON. */
const bytes: Shape = {
  wire: BYTES,
  zero: '',
  write: (writer, value) => writer.bytes(Buffer.from(asText(value), 'base64')),
  read: ({ bytes: all, at }, end) => all.toString('base64', at, end),
};

const TAGS = { text1: (1 << 3) | BYTES, text3: (3 << 3) | BYTES, number1: 1 << 3, number2: 2 << 3 };

const ZERO_TIMES = new Set(['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000000Z']);
const SECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const MICROS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/**
 * True for a time in canonical form. Stored objects contain only this form. Parsing other forms would
 * dominate the cost of writing.
 */
const isCanonical = (text: string, micros: boolean): boolean => (micros ? MICROS : SECONDS).test(text);

/** Returns the seconds since the epoch of a time without a zone, `2006-01-02T15:04:05`. */
const secondsOf = (wall: string): number => Date.parse(`${wall}Z`) / 1000;

/** Range of seconds that RFC 3339 can express: the years 0000 to 9999. */
const LEAST_SECONDS = -62_167_219_200;
const MOST_SECONDS = 253_402_300_799;

function wallOf(seconds: number): string {
  if (!(seconds >= LEAST_SECONDS && seconds <= MOST_SECONDS))
    throw new ProtobufError(
      'value',
      `time of ${seconds} seconds since the epoch is out of range: accepted years are 0000 to 9999`,
    );
  return new Date(seconds * 1000).toISOString().slice(0, 19);
}

/**
 * Returns the codec of a Time or MicroTime: a message of seconds (1) and nanoseconds (2), which are both
 * always written. Go's zero time is an empty message, and `null` in JSON. The nanoseconds of a Time are
 * neither written nor read, because its JSON form has none.
 */
function moment(canonical: (text: string) => string | null, micros: boolean): Shape {
  return {
    wire: BYTES,
    zero: null,
    write(writer, value) {
      const given = value === null ? '' : asText(value);
      if (given === '') return;
      const text = isCanonical(given, micros) ? given : readable(() => canonical(given));
      if (text === null || ZERO_TIMES.has(text)) return;
      writer.varint(micros ? Number(text.slice(20, 26)) * 1000 : 0);
      writer.byte(TAGS.number2);
      writeInteger(writer, secondsOf(text.slice(0, 19)));
      writer.byte(TAGS.number1);
    },
    read(reader, end) {
      if (reader.at >= end) return null;
      let seconds = 0;
      let nanos = 0;
      visitFields(reader, end, (number, wire, valueEnd) => {
        if (wire !== VARINT) return false;
        if (number === 1) seconds = readInt64(reader, valueEnd);
        else if (number === 2) nanos = readInt32(reader, valueEnd);
        else return false;
        return true;
      });
      if (!micros) return `${wallOf(seconds)}Z`;
      const whole = Math.floor(nanos / 1e9);
      const fraction = Math.floor((nanos - whole * 1e9) / 1000);
      return `${wallOf(seconds + whole)}.${String(fraction).padStart(6, '0')}Z`;
    },
  };
}

function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (!(thrown instanceof FormatError)) throw thrown;
    throw new ProtobufError('value', thrown.message, { cause: thrown });
  }
}

/** Codec of a duration: a message of nanoseconds (1). */
const duration: Shape = {
  wire: BYTES,
  zero: '0s',
  write(writer, value) {
    writer.bigVarint(readable(() => parseDuration(asText(value))));
    writer.byte(TAGS.number1);
  },
  read(reader, end) {
    let nanoseconds = 0n;
    visitFields(reader, end, (number, wire, valueEnd) => {
      if (number !== 1 || wire !== VARINT) return false;
      nanoseconds = readBigInt64(reader, valueEnd);
      return true;
    });
    return formatDuration(nanoseconds);
  },
};

/** Codec of a quantity: a message of its canonical string (1). */
const quantity: Shape = {
  wire: BYTES,
  zero: '0',
  write(writer, value) {
    const from = writer.size;
    writer.text(typeof value === 'number' ? String(value) : asText(value));
    writer.wrap(TAGS.text1, from);
  },
  read(reader, end) {
    let text = '0';
    visitFields(reader, end, (number, wire, valueEnd) => {
      if (number !== 1 || wire !== BYTES) return false;
      text = readText(reader, valueEnd);
      return true;
    });
    return text;
  },
};

/**
 * Codec of an int-or-string: a message of the type (1; 0 for a number, 1 for a string), intVal (2) and strVal
 * (3), which are all always written.
 */
const intOrString: Shape = {
  wire: BYTES,
  zero: 0,
  write(writer, value) {
    const isText = typeof value === 'string';
    const from = writer.size;
    writer.text(isText ? value : '');
    writer.wrap(TAGS.text3, from);
    writeInteger(writer, isText ? 0 : value);
    writer.byte(TAGS.number2);
    writer.byte(isText ? 1 : 0);
    writer.byte(TAGS.number1);
  },
  read(reader, end) {
    let type = 0;
    let number = 0;
    let text = '';
    visitFields(reader, end, (field, wire, valueEnd) => {
      if (field === 1 && wire === VARINT) type = readInt64(reader, valueEnd);
      else if (field === 2 && wire === VARINT) number = readInt32(reader, valueEnd);
      else if (field === 3 && wire === BYTES) text = readText(reader, valueEnd);
      else return false;
      return true;
    });
    if (type !== 0 && type !== 1)
      throw new ProtobufError(
        'value',
        `received an IntOrString of type ${type}, accepted are 0 (number) and 1 (text)`,
      );
    return type === 0 ? number : text;
  },
};

/** Codec of a RawExtension or FieldsV1: a message of JSON bytes (1), empty for `null`. */
export const anything: Shape = {
  wire: BYTES,
  zero: null,
  write(writer, value) {
    if (value === null) return;
    const from = writer.size;
    writer.text(writeJson(value));
    writer.wrap(TAGS.text1, from);
  },
  read(reader, end) {
    let value: unknown = null;
    visitFields(reader, end, (number, wire, valueEnd) => {
      if (number !== 1 || wire !== BYTES) return false;
      value = reader.at < valueEnd ? embeddedJson(reader.bytes.subarray(reader.at, valueEnd)) : null;
      return true;
    });
    return value;
  },
};

function embeddedJson(json: Uint8Array): unknown {
  try {
    return parseJsonLoose(json);
  } catch (thrown) {
    throw new ProtobufError('value', messageOf(thrown), { cause: thrown });
  }
}

/** Codecs of all scalar formats. */
export const SCALARS: { readonly [F in ScalarFormat]: Shape } = {
  string,
  boolean,
  int32: { wire: VARINT, zero: 0, write: writeInteger, read: readInt32 },
  int64: { wire: VARINT, zero: 0, write: writeInteger, read: readExactInt64 },
  double,
  bytes,
  time: moment(canonicalTime, false),
  'micro-time': moment(canonicalMicroTime, true),
  duration,
  quantity,
  'int-or-string': intOrString,
};
