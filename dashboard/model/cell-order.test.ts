import { describe, expect, it } from 'vitest';
import { compareCells } from './cell-order.ts';

const sorted = (...cells: readonly string[]): readonly string[] => [...cells].sort(compareCells);

describe('compareCells', () => {
  it.each([
    ['ages by their length', ['9s', '2m', '110m', '3h5m', '2d', '1y3d']],
    ['numbers by value', ['-1', '0', '2', '10', '1000']],
    ['ready counts by their first number', ['0/3', '2/3', '10/10']],
    ['percentages by value', ['5%', '50%', '100%']],
    ['names with numbers in natural order', ['web-2', 'web-10', 'worker-1']],
    ['missing values last', ['a', 'b', '<none>']],
    ['numbers before texts', ['3', '20', 'unlimited']],
  ])('sorts %s', (_, cells) => {
    expect(sorted(...cells.toReversed())).toEqual(cells);
  });

  it('returns 0 for equal cells, and for two missing values', () => {
    expect([compareCells('5m', '5m'), compareCells('', '<unknown>')]).toEqual([0, 0]);
  });
});
