import { type Int64, writeJson } from '../schema/exact-json.ts';
import type { OpenApiSchema } from './dialect.ts';

/**
 * A piece of gnostic's protobuf messages (https://github.com/google/gnostic), which encode both versions of
 * OpenAPI. As in all proto3 messages, zero values are omitted; only the members of a choice are always
 * written, by separate functions. A piece knows its length before it is written, so that nested pieces are
 * written only once.
 */
export interface Piece {
  /** Length of the encoded piece, in bytes. */
  readonly length: number;
  /** Writes the piece at `at` and returns the offset after it. */
  writeTo(bytes: Buffer, at: number): number;
}

/** Returns the bytes of a piece. */
export function encoded(piece: Piece): Buffer {
  const bytes = Buffer.allocUnsafe(piece.length);
  piece.writeTo(bytes, 0);
  return bytes;
}

/** Piece that consists of several pieces in sequence. */
class Message implements Piece {
  readonly length: number;
  readonly #parts: readonly Piece[];

  constructor(parts: readonly Piece[]) {
    this.#parts = parts;
    let length = 0;
    for (const part of parts) length += part.length;
    this.length = length;
  }

  writeTo(bytes: Buffer, at: number): number {
    let next = at;
    for (const part of this.#parts) next = part.writeTo(bytes, next);
    return next;
  }
}

/** A piece written as a field: the field number, the length of the piece, then the piece. */
class Embedded implements Piece {
  readonly length: number;
  readonly #tag: number;
  readonly #body: Piece;

  constructor(number: number, body: Piece) {
    this.#tag = (number << 3) | 2;
    this.#body = body;
    this.length = varintLength(this.#tag) + varintLength(body.length) + body.length;
  }

  writeTo(bytes: Buffer, at: number): number {
    const behind = writeVarint(bytes, writeVarint(bytes, at, this.#tag), this.#body.length);
    return this.#body.writeTo(bytes, behind);
  }
}

class Text implements Piece {
  readonly length: number;
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
    this.length = Buffer.byteLength(value);
  }

  writeTo(bytes: Buffer, at: number): number {
    return at + bytes.write(this.#value, at);
  }
}

class Bytes implements Piece {
  readonly length: number;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.length = bytes.length;
  }

  writeTo(bytes: Buffer, at: number): number {
    return at + this.#bytes.copy(bytes, at);
  }
}

/** A piece without bytes. */
export const EMPTY: Piece = new Message([]);

/** Returns a piece of already encoded bytes. */
export const written = (bytes: Buffer): Piece => new Bytes(bytes);

/** Returns a message with the given parts, in order. */
export const message = (...parts: readonly Piece[]): Piece => new Message(parts);

/** Returns a field whose value is a message with the given parts. */
export const embedded = (number: number, ...parts: readonly Piece[]): Piece =>
  new Embedded(number, new Message(parts));

/** Returns a string field; an empty string is omitted. */
export const text = (number: number, value: string): Piece =>
  value === '' ? EMPTY : chosenText(number, value);

/** Returns a boolean field; false is omitted. */
export const flag = (number: number, value: boolean): Piece => (value ? chosenFlag(number, true) : EMPTY);

/** Returns a double field; zero is omitted. */
export const double = (number: number, value: Int64 = 0): Piece =>
  Number(value) === 0 ? EMPTY : chosenDouble(number, Number(value));

/** Returns a 64-bit integer field; zero is omitted. A negative integer takes ten bytes. */
export const count = (number: number, value: Int64 = 0): Piece =>
  Number(value) === 0 ? EMPTY : new Bytes(Buffer.concat([varint(number << 3), longVarint(value)]));

/** Returns a string field that is written even if the string is empty. */
export const chosenText = (number: number, value: string): Piece => new Embedded(number, new Text(value));

/** Returns a boolean field that is written even if false. */
export const chosenFlag = (number: number, value: boolean): Piece =>
  new Bytes(Buffer.concat([varint(number << 3), varint(value ? 1 : 0)]));

/** Returns a double field that is written even if zero. */
export function chosenDouble(number: number, value: number): Piece {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return new Bytes(Buffer.concat([varint((number << 3) | 1), bytes]));
}

/** Returns gnostic's `Any`, which holds a value as YAML. JSON is a subset of YAML. */
export const any = (value: unknown): Piece => text(2, `${writeJson(value)}\n`);

/** Returns a pair of name and message, gnostic's form of a map entry. */
export const named = (number: number, name: string, value: Piece): Piece =>
  embedded(number, text(1, name), embedded(2, value));

/**
 * Returns the fifteen consecutive fields of a schema's constraints. The first has the number `first`. Both
 * versions have these fields in the same order.
 */
export const limits = (first: number, schema: OpenApiSchema): Piece[] => [
  double(first, schema.multipleOf),
  double(first + 1, schema.maximum),
  flag(first + 2, schema.exclusiveMaximum ?? false),
  double(first + 3, schema.minimum),
  flag(first + 4, schema.exclusiveMinimum ?? false),
  count(first + 5, schema.maxLength),
  count(first + 6, schema.minLength),
  text(first + 7, schema.pattern ?? ''),
  count(first + 8, schema.maxItems),
  count(first + 9, schema.minItems),
  flag(first + 10, schema.uniqueItems ?? false),
  count(first + 11, schema.maxProperties),
  count(first + 12, schema.minProperties),
  ...(schema.required ?? []).map((name) => text(first + 13, name)),
  ...(schema.enum ?? []).map((each) => embedded(first + 14, any(each))),
];

/** Returns the members whose names begin with `x-` as fields. */
export const extensions = (number: number, of: object): Piece[] =>
  Object.entries(of)
    .filter(([name]) => name.startsWith('x-'))
    .map(([name, value]) => named(number, name, any(value)));

function varint(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(varintLength(value));
  writeVarint(bytes, 0, value);
  return bytes;
}

function longVarint(value: Int64): Buffer {
  if (typeof value === 'number' && value >= 0) return varint(value);
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}

function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) length++;
  return length;
}

function writeVarint(bytes: Buffer, at: number, value: number): number {
  let next = at;
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes[next++] = (rest & 0x7f) | 0x80;
  bytes[next++] = rest;
  return next;
}
