import { writeJson } from '../schema/exact-json.ts';
import type { OpenApiSchema } from './dialect.ts';

/**
 * Pieces of gnostic's protobuf messages, which both versions of OpenAPI are written with. Strings, flags and numbers
 * that are zero are left out, as in every message of proto3; a choice among several has functions that never leave out.
 */
export const EMPTY = Buffer.alloc(0);

export const message = (...parts: readonly Buffer[]): Buffer => Buffer.concat(parts);

export function embedded(number: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([varint((number << 3) | 2), varint(body.length), body]);
}

export const text = (number: number, value: string): Buffer =>
  value === '' ? EMPTY : chosenText(number, value);

export const flag = (number: number, value: boolean): Buffer => (value ? chosenFlag(number, true) : EMPTY);

/** Zero and none are the same in this form. */
export const double = (number: number, value = 0): Buffer =>
  value === 0 ? EMPTY : chosenDouble(number, value);

export const count = (number: number, value = 0): Buffer =>
  value > 0 ? Buffer.concat([varint(number << 3), varint(value)]) : EMPTY;

export const chosenText = (number: number, value: string): Buffer => embedded(number, Buffer.from(value));

export const chosenFlag = (number: number, value: boolean): Buffer =>
  Buffer.concat([varint(number << 3), varint(value ? 1 : 0)]);

export function chosenDouble(number: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([varint((number << 3) | 1), bytes]);
}

/** gnostic's `Any`: the value as YAML, which JSON is. */
export const any = (value: unknown): Buffer => text(2, `${writeJson(value)}\n`);

/** A pair of name and message, gnostic's form of a map entry. */
export const named = (number: number, name: string, value: Buffer): Buffer =>
  embedded(number, text(1, name), embedded(2, value));

/** What a schema allows, fifteen fields in a row in both versions' messages; `first` is the number of the first of them. */
export const limits = (first: number, schema: OpenApiSchema): Buffer[] => [
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
export const extensions = (number: number, of: object): Buffer[] =>
  Object.entries(of)
    .filter(([name]) => name.startsWith('x-'))
    .map(([name, value]) => named(number, name, any(value)));

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}
