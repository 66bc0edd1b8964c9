import { type Int64, writeJson } from '../schema/exact-json.ts';
import type { OpenApiSchema } from './dialect.ts';

/**
 * Pieces of gnostic's protobuf messages, which both versions of OpenAPI are written with. Strings, flags and numbers
 * that are zero are left out, as in every message of proto3; a choice among several has functions that never leave out.
 * A piece knows its length before its bytes are written, which are then written once, however deep it lies.
 */
export interface Piece {
  /** In bytes. */
  readonly length: number;
  /** Gives the place behind it. */
  writeTo(bytes: Buffer, at: number): number;
}

export function encoded(piece: Piece): Buffer {
  const bytes = Buffer.allocUnsafe(piece.length);
  piece.writeTo(bytes, 0);
  return bytes;
}

/** One after the other. */
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

/** A piece as a field, behind its number and its length. */
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

export const EMPTY: Piece = new Message([]);

/** What has been encoded before. */
export const written = (bytes: Buffer): Piece => new Bytes(bytes);

export const message = (...parts: readonly Piece[]): Piece => new Message(parts);

export const embedded = (number: number, ...parts: readonly Piece[]): Piece =>
  new Embedded(number, new Message(parts));

export const text = (number: number, value: string): Piece =>
  value === '' ? EMPTY : chosenText(number, value);

export const flag = (number: number, value: boolean): Piece => (value ? chosenFlag(number, true) : EMPTY);

/** Zero and none are the same in this form. */
export const double = (number: number, value: Int64 = 0): Piece =>
  Number(value) === 0 ? EMPTY : chosenDouble(number, Number(value));

/** An integer of 64 bits; a negative one takes ten bytes. */
export const count = (number: number, value: Int64 = 0): Piece =>
  Number(value) === 0 ? EMPTY : new Bytes(Buffer.concat([varint(number << 3), longVarint(value)]));

export const chosenText = (number: number, value: string): Piece => new Embedded(number, new Text(value));

export const chosenFlag = (number: number, value: boolean): Piece =>
  new Bytes(Buffer.concat([varint(number << 3), varint(value ? 1 : 0)]));

export function chosenDouble(number: number, value: number): Piece {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return new Bytes(Buffer.concat([varint((number << 3) | 1), bytes]));
}

/** gnostic's `Any`: the value as YAML, which JSON is. */
export const any = (value: unknown): Piece => text(2, `${writeJson(value)}\n`);

/** A pair of name and message, gnostic's form of a map entry. */
export const named = (number: number, name: string, value: Piece): Piece =>
  embedded(number, text(1, name), embedded(2, value));

/** What a schema allows, fifteen fields in a row in both versions' messages; `first` is the number of the first of them. */
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

/** The members that begin with `x-`. */
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
