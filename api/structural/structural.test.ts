import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cloneJson } from '../schema/own.ts';
import type { JSONSchemaProps } from '../types/apiextensions-v1-schema.ts';
import { applyStructuralDefaults } from './defaults.ts';
import { validateListTypes } from './list-types.ts';
import { WorkBudget, charged } from '../../base/budget/work-budget.ts';
import { PatternError, compilePattern } from './pattern.ts';
import { pruned } from './prune.ts';
import { structuralOf } from './structural.ts';
import { validateValue } from './validate-value.ts';

const schemaOf = (schema: object): JSONSchemaProps => schema as JSONSchemaProps;

function prune(schema: object, value: unknown, keepsNulls = false): { value: unknown; unknown: string[] } {
  const unknown: string[] = [];
  const path: (string | number)[] = [];
  const result = pruned(structuralOf(schemaOf(schema)), cloneJson(value), {
    path,
    keepsNulls,
    unknown: (key) => void unknown.push([...path, key].join('.')),
    typeField: (_key, field) => field,
  });
  return { value: result, unknown };
}

const complaints = (schema: object, value: unknown): string[] =>
  validateValue(schemaOf(schema), value).map(({ field, message }) => `${field}: ${message}`);

describe('pruning', () => {
  const text = { type: 'string' };

  it.each([
    [
      'leaves out what the schema does not know',
      { properties: { a: text } },
      { a: 'x', b: 1 },
      { a: 'x' },
      ['b'],
    ],
    [
      'looks into lists',
      { properties: { l: { items: { properties: { a: text } } } } },
      { l: [{ b: 1 }] },
      { l: [{}] },
      ['l.0.b'],
    ],
    [
      'keeps all where the schema says so',
      { 'x-kubernetes-preserve-unknown-fields': true },
      { a: { b: null } },
      { a: { b: null } },
      [],
    ],
    [
      'takes the extension under the other name',
      { 'x-orch-preserve-unknown-fields': true },
      { a: 1 },
      { a: 1 },
      [],
    ],
    [
      'still prunes known fields of what keeps the rest',
      { 'x-kubernetes-preserve-unknown-fields': true, properties: { a: {} } },
      { a: { b: 1 }, c: 2 },
      { a: {}, c: 2 },
      ['a.b'],
    ],
    [
      'keeps the entries of a map',
      { additionalProperties: text },
      { a: 'x', b: 'y' },
      { a: 'x', b: 'y' },
      [],
    ],
    [
      'empties the objects in a map of anything',
      { additionalProperties: true },
      { a: { b: 1 }, c: 1 },
      { a: {}, c: 1 },
      ['a.b'],
    ],
    [
      'keeps the type and metadata of an embedded object',
      { 'x-kubernetes-embedded-resource': true },
      { kind: 'A', metadata: { name: 'x' }, spec: 1 },
      { kind: 'A', metadata: { name: 'x' } },
      ['spec'],
    ],
    ['drops null where it may not be', { properties: { a: text } }, { a: null }, {}, []],
    [
      'keeps null where it may be',
      { properties: { a: { ...text, nullable: true } } },
      { a: null },
      { a: null },
      [],
    ],
    [
      'keeps null for the default to replace',
      { properties: { a: { ...text, default: 'x' } } },
      { a: null },
      { a: null },
      [],
    ],
  ])('prunes: %s', (_what, schema, value, expected, unknown) => {
    expect(prune(schema, value)).toEqual({ value: expected, unknown });
  });

  it('keeps every null for validation when asked to', () => {
    expect(prune({ properties: { a: text } }, { a: null }, true).value).toEqual({ a: null });
  });

  it('sorts keys and treats __proto__ as an ordinary field', () => {
    const schema: unknown = JSON.parse('{"properties":{"b":{},"__proto__":{"type":"string"}}}');
    const { value } = prune(schema as object, JSON.parse('{"b":1,"__proto__":"x","constructor":2}'));
    expect(JSON.stringify(value)).toBe('{"__proto__":"x","b":1}');
  });
});

describe('defaults', () => {
  const defaulted = (schema: object, value: unknown): unknown => {
    const copy = cloneJson(value);
    applyStructuralDefaults(structuralOf(schemaOf(schema)), copy);
    return copy;
  };

  it.each([
    ['fill in what is missing', { properties: { a: { default: 1 } } }, {}, { a: 1 }],
    ['never replace what is there', { properties: { a: { default: 1 } } }, { a: 0 }, { a: 0 }],
    ['replace null that may not be', { properties: { a: { default: 1 } } }, { a: null }, { a: 1 }],
    [
      'leave null that may be',
      { properties: { a: { default: 1, nullable: true } } },
      { a: null },
      { a: null },
    ],
    [
      'do not make the objects around them',
      { properties: { a: { properties: { b: { default: 1 } } } } },
      {},
      {},
    ],
    [
      'go on within a default',
      { properties: { a: { default: {}, properties: { b: { default: 1 } } } } },
      {},
      { a: { b: 1 } },
    ],
    [
      'reach into lists and maps',
      {
        properties: { l: { items: { properties: { a: { default: 1 } } } } },
        additionalProperties: { properties: { a: { default: 2 } } },
      },
      { l: [{}], m: {} },
      { l: [{ a: 1 }], m: { a: 2 } },
    ],
  ])('sets defaults: %s', (_what, schema, value, expected) => {
    expect(defaulted(schema, value)).toEqual(expected);
  });
});

