import { describe, expect, it } from 'vitest';
import { createLruMap } from './lru-map.ts';

describe('LRU map', () => {
  it('drops only the least recently used entry above its limit', () => {
    const map = createLruMap<number>(2);
    map.set('a', 1);
    map.set('b', 2);
    expect(map.get('a')).toBe(1);
    map.set('c', 3);
    expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([1, undefined, 3]);
    expect(map.size).toBe(2);
  });

  it('counts a repeated set as a use', () => {
    const map = createLruMap<number>(2);
    map.set('a', 1);
    map.set('b', 2);
    map.set('a', 3);
    map.set('c', 4);
    expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([3, undefined, 4]);
  });

  it('deletes entries', () => {
    const map = createLruMap<number>(2);
    map.set('a', 1);
    map.set('b', 2);
    map.delete('a');
    map.delete('a');
    map.set('c', 3);
    expect([map.get('a'), map.get('b'), map.get('c'), map.size]).toEqual([undefined, 2, 3, 2]);
  });

  it('ignores properties inherited from Object.prototype', () => {
    expect(createLruMap<number>(1).get('__proto__')).toBeUndefined();
  });
});
