import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cloneJson } from '../schema/own.ts';
import { applyStructuralDefaults } from './defaults.ts';
import { validateListTypes } from './list-types.ts';
import { pruned } from './prune.ts';
import { structuralOf } from './structural.ts';
import { complaints, schemaOf } from './structural.fixture.ts';

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

describe('pruning', () => {
  const text = { type: 'string' };

  it.each([
    [
      'drops fields that are unknown to the schema',
      { properties: { a: text } },
      { a: 'x', b: 1 },
      { a: 'x' },
      ['b'],
    ],
    [
      'drops unknown fields within lists',
      { properties: { l: { items: { properties: { a: text } } } } },
      { l: [{ b: 1 }] },
      { l: [{}] },
      ['l.0.b'],
    ],
    [
      'retains all fields where the schema preserves unknown fields',
      { 'x-kubernetes-preserve-unknown-fields': true },
      { a: { b: null } },
      { a: { b: null } },
      [],
    ],
    [
      'accepts the extension under the prefix of the other vocabulary',
      { 'x-orch-preserve-unknown-fields': true },
      { a: 1 },
      { a: 1 },
      [],
    ],
    [
      'prunes the known fields of a value that preserves unknown fields',
      { 'x-kubernetes-preserve-unknown-fields': true, properties: { a: {} } },
      { a: { b: 1 }, c: 2 },
      { a: {}, c: 2 },
      ['a.b'],
    ],
    [
      'retains the entries of a map',
      { additionalProperties: text },
      { a: 'x', b: 'y' },
      { a: 'x', b: 'y' },
      [],
    ],
    [
      'drops all fields of the objects in a map whose values have no properties',
      { additionalProperties: true },
      { a: { b: 1 }, c: 1 },
      { a: {}, c: 1 },
      ['a.b'],
    ],
    [
      'retains the type and metadata of an embedded object',
      { 'x-kubernetes-embedded-resource': true },
      { kind: 'A', metadata: { name: 'x' }, spec: 1 },
      { kind: 'A', metadata: { name: 'x' } },
      ['spec'],
    ],
    ['drops null where the schema forbids it', { properties: { a: text } }, { a: null }, {}, []],
    [
      'retains null where the schema allows it',
      { properties: { a: { ...text, nullable: true } } },
      { a: null },
      { a: null },
      [],
    ],
    [
      'retains null where a default will replace it',
      { properties: { a: { ...text, default: 'x' } } },
      { a: null },
      { a: null },
      [],
    ],
  ])('%s', (_what, schema, value, expected, unknown) => {
    expect(prune(schema, value)).toEqual({ value: expected, unknown });
  });

  it('retains every null for validation if keepsNulls is set', () => {
    expect(prune({ properties: { a: text } }, { a: null }, true).value).toEqual({ a: null });
  });

  it('sorts keys and treats __proto__ as an ordinary field', () => {
    const schema: unknown = JSON.parse('{"properties":{"b":{},"__proto__":{"type":"string"}}}');
    const { value } = prune(schema as object, JSON.parse('{"b":1,"__proto__":"x","constructor":2}'));
    expect(JSON.stringify(value)).toBe('{"__proto__":"x","b":1}');
  });
});

describe('applyStructuralDefaults', () => {
  const defaulted = (schema: object, value: unknown): unknown => {
    const copy = cloneJson(value);
    applyStructuralDefaults(structuralOf(schemaOf(schema)), copy);
    return copy;
  };

  it.each([
    ['sets missing values', { properties: { a: { default: 1 } } }, {}, { a: 1 }],
    ['retains existing values', { properties: { a: { default: 1 } } }, { a: 0 }, { a: 0 }],
    [
      'replaces null where the schema forbids it',
      { properties: { a: { default: 1 } } },
      { a: null },
      { a: 1 },
    ],
    [
      'retains null where the schema allows it',
      { properties: { a: { default: 1, nullable: true } } },
      { a: null },
      { a: null },
    ],
    [
      'does not create the objects around defaults',
      { properties: { a: { properties: { b: { default: 1 } } } } },
      {},
      {},
    ],
    [
      'sets defaults within a default',
      { properties: { a: { default: {}, properties: { b: { default: 1 } } } } },
      {},
      { a: { b: 1 } },
    ],
    [
      'sets defaults within lists and maps',
      {
        properties: { l: { items: { properties: { a: { default: 1 } } } } },
        additionalProperties: { properties: { a: { default: 2 } } },
      },
      { l: [{}], m: {} },
      { l: [{ a: 1 }], m: { a: 2 } },
    ],
  ])('%s', (_what, schema, value, expected) => {
    expect(defaulted(schema, value)).toEqual(expected);
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

  it('can be pruned and defaulted idempotently, and validated without an exception', () => {
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
