import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../schema/own.ts';
import { compareConfigurations } from './reapplied.ts';

const json = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }));

describe('compareConfigurations', () => {
  test('reports an equal configuration as one unchanged part', () => {
    const config = { kind: 'A', spec: { items: [{ name: 'x' }] } };
    const { copy } = compareConfigurations(config, undefined);
    const again = structuredClone(config);
    const { same, copy: second } = compareConfigurations(again, copy);
    expect([...same]).toEqual([again.spec]);
    expect(second['spec']).toBe(copy['spec']);
  });

  test('reports the largest equal parts of a changed configuration', () => {
    const before = { spec: { a: { x: 1 }, items: [{ name: 'x' }, { name: 'y' }] } };
    const { copy } = compareConfigurations(before, undefined);
    const after = { spec: { a: { x: 1 }, items: [{ name: 'x' }, { name: 'z' }] } };
    const { same } = compareConfigurations(after, copy);
    expect(same).toEqual(new Set<unknown>([after.spec.a, after.spec.items[0]]));
  });

  test('reports no unchanged parts of a changed item, which may be a different item', () => {
    const [x, y] = [{ cpu: '1' }, { cpu: '2' }];
    const { copy } = compareConfigurations({ spec: { items: [{ name: 'a', limits: x }] } }, undefined);
    const moved = {
      spec: {
        items: [
          { name: 'b', limits: structuredClone(x) },
          { name: 'a', limits: y },
        ],
      },
    };
    expect(compareConfigurations(moved, copy).same.size).toBe(0);
  });

  test('reports no unchanged parts of a map from which a member was removed', () => {
    const { copy } = compareConfigurations({ spec: { a: 1, b: 2 } }, undefined);
    expect(compareConfigurations({ spec: { a: 1 } }, copy).same.size).toBe(0);
  });

  test('excludes metadata, because the server changes it', () => {
    const config = { metadata: { labels: { a: '1' } } };
    const { copy } = compareConfigurations(config, undefined);
    expect(compareConfigurations(structuredClone(config), copy).same.size).toBe(0);
  });

  test('copies the configuration and shares only equal parts', () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        const first = compareConfigurations(before, undefined);
        const second = compareConfigurations(after, first.copy);
        expect(second.copy).toEqual(after);
        expect(first.copy).toEqual(before);
        const parts = new Set(partsOf(before).map((part) => JSON.stringify(part)));
        for (const part of second.same) expect(parts).toContain(JSON.stringify(part));
      }),
    );
  });
});

const partsOf = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null
    ? [value, ...Object.values(value as JsonObject).flatMap(partsOf)]
    : [];
