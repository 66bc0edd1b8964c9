import { describe, expect, it } from 'vitest';
import { momentToCome, offsetText, wallTime } from './moments.ts';

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

describe('wallTime', () => {
  it('formats the time in the zone before and after its clock is moved forward', () => {
    const before = Date.UTC(2026, 2, 29, 0, 30);
    expect(wallTime(before, 3_600_000)).toBe('Sun, 29 Mar 2026, 01:30:00');
    expect(wallTime(before + 3_600_000, 7_200_000)).toBe('Sun, 29 Mar 2026, 03:30:00');
  });
});

describe('offsetText', () => {
  it.each([
    [0, 'UTC+00:00'],
    [5.5 * 3_600_000, 'UTC+05:30'],
    [-3_600_000 * 4, 'UTC−04:00'],
  ])('formats %d ms as %s', (offsetMs, text) => {
    expect(offsetText(offsetMs)).toBe(text);
  });
});