describe('validation', () => {
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
  ])('with %s refuses %s', (schema, value, expected) => {
    expect(complaints(spec(schema), { spec: { x: value } })).toEqual([expected]);
  });

  it.each([
    [{ type: 'integer' }, 9223372036854775807n],
    [{ type: 'integer', format: 'int32' }, 2 ** 40],
    [{ type: 'integer' }, 1.0000000001],
    [{ type: 'number', minimum: 0.5 }, 0],
    [{ type: 'integer', multipleOf: 10 }, 9223372036854775800n],
    [{ type: 'number', multipleOf: 0.1 }, 0.7],
  ])('with %s accepts %s', (schema, value) => {
    expect(complaints(spec(schema), { spec: { x: value } })).toEqual([]);
  });

  it('reports also the errors of the nearest alternative', () => {
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

describe('a pattern', () => {
  it.each([
    ['^[a-z]([-a-z0-9]*[a-z0-9])?$', ['a', 'a-b'], ['', 'A', 'a-']],
    ['b+', ['abc', 'b'], ['ac']],
    ['^(?:a|bc){2,3}$', ['abc', 'aaa', 'bcbc'], ['a', 'aaaa']],
    ['(?i)^abc$', ['ABC', 'abc'], ['abd']],
    ['^\\d{4}-\\d\\d$', ['2024-01'], ['24-01']],
    ['^[^/\\s]+$', ['ab'], ['a b', 'a/b', '']],
    ['^\\p{L}+$', ['aé'], ['a1']],
    ['^[[:alpha:]_.-]+$', ['a_b.-'], ['a1']],
    ['\\bfoo\\b', ['a foo b'], ['food']],
    ['^$|^x$', ['', 'x'], ['xx']],
    ['^.$', ['😀'], ['', 'ab']],
  ])('%s matches the same texts as RE2', (source, matching, others) => {
    const pattern = compilePattern(source);
    expect(matching.filter((text) => !pattern.test(text))).toEqual([]);
    expect(others.filter((text) => pattern.test(text))).toEqual([]);
  });

  it.each([
    ['(a', 'missing closing ): `(a`'],
    ['[a', 'missing closing ]: `[a`'],
    ['*', 'missing argument to repetition operator: `*`'],
    ['a**', 'invalid nested repetition operator: `**`'],
    ['[b-a]', 'invalid character class range: `b-a`'],
    ['a{1001}', 'invalid repeat count: `{1001}`'],
    ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
    ['\\1', 'invalid escape sequence: `\\1`'],
  ])('%s is refused with Go’s message', (source, why) => {
    expect(() => compilePattern(source)).toThrow(new PatternError(why));
  });

  it('matches patterns that make others backtrack in linear time', () => {
    expect(compilePattern('^(a+)+$').test(`${'a'.repeat(20_000)}b`)).toBe(false);
    expect(compilePattern('^(a|aa)*c').test('a'.repeat(20_000))).toBe(false);
  });

  it.each<[string, () => unknown]>([
    ['a long pattern', () => compilePattern('[a-z]'.repeat(60_000))],
    ['a class of many parts', () => compilePattern(`[${'a-z'.repeat(90_000)}]`)],
    ['a long text', () => compilePattern('^(a|b)*c').test('a'.repeat(300_000))],
    [
      'a text against a class of many parts',
      () => compilePattern(`^[${'b-z'.repeat(2_000)}a]*$`).test('a'.repeat(9_000)),
    ],
  ])('charges %s', (_, work) => {
    expect(() => charged(new WorkBudget(), work)).toThrow(
      expect.objectContaining({ code: expect.any(String) as string }) as Error,
    );
  });
});

describe('any schema and value', () => {
  const leaf = fc.constantFrom<object>(
    { type: 'string', pattern: 'a' },
    { type: 'integer', minimum: 1 },
    { 'x-kubernetes-int-or-string': true },
    { 'x-kubernetes-preserve-unknown-fields': true },
    { type: 'string', default: 'd' },
    { type: 'boolean', nullable: true, default: true },
  );
  const { schema } = fc.letrec<{ schema: object }>((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      fc
        .dictionary(fc.constantFrom('a', 'b', '__proto__', 'metadata'), tie('schema'), {
          noNullPrototype: true,
        })
        .map((properties) => ({ type: 'object', properties })),
      tie('schema').map((additionalProperties) => ({ type: 'object', additionalProperties })),
      tie('schema').map((items) => ({ type: 'array', items, 'x-kubernetes-list-type': 'set' })),
      tie('schema').map((each) => ({ anyOf: [each, { not: each }] })),
    ),
  }));
  const value = fc.jsonValue({ maxDepth: 4 });

  it('prune and default idempotently, and validate without throwing', () => {
    fc.assert(
      fc.property(schema, value, (given, any) => {
        const once = prune(given, any).value;
        expect(prune(given, once)).toEqual({ value: once, unknown: [] });
        const node = structuralOf(schemaOf(given));
        applyStructuralDefaults(node, once);
        const again = cloneJson(once);
        applyStructuralDefaults(node, again);
        expect(again).toEqual(once);
        expect(Array.isArray(complaints(given, once))).toBe(true);
        expect(Array.isArray(validateListTypes(node, once))).toBe(true);
      }),
    );
  });
});
