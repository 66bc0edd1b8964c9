import type { JsonObject } from '../schema/own.ts';
import type { StructSchema } from '../schema/schema.ts';
import { compileProto } from './message.ts';
import { ProtobufError } from './protobuf-error.ts';
import { BYTES, type Reader, createReader, readText, visitFields } from './wire.ts';
import { BackwardWriter } from './writer.ts';

/**
 * The four bytes that precede every enveloped object
 * (https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding).
 */
const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

/** Kind and apiVersion of an object. */
export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Contents of an envelope. */
export interface Envelope extends TypeMeta {
  /** The encoded object, a protobuf message. */
  readonly raw: Uint8Array;
}

/** Encodes an object without an envelope. Throws `ProtobufError` for a value of the wrong type. */
export function encodeProto(schema: StructSchema, object: object): Buffer {
  const writer = new BackwardWriter();
  compileProto(schema).write(writer, object as JsonObject);
  return writer.finish();
}

/**
 * Decodes a message to JSON. The `decode` function of the schema then checks and completes the JSON like any
 * request body. Unknown fields, and known fields of another wire type, are skipped. Invalid UTF-8 is read as
 * U+FFFD. Throws `ProtobufError`.
 */
export function decodeProto(schema: StructSchema, bytes: Uint8Array): JsonObject {
  const reader = createReader(bytes);
  const object: JsonObject = {};
  compileProto(schema).read(reader, reader.bytes.length, object);
  return object;
}

const tagOf = (number: number): number => number * 8 + BYTES;

/** Wraps an encoded object in an envelope. */
export function wrapEnvelope({ apiVersion, kind, raw }: Envelope): Buffer {
  const writer = new BackwardWriter(raw.length + ENVELOPE_BYTES);
  writeEnvelope(writer, { apiVersion, kind }, () => writer.bytes(raw));
  return writer.finish();
}

/** Approximate size of an envelope without its object, in bytes. */
const ENVELOPE_BYTES = 128;

/**
 * Writes an envelope around the output of `writeRaw`. Content encoding and content type are empty, as
 * upstream's encoder leaves them.
 */
export function writeEnvelope(
  writer: BackwardWriter,
  { apiVersion, kind }: TypeMeta,
  writeRaw: () => void,
): void {
  writer.wrap(tagOf(4), writer.size);
  writer.wrap(tagOf(3), writer.size);
  const afterRaw = writer.size;
  writeRaw();
  writer.wrap(tagOf(2), afterRaw);
  const afterMeta = writer.size;
  writeText(writer, 2, kind);
  writeText(writer, 1, apiVersion);
  writer.wrap(tagOf(1), afterMeta);
  writer.bytes(MAGIC);
}

function writeText(writer: BackwardWriter, number: number, text: string): void {
  const from = writer.size;
  writer.text(text);
  writer.wrap(tagOf(number), from);
}

const OWN_TYPE = /^application\/vnd\.[a-z]+\.protobuf$/;

/** Opens an envelope. `raw` of the result shares memory with the given bytes. Throws `ProtobufError`. */
export function openEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length === 0) throw new ProtobufError('envelope', 'empty data');
  if (MAGIC.compare(bytes, 0, Math.min(bytes.length, MAGIC.length)) !== 0)
    throw new ProtobufError(
      'envelope',
      `provided data does not appear to be a protobuf message, expected prefix [${MAGIC.join(' ')}]`,
    );
  if (bytes.length === MAGIC.length) throw new ProtobufError('envelope', 'empty body');
  const reader = createReader(bytes);
  reader.at = MAGIC.length;
  const found = { apiVersion: '', kind: '', raw: bytes.subarray(0, 0), encoding: '', type: '' };
  visitFields(reader, bytes.length, (number, wire, end) => {
    if (wire !== BYTES) return false;
    if (number === 1) readTypeMeta(reader, end, found);
    else if (number === 2) found.raw = bytes.subarray(reader.at, end);
    else if (number === 3) found.encoding = readText(reader, end);
    else if (number === 4) found.type = readText(reader, end);
    else return false;
    return true;
  });
  if (found.encoding !== '') throw refused('content encoding', found.encoding, 'none');
  if (found.type !== '' && !OWN_TYPE.test(found.type)) throw refused('content type', found.type, 'protobuf');
  return { apiVersion: found.apiVersion, kind: found.kind, raw: found.raw };
}

const refused = (what: string, received: string, accepted: string): ProtobufError =>
  new ProtobufError(
    'envelope',
    `the envelope has ${what} ${JSON.stringify(received.slice(0, 100))}, accepted is ${accepted}`,
  );

function readTypeMeta(reader: Reader, end: number, found: { apiVersion: string; kind: string }): void {
  visitFields(reader, end, (number, wire, valueEnd) => {
    if (wire !== BYTES) return false;
    if (number === 1) found.apiVersion = readText(reader, valueEnd);
    else if (number === 2) found.kind = readText(reader, valueEnd);
    else return false;
    return true;
  });
}

/** Encodes an object in an envelope with its kind and apiVersion. Throws `ProtobufError`. */
export function encodeObject(schema: StructSchema, object: object): Buffer {
  const { apiVersion = '', kind = '' } = object as Partial<TypeMeta>;
  const writer = new BackwardWriter();
  writeEnvelope(writer, { apiVersion, kind }, () => compileProto(schema).write(writer, object as JsonObject));
  return writer.finish();
}

/**
 * Decodes the object of an opened envelope to JSON, with the kind and apiVersion of the envelope. If `schema`
 * is undefined, the result has no other fields. Throws `ProtobufError`.
 */
export function decodeEnveloped(
  { apiVersion, kind, raw }: Envelope,
  schema: StructSchema | undefined,
): JsonObject {
  const typeMeta = { ...(kind === '' ? {} : { kind }), ...(apiVersion === '' ? {} : { apiVersion }) };
  return schema === undefined ? typeMeta : { ...typeMeta, ...decodeProto(schema, raw) };
}
