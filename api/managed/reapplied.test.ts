import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../schema/own.ts';
import { compareConfigurations } from './reapplied.ts';

const json = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }));

describe('a configuration that is applied again', () => {
  test('has everything in common with an equal one', () => {
    const config = { kind: 'A', spec: { items: [{ name: 'x' }] } };
    const { copy } = compareConfigurations(config, undefined);
    const again = structuredClone(config);
    const { same, copy: second } = compareConfigurations(again, copy);
    expect([...same]).toEqual([again.spec]);
    expect(second['spec']).toBe(copy['spec']);
  });

  test('shares with a changed one the largest parts that are equal', () => {
    const before = { spec: { a: { x: 1 }, items: [{ name: 'x' }, { name: 'y' }] } };
    const { copy } = compareConfigurations(before, undefined);
    const after = { spec: { a: { x: 1 }, items: [{ name: 'x' }, { name: 'z' }] } };
    const { same } = compareConfigurations(after, copy);
    expect(same).toEqual(new Set<unknown>([after.spec.a, after.spec.items[0]]));
  });

  test('shares nothing of an item that differs: another one may stand in its place', () => {
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

  test('has nothing in common when a member has gone', () => {
    const { copy } = compareConfigurations({ spec: { a: 1, b: 2 } }, undefined);
    expect(compareConfigurations({ spec: { a: 1 } }, copy).same.size).toBe(0);
  });

  test('shares nothing of metadata, which the server says much about', () => {
    const config = { metadata: { labels: { a: '1' } } };
    const { copy } = compareConfigurations(config, undefined);
    expect(compareConfigurations(structuredClone(config), copy).same.size).toBe(0);
  });

  test('is copied as it is, and what it shares is equal', () => {
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
