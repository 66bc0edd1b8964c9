import { describe, expect, it } from 'vitest';
import { bootstrapTokenExpiryMs } from './expiry.ts';

const NOON = Date.UTC(2026, 2, 1, 12);
const encode = (text: string): string => Buffer.from(text).toString('base64');

describe('bootstrapTokenExpiryMs', () => {
  it.each([
    ['2026-03-01T12:00:00Z', NOON],
    ['2026-03-01T13:00:00+01:00', NOON],
    ['2026-03-01T12:00:00.25Z', NOON + 250],
    ['2026-03-01T12:00:00,5Z', NOON + 500],
    ['', Infinity],
    ['soon', -Infinity],
    ['2999-01-01', -Infinity],
    ['2999-01-01T00:00Z', -Infinity],
    ['2999-01-01T00:00:00', -Infinity],
    ['2999-01-01 00:00:00Z', -Infinity],
    ['2999-13-01T00:00:00Z', -Infinity],
    ['32472144000', -Infinity],
  ])('returns for the expiration %j the time %d', (expiration, atMs) => {
    expect(bootstrapTokenExpiryMs({ data: { expiration: encode(expiration) } })).toBe(atMs);
  });

  it('returns Infinity for a token without an expiration', () => {
    expect(bootstrapTokenExpiryMs({})).toBe(Infinity);
  });
});
