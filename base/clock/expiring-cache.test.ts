import { describe, expect, it } from 'vitest';
import { createExpiringCache } from './expiring-cache.ts';
import { createSimulatedClock } from './simulated.ts';

describe('expiring cache', () => {
  it('returns a value until it expires', async () => {
    const clock = createSimulatedClock();
    const cache = createExpiringCache<number>(clock, 10);
    cache.set('a', 1, 100);
    await clock.advance(99);
    expect(cache.get('a')).toBe(1);
    await clock.advance(1);
    expect(cache.get('a')).toBeUndefined();
    expect(cache.size).toBe(0);
  });

  it('drops the least recently used entry above its limit', () => {
    const cache = createExpiringCache<number>(createSimulatedClock(), 2);
    cache.set('a', 1, 100);
    cache.set('b', 2, 100);
    cache.get('a');
    cache.set('c', 3, 100);
    expect([cache.get('a'), cache.get('b'), cache.get('c'), cache.size]).toEqual([1, undefined, 3, 2]);
  });

  it('ignores a value with lifetime 0, and returns the latest value of a key', () => {
    const cache = createExpiringCache<number>(createSimulatedClock(), 2);
    cache.set('a', 1, 0);
    expect(cache.get('a')).toBeUndefined();
    cache.set('a', 1, 100);
    cache.set('a', 2, 100);
    expect([cache.get('a'), cache.size]).toEqual([2, 1]);
  });
});
