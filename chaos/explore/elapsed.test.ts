import { describe, expect, it } from 'vitest';
import { MONOTONIC_NOW, WHILE_MS, aged } from './elapsed.ts';

describe('what a controller remembers of the monotonic clock', () => {
  it('is as much older as time has passed, and beyond what anybody waits for equally old', () => {
    const memory = [[['a', { sinceMs: MONOTONIC_NOW }]]];
    expect(aged(memory, 2_000)).toEqual([[['a', { sinceMs: MONOTONIC_NOW - 2_000 }]]]);
    expect(aged(memory, WHILE_MS)).toEqual(aged(aged(memory, WHILE_MS), WHILE_MS));
  });

  it('ends a delay that was added to it', () => {
    expect(aged({ untilMs: MONOTONIC_NOW + 1_000 }, WHILE_MS).untilMs).toBeLessThan(MONOTONIC_NOW);
  });

  it('is told from other numbers: what holds no reading stays the same object', () => {
    const memory = [['a', { count: 3, atMs: Date.UTC(2026, 2, 2), name: 'x', none: null }]];
    expect(aged(memory, WHILE_MS)).toBe(memory);
  });
});
