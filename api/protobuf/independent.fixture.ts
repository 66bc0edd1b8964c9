import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import protobuf from 'protobufjs';
import { readJson, writeJson } from '../schema/exact-json.ts';
import { type JsonObject, isObject } from '../schema/own.ts';

const { root } = protobuf.parse(
  readFileSync(new URL('./published.fixture.proto', import.meta.url), 'utf8'),
  new protobuf.Root(),
  { keepCase: true },
);
root.resolveAll();

/** Returns the published protobuf message type of a kind. */
export const messageType = (name: string): protobuf.Type => root.lookupType(name);

type Pair = readonly [json: unknown, message: unknown];

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
const same = (values: fc.Arbitrary<unknown>): fc.Arbitrary<Pair> =>
  values.map((value): Pair => [value, value]);
const seconds = fc.integer({ min: -10_000_000, max: 4_000_000_000 }).filter((value) => value !== 0);
const atSecond = (value: number): string => new Date(value * 1000).toISOString().slice(0, 19);

/**
 * Generators of non-zero values, because messages cannot distinguish zero from absent. Each value is a pair:
 * the JSON value and the value of the field in a message.
 */
const SCALARS: { readonly [type: string]: fc.Arbitrary<Pair> } = {
  string: same(text),
  bool: same(fc.constant(true)),
  int32: same(fc.integer().filter((value) => value !== 0)),
  int64: same(fc.maxSafeInteger().filter((value) => value !== 0)),
  double: same(fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => value !== 0)),
  bytes: fc
    .uint8Array({ minLength: 1, maxLength: 40 })
    .map((bytes) => Buffer.from(bytes).toString('base64'))
    .map((base64): Pair => [base64, base64]),
};

const base64 = (value: string): string => Buffer.from(value).toString('base64');
const rawJson = fc
  .dictionary(text, fc.jsonValue({ maxDepth: 2 }), { minKeys: 1, maxKeys: 3, noNullPrototype: true })
  .map((value) => readJson(JSON.stringify(value)) as JsonObject);

/** Generators of messages that JSON does not write as objects. */
const SPECIAL: { readonly [type: string]: fc.Arbitrary<Pair> } = {
  Time: seconds.map((value): Pair => [`${atSecond(value)}Z`, { seconds: value }]),
  MicroTime: fc
    .tuple(seconds, fc.integer({ min: 1, max: 999_999 }))
    .map(([value, micros]): Pair => [
      `${atSecond(value)}.${String(micros).padStart(6, '0')}Z`,
      { seconds: value, nanos: micros * 1000 },
    ]),
  Quantity: fc
    .constantFrom('1', '100m', '1500m', '128Mi', '5Gi', '12e6', '-3')
    .map((value): Pair => [value, { string: value }]),
  IntOrString: fc.oneof(
    fc
      .integer()
      .filter((value) => value !== 0)
      .map((value): Pair => [value, { intVal: value }]),
    text.map((value): Pair => [value, { type: 1, strVal: value }]),
  ),
  RawExtension: rawJson.map((value): Pair => [value, { raw: base64(writeJson(value)) }]),
  FieldsV1: rawJson.map((value): Pair => [value, { Raw: base64(writeJson(value)) }]),
  Texts: fc.array(text, { minLength: 1, maxLength: 3 }).map((items): Pair => [items, { items }]),
};

/** Generates values of a message type with few fields set. Each value is a pair of JSON and message. */
export function pairsOf(type: protobuf.Type, depth = 6): fc.Arbitrary<Pair> {
  const special = SPECIAL[type.name];
  if (special) return special;
  const fields = depth === 0 ? [] : type.fieldsArray;
  return fc
    .subarray(fields, { maxLength: Math.min(5, fields.length) })
    .chain((chosen) => fc.tuple(...chosen.map((field) => fieldPairs(field, depth - 1).map(named(field)))))
    .map((values): Pair => [
      Object.assign({}, ...values.map(([json]) => json)) as JsonObject,
      Object.assign({}, ...values.map(([, message]) => message)) as JsonObject,
    ]);
}

/** Adds the name of the field to a pair. JSON has no name for fields that it inlines. */
const named =
  ({ name }: protobuf.Field) =>
  ([json, message]: Pair): Pair => [
    name.startsWith('inline_') ? json : { [name]: json },
    { [name]: message },
  ];

function fieldPairs(field: protobuf.Field, depth: number): fc.Arbitrary<Pair> {
  const one = fc.constant(undefined).chain(() => valuePairs(field, depth));
  if (field instanceof protobuf.MapField)
    return fc
      .dictionary(text, one, { minKeys: 1, maxKeys: 3, noNullPrototype: true })
      .map((entries): Pair => [mapped(entries, 0), mapped(entries, 1)]);
  if (!field.repeated) return one;
  return fc
    .array(one, { minLength: 1, maxLength: 3 })
    .map((items): Pair => [items.map(([json]) => json), items.map(([, message]) => message)]);
}

const mapped = (entries: { readonly [key: string]: Pair }, side: 0 | 1): JsonObject =>
  Object.fromEntries(Object.entries(entries).map(([key, pair]) => [key, pair[side]]));

function valuePairs(field: protobuf.Field, depth: number): fc.Arbitrary<Pair> {
  if (field.resolvedType instanceof protobuf.Type) return pairsOf(field.resolvedType, depth);
  const scalar = SCALARS[field.type];
  if (!scalar)
    throw new TypeError(`the fixture has a field of type ${field.type}, known are the scalars of the API`);
  return scalar;
}

/** Returns the value without zero, null and empty members, which a message may write or omit. */
export function withoutZero(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutZero(item) ?? null);
  if (!isObject(value))
    return value === null || value === '' || value === 0 || value === false ? undefined : value;
  const rest = Object.entries(value).flatMap(([key, held]) => {
    const kept = withoutZero(held);
    return kept === undefined || (Array.isArray(kept) && kept.length === 0) ? [] : [[key, kept]];
  });
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}
