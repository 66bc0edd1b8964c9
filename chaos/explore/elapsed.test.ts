import { describe, expect, it } from 'vitest';
import { MONOTONIC_NOW, WHILE_MS, aged } from './elapsed.ts';

describe('a monotonic clock reading in controller memory', () => {
  it('ages by the elapsed time, up to an age that no wait of a controller exceeds', () => {
    const memory = [[['a', { sinceMs: MONOTONIC_NOW }]]];
    expect(aged(memory, 2_000)).toEqual([[['a', { sinceMs: MONOTONIC_NOW - 2_000 }]]]);
    expect(aged(memory, WHILE_MS)).toEqual(aged(aged(memory, WHILE_MS), WHILE_MS));
  });

  it('ends a delay that was added to it', () => {
    expect(aged({ untilMs: MONOTONIC_NOW + 1_000 }, WHILE_MS).untilMs).toBeLessThan(MONOTONIC_NOW);
  });

  it('is distinguished from other numbers, and a memory without a reading stays the same object', () => {
    const memory = [['a', { count: 3, atMs: Date.UTC(2026, 2, 2), name: 'x', none: null }]];
    expect(aged(memory, WHILE_MS)).toBe(memory);
  });
});
