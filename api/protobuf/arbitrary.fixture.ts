import fc from 'fast-check';
import { integerOf, readJson } from '../schema/exact-json.ts';
import { type ScalarFormat, type Schema, type StructSchema, resolve } from '../schema/schema.ts';
import { formatDuration } from '../schema/times.ts';

const moment = fc.date({
  min: new Date('0002-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59Z'),
  noInvalidDate: true,
});

const text = fc.oneof(fc.string({ maxLength: 60 }), fc.string({ unit: 'grapheme', maxLength: 20 }));

const SCALARS: { readonly [F in ScalarFormat]: fc.Arbitrary<unknown> } = {
  string: text,
  boolean: fc.boolean(),
  int32: fc.oneof(fc.integer(), fc.integer({ min: -2, max: 300 })),
  int64: fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((each) => integerOf(String(each))),
    fc.integer({ min: -2, max: 300 }),
  ),
  double: fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (number === 0 ? 0 : number)),
  bytes: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  time: moment.map((date) => `${date.toISOString().slice(0, 19)}Z`),
  'micro-time': fc
    .tuple(moment, fc.integer({ min: 0, max: 999_999 }))
    .map(([date, micros]) => `${date.toISOString().slice(0, 19)}.${String(micros).padStart(6, '0')}Z`),
  duration: fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }).map(formatDuration),
  quantity: fc.constantFrom('0', '1', '100m', '128Mi', '1500m', '5Gi', '12e6', '-3'),
  'int-or-string': fc.oneof(fc.integer(), text),
};

/**
 * Generates objects of a schema without `null`, empty lists and empty maps, because protobuf cannot
 * distinguish these from absent values. Each struct has a few of its fields; structs deeper than `depth` have
 * no fields.
 */
export function arbitraryOf(schema: Schema, depth = 7): fc.Arbitrary<unknown> {
  const target = resolve(schema);
  switch (target.kind) {
    case 'scalar':
      return SCALARS[target.format];
    case 'any':
      return fc
        .dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1, maxKeys: 2 })
        .map((value) => readJson(JSON.stringify(value)));
    case 'array':
      return fc.array(arbitraryOf(target.items, depth), { minLength: 1, maxLength: 3 });
    case 'map':
      return fc.dictionary(
        fc.oneof(fc.string({ maxLength: 20 }), fc.constantFrom('__proto__', 'constructor', '7', '')),
        arbitraryOf(target.values, depth),
        { minKeys: 1, maxKeys: 3, noNullPrototype: true },
      );
    case 'struct':
      return arbitraryStruct(target, depth);
    case 'either':
      return fc.oneof(arbitraryOf(target.struct, depth), arbitraryOf(target.other, depth));
  }
}

function arbitraryStruct(schema: StructSchema, depth: number): fc.Arbitrary<object> {
  if (depth === 0) return fc.constant({});
  const names = Object.keys(schema.fields).filter((name) => (schema.fields[name]?.number ?? 0) > 0);
  return fc.subarray(names, { maxLength: Math.min(5, names.length) }).chain((chosen) =>
    fc.record(
      Object.fromEntries(
        chosen.flatMap((name) => {
          const field = schema.fields[name];
          return field === undefined ? [] : [[name, arbitraryOf(field.schema, depth - 1)]];
        }),
      ),
    ),
  );
}
