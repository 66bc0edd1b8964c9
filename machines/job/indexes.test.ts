import { describe, expect, it } from 'vitest';
import { formatIndexes, parseIndexes } from './indexes.ts';

describe('completion indexes', () => {
  it.each([
    [[], ''],
    [[0], '0'],
    [[0, 1], '0,1'],
    [[1, 3, 4, 5, 7], '1,3-5,7'],
    [[0, 1, 3, 4, 5, 6], '0,1,3-6'],
  ])('%j are formatted as %j and parsed to the same indexes', (indexes, text) => {
    expect(formatIndexes(indexes)).toBe(text);
    expect(parseIndexes(text, 10)).toEqual(indexes);
  });

  it('are read without entries that are not an index or not below the completions', () => {
    expect(parseIndexes('a,2-,1,-3,4-9,1', 6)).toEqual([1, 4, 5]);
  });

  it('are read from a range of any size only up to the completions', () => {
    expect(parseIndexes('0-99999999999', 3)).toEqual([0, 1, 2]);
  });
});
