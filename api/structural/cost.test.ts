import { describe, expect, it } from 'vitest';
import { WorkBudget, WorkBudgetError, charged } from '../../base/budget/work-budget.ts';
import { leastProcessorMs } from '../../test/processor-time.ts';
import { cloneJson } from '../schema/own.ts';
import type { JSONSchemaProps } from '../types/apiextensions-v1-schema.ts';
import { applyStructuralDefaults } from './defaults.ts';
import { structuralOf } from './structural.ts';
import { validateBySchema, validateLists } from './validate-object.ts';

const many = <T>(count: number, of: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => of(at));
const list = (items: JSONSchemaProps, more: object = {}): JSONSchemaProps => ({
  type: 'object',
  properties: { a: { type: 'array', items, ...more } },
});
const text: JSONSchemaProps = { type: 'string' };
const wide = Object.fromEntries(many(5_000, (at): [string, JSONSchemaProps] => [`p${at}`, text]));

/** Schemas, each with an object of at most 3 MiB that multiplies the work of its rules. */
const BOMBS: readonly (readonly [string, JSONSchemaProps, object])[] = [
  [
    'a default of 100 KB in each of many items',
    list({ type: 'object', properties: { d: { type: 'string', default: 'x'.repeat(100_000) } } }),
    { a: many(300_000, () => ({})) },
  ],
  [
    'many alternatives of many items',
    list({ anyOf: many(500, () => ({ type: 'string' })) }),
    { a: many(100_000, () => 1) },
  ],
  [
    'many properties of many items',
    list({ type: 'object', properties: wide }),
    { a: many(300_000, () => ({})) },
  ],
  [
    'many required properties',
    list({ type: 'object', required: Object.keys(wide) }),
    { a: many(300_000, () => ({})) },
  ],
  [
    'many accepted values',
    list({ type: 'string', enum: many(50_000, (at) => `v${at}`) }),
    { a: many(100_000, () => 'x') },
  ],
  [
    'a pattern for many texts',
    list({ type: 'string', pattern: '^(a|b)*c$' }),
    { a: many(50_000, () => 'ab'.repeat(20)) },
  ],
  [
    'a long pattern in many errors',
    list({ type: 'string', pattern: `^${'a'.repeat(9_000)}$` }),
    { a: many(300_000, () => 'b') },
  ],
  ['items that must be unique', list(text, { uniqueItems: true }), { a: many(200_000, (at) => `v${at}`) }],
  [
    'a set of many items',
    list(text, { 'x-kubernetes-list-type': 'set' }),
    { a: many(200_000, (at) => `v${at}`) },
  ],
];

/** Includes the copy of the object; the budget itself ends the work after about 20 ms. */
const LIMIT_MS = 500;

describe('validation by the schema of a custom resource', () => {
  it.each(BOMBS)('charges %s to the work budget', (_, props, object) => {
    const root = structuralOf(props);
    const spentMs = leastProcessorMs(LIMIT_MS, () => {
      const value = cloneJson(object);
      expect(() =>
        charged(new WorkBudget(), () => {
          applyStructuralDefaults(root, value);
          validateBySchema(root, value);
          validateLists(root, value);
        }),
      ).toThrow(WorkBudgetError);
    });
    expect(spentMs).toBeLessThan(LIMIT_MS);
  });

  it('charges little for an ordinary object', () => {
    const item: JSONSchemaProps = {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string', pattern: '^[a-z0-9-]+$' },
        port: { type: 'integer', default: 80 },
      },
    };
    const root = structuralOf(list(item));
    const value = { a: many(500, (at) => ({ name: `name-${at}` })) };
    const budget = new WorkBudget();
    const errors = charged(budget, () => {
      applyStructuralDefaults(root, value);
      return validateBySchema(root, value);
    });
    expect(errors).toEqual([]);
    expect(budget.spent).toBeLessThan(8_000);
  });
});
