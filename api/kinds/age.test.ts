import { describe, expect, it } from 'vitest';
import { humanDuration, translateTimestampSince } from './age.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('humanDuration', () => {
  it.each([
    [-2 * SECOND, '<invalid>'],
    [-1 * SECOND, '0s'],
    [0, '0s'],
    [119 * SECOND, '119s'],
    [2 * MINUTE, '2m'],
    [9 * MINUTE + 59 * SECOND, '9m59s'],
    [10 * MINUTE + 59 * SECOND, '10m'],
    [179 * MINUTE, '179m'],
    [3 * HOUR, '3h'],
    [7 * HOUR + 59 * MINUTE, '7h59m'],
    [8 * HOUR + MINUTE, '8h'],
    [47 * HOUR, '47h'],
    [2 * DAY, '2d'],
    [7 * DAY + 23 * HOUR, '7d23h'],
    [8 * DAY + HOUR, '8d'],
    [729 * DAY, '729d'],
    [730 * DAY, '2y'],
    [731 * DAY, '2y1d'],
    [8 * 365 * DAY + DAY, '8y'],
  ])('writes %d ms as %s', (ms, text) => {
    expect(humanDuration(ms)).toBe(text);
  });

  it('writes a missing timestamp as <unknown>', () => {
    expect(translateTimestampSince(null, 0)).toBe('<unknown>');
    expect(translateTimestampSince('1970-01-01T00:00:00Z', 5 * MINUTE)).toBe('5m');
  });
});
