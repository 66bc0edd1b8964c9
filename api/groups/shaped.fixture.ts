import * as fc from 'fast-check';
import { type ScalarFormat, type Schema, type StructSchema, resolve } from '../schema/schema.ts';

const oddTexts = fc.oneof(
  fc.constantFrom('', '.', '..', '/', '__proto__', 'constructor', 'a', 'TZ=', '* * * * *', '-1', 'v1'),
  fc.string(),
);
const numbers = fc.constantFrom(-1, 0, 1, 30, 599, 65_536, 2_147_483_647, -2_147_483_648);

function scalarsOf(format: ScalarFormat, allowed: readonly string[]): fc.Arbitrary<unknown> {
  if (allowed.length > 0) return fc.oneof(fc.constantFrom(...allowed), oddTexts);
  switch (format) {
    case 'boolean':
      return fc.boolean();
    case 'int32':
    case 'int64':
    case 'double':
      return numbers;
    case 'bytes':
      return fc.oneof(fc.constantFrom('', 'eA==', 'LS0t'), fc.base64String());
    case 'time':
      return fc.constantFrom('2024-01-01T00:00:00Z', null);
    case 'micro-time':
      return fc.constantFrom('2024-01-01T00:00:00.000000Z', null);
    case 'duration':
      return fc.constantFrom('1s', '2h');
    case 'quantity':
      return fc.constantFrom('1', '0', '-1', '100m', '1Gi', '0.1', 3);
    case 'int-or-string':
      return fc.oneof(numbers, oddTexts);
    default:
      return oddTexts;
  }
}

/** Generates objects with the types of a schema, including unusual values, missing fields and nulls. */
export function shaped(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  const target = resolve(schema);
  switch (target.kind) {
    case 'scalar':
      return scalarsOf(target.format, target.enum ?? []);
    case 'any':
      return fc.jsonValue();
    case 'either':
      return fc.oneof(shaped(target.struct, depth), shaped(target.other, depth));
    case 'array':
      return depth === 0 ? fc.constant([]) : fc.array(shaped(target.items, depth - 1), { maxLength: 2 });
    case 'map':
      return depth === 0
        ? fc.constant({})
        : fc.dictionary(oddTexts, shaped(target.values, depth - 1), { maxKeys: 2 });
    default:
      return depth === 0 ? fc.constantFrom({}, null) : struct(target, depth);
  }
}

const struct = (target: StructSchema, depth: number): fc.Arbitrary<unknown> =>
  fc
    .subarray(Object.entries(target.fields), { maxLength: Math.min(8, Object.keys(target.fields).length) })
    .chain((fields) =>
      fc.record(Object.fromEntries(fields.map(([name, field]) => [name, shaped(field.schema, depth - 1)]))),
    );
