import fc from 'fast-check';
import { readJson } from '../schema/exact-json.ts';
import type { JSONSchemaProps } from '../types/apiextensions-v1-schema.ts';

/** Numbers in the form of a stored CustomResourceDefinition: integers are bigints from 2^53 on. */
const limit = fc.oneof(
  fc.integer({ min: -3, max: 300 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom('9007199254740993', '4611686018427387904', '9223372036854775807', '-9223372036854775808'),
);
const exact = (value: unknown): unknown =>
  readJson(typeof value === 'string' ? value : JSON.stringify(value));
const bound = limit.map(exact);
const count = fc.oneof(fc.nat(), fc.constantFrom(2n ** 53n, 2n ** 63n - 1n));
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(2n ** 53n, -(2n ** 63n), [2n ** 60n]),
);

const keywords = {
  title: fc.string(),
  description: fc.string(),
  format: fc.constantFrom('int64', 'date-time', 'made-up'),
  default: anything,
  maximum: bound,
  exclusiveMaximum: fc.boolean(),
  minimum: bound,
  exclusiveMinimum: fc.boolean(),
  multipleOf: bound,
  maxLength: count,
  minLength: count,
  pattern: fc.string(),
  maxItems: count,
  minItems: count,
  maxProperties: count,
  minProperties: count,
  enum: fc.array(anything, { maxLength: 3 }),
  nullable: fc.boolean(),
  required: fc.array(fc.constantFrom('a', 'b', '__proto__'), { maxLength: 2 }),
  'x-kubernetes-preserve-unknown-fields': fc.constant(true),
  'x-kubernetes-int-or-string': fc.constant(true),
  'x-kubernetes-embedded-resource': fc.constant(true),
  'x-kubernetes-list-type': fc.constantFrom('atomic', 'set', 'map'),
};

/**
 * Generates schemas of custom resource fields with every keyword that takes a value, including invalid
 * combinations.
 */
export const schemasOf = (depth: number): fc.Arbitrary<JSONSchemaProps> =>
  fc.record(
    {
      type: fc.constantFrom('object', 'array', 'string', 'integer', 'number', 'boolean'),
      ...keywords,
      ...(depth === 0 ? {} : partsOf(schemasOf(depth - 1))),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<JSONSchemaProps>;

const partsOf = (schema: fc.Arbitrary<JSONSchemaProps>) => ({
  properties: fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), schema, {
    maxKeys: 2,
    noNullPrototype: true,
  }),
  items: schema,
  additionalProperties: fc.oneof(schema, fc.constant(true)),
  anyOf: fc.array(schema, { maxLength: 2 }),
  not: schema,
});
