import { describe, expect, it } from 'vitest';
import { validateListTypes } from './list-types.ts';
import { structuralOf } from './structural.ts';
import { complaints, schemaOf } from './structural.fixture.ts';
import { validateValue } from './validate-value.ts';

describe('validateValue', () => {
  it('distinguishes a value of the wrong type or format from a wrong value', () => {
    const reasonOf = (schema: object, value: unknown): unknown =>
      validateValue(schemaOf(schema), value)[0]?.type;
    expect(reasonOf({ type: 'integer' }, 'x')).toBe('FieldValueTypeInvalid');
    expect(reasonOf({ type: 'string', format: 'date' }, 'x')).toBe('FieldValueTypeInvalid');
    expect(reasonOf({ type: 'string', pattern: 'a' }, 'x')).toBe('FieldValueInvalid');
  });

  const spec = (schema: object): object => ({
    type: 'object',
    properties: { spec: { type: 'object', properties: { x: schema } } },
  });

  it.each([
    [
      { type: 'integer' },
      'string',
      'spec.x: Invalid value: "string": spec.x in body must be of type integer: "string"',
    ],
    [
      { type: 'object' },
      null,
      'spec.x: Invalid value: "null": spec.x in body must be of type object: "null"',
    ],
    [
      { type: 'integer' },
      1.5,
      'spec.x: Invalid value: "number": spec.x in body must be of type integer: "number"',
    ],
    [
      { 'x-kubernetes-int-or-string': true },
      true,
      'spec.x: Invalid value: "boolean": spec.x in body must be of type integer,string: "boolean"',
    ],
    [{ type: 'object', required: ['a'] }, {}, 'spec.x.a: Required value'],
    [{ type: 'string', enum: ['a', 'b'] }, 'c', 'spec.x: Unsupported value: "c": supported values: "a", "b"'],
    [
      { type: 'string', pattern: '^a+$' },
      'ab',
      `spec.x: Invalid value: "ab": spec.x in body should match '^a+$'`,
    ],
    [
      { type: 'integer', minimum: 1 },
      0,
      'spec.x: Invalid value: 0: spec.x in body should be greater than or equal to 1',
    ],
    [
      { type: 'integer', minimum: 1, exclusiveMinimum: true },
      1,
      'spec.x: Invalid value: 1: spec.x in body should be greater than 1',
    ],
    [
      { type: 'number', maximum: 2.5 },
      3,
      'spec.x: Invalid value: 3: spec.x in body should be less than or equal to 2',
    ],
    [
      { type: 'integer', multipleOf: 3 },
      4,
      'spec.x: Invalid value: 4: spec.x in body should be a multiple of 3',
    ],
    [
      { type: 'string', minLength: 2 },
      'é',
      'spec.x: Invalid value: "é": spec.x in body should be at least 2 chars long',
    ],
    [{ type: 'string', maxLength: 1 }, 'ab', 'spec.x: Too long: may not be longer than 1'],
    [
      { type: 'array', minItems: 1 },
      [],
      'spec.x: Invalid value: 0: spec.x in body should have at least 1 items',
    ],
    [{ type: 'array', maxItems: 1 }, [1, 2], 'spec.x: Too many: 2: must have at most 1 items'],
    [
      { type: 'array', items: { type: 'string' } },
      ['a', 1],
      'spec.x[1]: Invalid value: "integer": spec.x[1] in body must be of type string: "integer"',
    ],
    [
      { type: 'array', uniqueItems: true },
      [1, 1],
      `spec.x: Invalid value: "": spec.x in body shouldn't contain duplicates`,
    ],
    [
      { type: 'object', minProperties: 1 },
      {},
      'spec.x: Invalid value: 0: spec.x in body should have at least 1 properties',
    ],
    [
      { type: 'object', additionalProperties: { type: 'string' } },
      { a: 1 },
      'spec.x.a: Invalid value: "integer": spec.x.a in body must be of type string: "integer"',
    ],
    [
      { type: 'string', format: 'date' },
      '2024-02-30',
      'spec.x: Invalid value: "2024-02-30": spec.x in body must be of type date: "2024-02-30"',
    ],
    [
      { type: 'string', format: 'ipv4' },
      '1.2.3',
      'spec.x: Invalid value: "1.2.3": spec.x in body must be of type ipv4: "1.2.3"',
    ],
    [
      { type: 'integer', format: 'int64' },
      1.5,
      'spec.x: Invalid value: "number": spec.x in body must be of type integer: "number"',
    ],
    [
      { type: 'integer' },
      2 ** 63,
      'spec.x: Invalid value: "number": spec.x in body must be of type integer: "number"',
    ],
    [
      { type: 'integer', maximum: 2 ** 53 },
      9007199254740993n,
      'spec.x: Invalid value: 9007199254740993: spec.x in body should be less than or equal to 9007199254740992',
    ],
    [
      { type: 'integer', multipleOf: 10 },
      9223372036854775807n,
      'spec.x: Invalid value: 9223372036854775807: spec.x in body should be a multiple of 10',
    ],
    [
      { type: 'integer', enum: [9007199254740993n] },
      9007199254740992n,
      'spec.x: Unsupported value: 9007199254740992: supported values: "9007199254740993"',
    ],
    [
      { type: 'number', minimum: -0.5 },
      -1,
      'spec.x: Invalid value: -1: spec.x in body should be greater than or equal to 0',
    ],
    [
      { type: 'number', multipleOf: 2.5 },
      5,
      'spec.x: Invalid value: 5: spec.x in body should be a multiple of 2',
    ],
    [
      { type: 'number', maximum: 2.5 },
      2.6,
      'spec.x: Invalid value: 2.6: spec.x in body should be less than or equal to 2.5',
    ],
    [{ not: { enum: [1] } }, 1, '<nil>: Invalid value: "": "spec.x" must not validate the schema (not)'],
    [
      { oneOf: [{ minimum: 1 }, { maximum: 9 }] },
      5,
      '<nil>: Invalid value: "": "spec.x" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ],
  ])('reports for the schema %s and the value %s the error of upstream', (schema, value, expected) => {
    expect(complaints(spec(schema), { spec: { x: value } })).toEqual([expected]);
  });

  it.each([
    [{ type: 'integer' }, 9223372036854775807n],
    [{ type: 'integer', format: 'int32' }, 2 ** 40],
    [{ type: 'integer' }, 1.0000000001],
    [{ type: 'number', minimum: 0.5 }, 0],
    [{ type: 'integer', multipleOf: 10 }, 9223372036854775800n],
    [{ type: 'number', multipleOf: 0.1 }, 0.7],
  ])('accepts for the schema %s the value %s', (schema, value) => {
    expect(complaints(spec(schema), { spec: { x: value } })).toEqual([]);
  });

  it('reports the errors of the nearest alternative in addition', () => {
    const schema = spec({ anyOf: [{ required: ['a'] }, { required: ['b'] }] });
    expect(complaints(schema, { spec: { x: {} } })).toEqual([
      '<nil>: Invalid value: "": "spec.x" must validate at least one schema (anyOf)',
      'spec.x.a: Required value',
    ]);
  });

  it('accepts valid values and unknown formats', () => {
    const schema = spec({ type: 'string', format: 'tea-time', nullable: true });
    expect(complaints(schema, { spec: { x: 'five' } })).toEqual([]);
    expect(complaints(schema, { spec: { x: null } })).toEqual([]);
  });

  it('reports duplicate items in lists that are sets or maps', () => {
    const node = structuralOf(
      schemaOf({
        properties: {
          s: { 'x-kubernetes-list-type': 'set' },
          m: { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
        },
      }),
    );
    const value = { s: [1, 2, 1, 1], m: [{ name: 'a' }, { name: 'a', v: 1 }, {}] };
    expect(validateListTypes(node, value).map(({ field, message }) => `${field}: ${message}`)).toEqual([
      's[2]: Duplicate value: 1',
      'm[1]: Duplicate value: map[string]interface {}{"name":"a"}',
    ]);
  });
});
