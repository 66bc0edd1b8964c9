import { describe, expect, it } from 'vitest';
import { CACHE_SECONDS, cacheSeconds, suits } from './ttl.ts';

describe('cacheSeconds and suits', () => {
  it.each([
    [1, 0],
    [100, 0],
    [101, 15],
    [500, 15],
    [501, 30],
    [1_000, 30],
    [1_001, 60],
    [2_000, 60],
    [2_001, 300],
    [100_000, 300],
  ])('select, for a cluster of %i nodes, a cache time of %i s', (nodes, seconds) => {
    expect(cacheSeconds(nodes)).toBe(seconds);
    expect(suits(seconds, nodes)).toBe(true);
  });

  it.each([
    [15, 89, false],
    [15, 90, true],
    [30, 449, false],
    [30, 450, true],
    [60, 899, false],
    [60, 900, true],
    [300, 1_799, false],
    [300, 1_800, true],
    [7, 50, false],
    [undefined, 50, false],
  ])('accept a cache time of %s s in a cluster of %i nodes: %s', (seconds, nodes, kept) => {
    expect(suits(seconds, nodes)).toBe(kept);
  });

  it('change the cache time once while the number of nodes alternates around a limit', () => {
    let seconds = cacheSeconds(100);
    const written = [101, 100, 101, 95, 101].filter((nodes) => {
      if (suits(seconds, nodes)) return false;
      seconds = cacheSeconds(nodes);
      return true;
    });
    expect(written).toEqual([101]);
    expect(CACHE_SECONDS).toContain(seconds);
  });
});
