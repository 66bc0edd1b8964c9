import { describe, expect, it } from 'vitest';
import { deepFreeze } from './deep-freeze.ts';

describe('deepFreeze', () => {
  it('freezes nested objects and lists, including an own __proto__', () => {
    const value = deepFreeze(JSON.parse('{"a":[{"b":{}},[1]],"__proto__":{"c":{}},"d":null}')) as Record<
      string,
      never
    >;
    const parts = (of: unknown): unknown[] =>
      typeof of === 'object' && of !== null ? [of, ...Object.values(of).flatMap(parts)] : [];
    expect(parts(value)).toHaveLength(7);
    expect(parts(value).filter((part) => !Object.isFrozen(part))).toEqual([]);
  });

  it('handles deeply nested values', () => {
    let deep: unknown[] = [];
    for (let depth = 0; depth < 100_000; depth++) deep = [deep];
    expect(Object.isFrozen(deepFreeze(deep)[0])).toBe(true);
  });
});
