import { describe, expect, test } from 'vitest';
import { anything, optional, struct } from '../schema/schema.ts';
import { setOf } from './field-set.ts';
import { toFieldsV1 } from './fields-v1.ts';
import { appliedFields, reconcileFields, removeFields } from './merge.ts';
import { fieldElement } from './path-element.ts';
import { type Shape, keyShapes, shapeOf } from './shape.ts';

const text: Shape = { type: 'scalar', accepts: 'string' };
const map = (fields: { readonly [name: string]: Shape }): Shape => ({
  type: 'map',
  atomic: false,
  fields: () =>
    new Map(Object.entries(fields).map(([name, shape]) => [name, { shape, step: fieldElement(name) }])),
  element: () => undefined,
});

describe('reconcileFields', () => {
  test('collapses fields within a value that has become untyped', () => {
    const shape = map({ any: { type: 'free', element: undefined } });
    const owned = setOf(['f:any', 'f:below'], ['f:any', 'f:also', 'f:deeper']);
    expect(toFieldsV1(reconcileFields(shape, owned))).toEqual({ 'f:any': {} });
  });
});

describe('appliedFields', () => {
  test('treats a raw extension as one field', () => {
    const shape = shapeOf(struct('test.Revision', { data: optional(1, anything) }));
    const applied = appliedFields(shape, { data: { spec: { a: 1 } } });
    expect(toFieldsV1(applied)).toEqual({ 'f:data': {} });
  });
});

describe('removeFields', () => {
  test('removes items without remaining fields, because they would have no identity', () => {
    const rule = { type: 'map', keys: ['key'] } as const;
    const items = map({ key: text, value: text });
    const shape = map({
      list: { type: 'list', rule, items: () => items, keys: () => keyShapes(rule, () => 'none') },
    });
    const taken = setOf(['f:list', 'k:{"key":"none"}', 'f:value']);
    const other = { key: 'x', value: '2' };
    expect(removeFields(shape, { list: [{ value: '1' }, other] }, taken)).toEqual({ list: [other] });
    expect(removeFields(shape, { list: [{ value: '1' }] }, taken)).toEqual({ list: null });
  });
});
