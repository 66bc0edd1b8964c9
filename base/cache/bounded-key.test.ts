import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundedKey } from './bounded-key.ts';

describe('bounded key', () => {
  it('equals a short string', () => {
    expect(boundedKey('')).toBe('');
    expect(boundedKey('a'.repeat(128))).toBe('a'.repeat(128));
  });

  it('is short and differs for different strings', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 1_000 }), fc.string({ maxLength: 1_000 }), (one, other) => {
        expect(boundedKey(one).length).toBeLessThanOrEqual(128);
        expect(boundedKey(one) === boundedKey(other)).toBe(one === other);
      }),
    );
    expect(boundedKey('x'.repeat(1_000))).not.toBe(boundedKey(`${'x'.repeat(999)}y`));
  });
});
