import { describe, expect, test } from 'vitest';
import { compareValues } from './compare.ts';
import { pathsOf } from './field-set.ts';
import { printPath } from './path-element.ts';
import { DEDUCED } from './shape.ts';

/** Returns the added, modified and removed paths. */
const change = (left: unknown, right: unknown): string[][] => {
  const { added, modified, removed } = compareValues(DEDUCED, { a: left }, { a: right });
  return [added, modified, removed].map((set) => pathsOf(set).map(printPath));
};

describe('compareValues without a schema', () => {
  // All paths within a replaced map must be removed. Otherwise the owner of a field of the map would own the
  // field forever.
  test.each<[unknown, unknown, string[][]]>([
    [{ b: 1, c: { d: 2 } }, ['x'], [[], ['.a'], ['.a.b', '.a.c', '.a.c.d']]],
    [{ b: 1 }, 'x', [[], ['.a'], ['.a.b']]],
    ['x', { b: 1 }, [['.a.b'], ['.a'], []]],
    [['x'], {}, [[], ['.a'], []]],
    [{}, 'x', [[], ['.a'], []]],
    ['x', ['x'], [[], ['.a'], []]],
    [null, { b: 1 }, [['.a.b'], [], []]],
  ])('compares %j with %j', (left, right, expected) => {
    expect(change(left, right)).toEqual(expected);
  });
});
