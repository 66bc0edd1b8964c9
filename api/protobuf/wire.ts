import { ProtobufError } from './protobuf-error.ts';
import type { Int64 } from '../schema/exact-json.ts';

// The wire types are described in https://protobuf.dev/programming-guides/encoding/#structure.
/** Wire type of variable-length integers. */
export const VARINT = 0;
/** Wire type of eight bytes. */
export const FIXED64 = 1;
/** Wire type of values that are preceded by their length. */
export const BYTES = 2;
const START_GROUP = 3;
const END_GROUP = 4;
const FIXED32 = 5;

/** Wire types that occur in messages of this API. */
export type WireType = typeof VARINT | typeof FIXED64 | typeof BYTES;

/** A position in encoded bytes. `low` and `high` are the two 32-bit halves of the last varint. */
export interface Reader {
  readonly bytes: Buffer;
  at: number;
  depth: number;
  low: number;
  high: number;
}

/** Returns a reader at the first byte. */
export const createReader = (bytes: Uint8Array): Reader => ({
  bytes: Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
  at: 0,
  depth: 0,
  low: 0,
  high: 0,
});

const truncated = (): ProtobufError => new ProtobufError('truncated', 'unexpected EOF');

/** Reads a varint of up to ten bytes into `low` and `high`. Like Go, drops bits beyond 64. */
function readVarint(reader: Reader, end: number): void {
  const { bytes } = reader;
  let low = 0;
  let high = 0;
  for (let shift = 0; shift < 70; shift += 7) {
    if (reader.at >= end) throw truncated();
    const byte = bytes[reader.at] ?? 0;
    reader.at += 1;
    const bits = byte & 0x7f;
    if (shift < 28) low |= bits << shift;
    else if (shift === 28) {
      low |= bits << 28;
      high |= bits >>> 4;
    } else if (shift < 64) high |= bits << (shift - 32);
    if (byte < 0x80) {
      reader.low = low >>> 0;
      reader.high = high >>> 0;
      return;
    }
  }
  throw new ProtobufError('overflow', 'proto: integer overflow');
}

/** Reads a 32-bit integer. Like Go, drops higher bits. */
export function readInt32(reader: Reader, end: number): number {
  readVarint(reader, end);
  return reader.low | 0;
}

/** Reads a 64-bit integer. Beyond 2^53 it is rounded to the nearest double. */
export function readInt64(reader: Reader, end: number): number {
  readVarint(reader, end);
  return (reader.high | 0) * 0x1_0000_0000 + reader.low;
}

/** Reads a 64-bit integer exactly. */
export function readBigInt64(reader: Reader, end: number): bigint {
  readVarint(reader, end);
  return exact(reader);
}

/** Reads a 64-bit integer exactly. Returns a bigint if a number cannot hold it. */
export function readExactInt64(reader: Reader, end: number): Int64 {
  const near = readInt64(reader, end);
  return Number.isSafeInteger(near) ? near : exact(reader);
}

const exact = ({ high, low }: Reader): bigint => BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(low));

/** Reads a boolean. */
export function readBool(reader: Reader, end: number): boolean {
  readVarint(reader, end);
  return (reader.low | reader.high) !== 0;
}

/** Reads a double. */
export function readDouble(reader: Reader, end: number): number {
  if (end - reader.at < 8) throw truncated();
  const value = reader.bytes.readDoubleLE(reader.at);
  reader.at += 8;
  return value;
}

/** Reads the length of a value and returns the offset after the value, which is never past `end`. */
export function readEnd(reader: Reader, end: number): number {
  const { bytes, at } = reader;
  const first = at < end ? (bytes[at] ?? 0) : 0x80;
  let length = first;
  if (first < 0x80) reader.at = at + 1;
  else {
    readVarint(reader, end);
    if (reader.high >>> 31)
      throw new ProtobufError('wire', 'proto: negative length found during unmarshaling');
    length = reader.high * 0x1_0000_0000 + reader.low;
  }
  if (length > end - reader.at) throw truncated();
  return reader.at + length;
}

/** Reads a tag as one number: the field number times eight, plus the wire type. */
export function readTag(reader: Reader, end: number): number {
  const { bytes, at } = reader;
  const first = bytes[at] ?? 0;
  if (first < 0x80 && first > 7) {
    reader.at = at + 1;
    return first;
  }
  readVarint(reader, end);
  const { low, high } = reader;
  const wire = low & 7;
  if (high !== 0 || low < 8) {
    const number = (high * 0x2000_0000 + (low >>> 3)) | 0;
    throw new ProtobufError('wire', `proto: illegal tag ${number} (wire type ${wire})`);
  }
  return low;
}

/**
 * Skips an unknown value. Nested groups, a deprecated wire type, are counted, because recursion could
 * overflow the stack.
 */
export function skipValue(reader: Reader, end: number, wire: number): void {
  let groups = 0;
  for (let type = wire; ; type = readTag(reader, end) & 7) {
    if (type === START_GROUP) groups += 1;
    else if (type === END_GROUP) {
      if (groups === 0) throw new ProtobufError('wire', 'proto: wiretype end group for non-group');
      groups -= 1;
    } else skipOne(reader, end, type);
    if (groups === 0) return;
    if (reader.at >= end) throw truncated();
  }
}

function skipOne(reader: Reader, end: number, wire: number): void {
  if (wire === VARINT) return readVarint(reader, end);
  if (wire === BYTES) {
    reader.at = readEnd(reader, end);
    return;
  }
  const length = wire === FIXED64 ? 8 : wire === FIXED32 ? 4 : 0;
  if (length === 0) throw new ProtobufError('wire', `proto: illegal wireType ${wire}`);
  if (length > end - reader.at) throw truncated();
  reader.at += length;
}

/**
 * Reads the value of a field at `reader.at`. `end` is the offset after the value if it has a length, else
 * after its container. Returns false if the field is unknown.
 */
export type FieldVisitor = (number: number, wire: number, end: number) => boolean;

/**
 * Visits the fields of a small message that ends at the offset `end`. Skips fields that are unknown to the
 * visitor.
 */
export function visitFields(reader: Reader, end: number, visit: FieldVisitor): void {
  while (reader.at < end) {
    const tag = readTag(reader, end);
    const wire = tag & 7;
    const start = reader.at;
    const valueEnd = wire === BYTES ? readEnd(reader, end) : end;
    if (!visit(tag >>> 3, wire, valueEnd)) {
      reader.at = start;
      skipValue(reader, end, wire);
    } else if (wire === BYTES) reader.at = valueEnd;
  }
}

/** Reads UTF-8 up to the offset `end`. Invalid bytes become U+FFFD. */
export const readText = ({ bytes, at }: Reader, end: number): string => bytes.toString('utf8', at, end);
