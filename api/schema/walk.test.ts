import { describe, expect, it } from 'vitest';
import { anything, listOf, mapOf, optional, ref, string, struct, value } from './schema.ts';
import { fieldOf, isAtomicMap, listRuleOf, patchRuleOf, placeAt } from './walk.ts';

const Item = struct('v1.Item', { name: value(1, string) }, { mapType: 'atomic' });
const Root = struct('v1.Root', {
  items: value(1, listOf(ref(Item)), { patchStrategy: ['merge', 'retainKeys'], patchMergeKey: 'name' }),
  labels: value(2, mapOf(string)),
  item: optional(3, ref(Item), { mapType: 'granular' }),
  raw: optional(4, anything),
});

describe('placeAt', () => {
  it('follows fields, items and map keys', () => {
    expect(placeAt(Root, [])?.schema).toBe(Root);
    expect(placeAt(Root, ['items', 3, 'name'])).toEqual({ schema: string, field: fieldOf(Item, 'name') });
    expect(placeAt(Root, ['labels', 'any/key'])).toEqual({ schema: string, field: undefined });
  });

  it('returns undefined if the path leaves the schema', () => {
    for (const path of [['nothing'], ['items', 'name'], ['labels', 0], ['raw', 'x'], ['toString']]) {
      expect(placeAt(Root, path)).toBeUndefined();
    }
  });
});

describe('patchRuleOf', () => {
  it('separates retainKeys from the strategy', () => {
    expect(patchRuleOf(Root.fields.items.options)).toEqual({
      strategy: 'merge',
      retainKeys: true,
      mergeKey: 'name',
    });
    expect(patchRuleOf({})).toEqual({ strategy: undefined, retainKeys: false, mergeKey: undefined });
  });
});

describe('listRuleOf', () => {
  it('prefers the declared list type to the patch strategy', () => {
    expect(listRuleOf({ listType: 'atomic', patchStrategy: ['merge'] })).toEqual({ type: 'atomic' });
    expect(listRuleOf({ listType: 'map', listMapKeys: ['a', 'b'] })).toEqual({
      type: 'map',
      keys: ['a', 'b'],
    });
  });

  it('treats a merged list with a merge key as a map, one without a merge key as a set, and any other list as atomic', () => {
    expect(listRuleOf({ patchStrategy: ['merge'], patchMergeKey: 'uid' })).toEqual({
      type: 'map',
      keys: ['uid'],
    });
    expect(listRuleOf({ patchStrategy: ['merge'] })).toEqual({ type: 'set' });
    expect(listRuleOf({ patchStrategy: ['replace'] })).toEqual({ type: 'atomic' });
    expect(listRuleOf({})).toEqual({ type: 'atomic' });
  });
});

describe('isAtomicMap', () => {
  it("prefers the field's declaration to the type's", () => {
    expect(isAtomicMap(undefined, Item)).toBe(true);
    expect(isAtomicMap(Root.fields.item, Root.fields.item.schema)).toBe(false);
    expect(isAtomicMap(undefined, Root)).toBe(false);
  });
});
