import { describe, expect, it } from 'vitest';
import { momentToCome } from './moments.ts';

const at = (...parts: [number, number, number, number, number]): number => new Date(...parts).getTime();

describe('momentToCome', () => {
  const nowMs = at(2026, 10, 23, 8, 11);

  it('returns the time of day on the same day', () => {
    expect(momentToCome(at(2026, 10, 23, 23, 59), nowMs)).toBe('23:59:00.000');
  });

  it.each([
    [at(2026, 10, 24, 8, 11), '24 Nov 2026, 08:11'],
    [at(2027, 0, 1, 0, 0), '1 Jan 2027, 00:00'],
  ])('adds the date on another day', (ms, text) => {
    expect(momentToCome(ms, nowMs)).toBe(text);
  });
});
