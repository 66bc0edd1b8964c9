import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dealHand, hashFlow } from './shuffle-sharding.ts';

/** Deals a hand from an actual deck of cards. */
function draw(hash: bigint, deck: number, size: number): number[] {
  const cards = Array.from({ length: deck }, (_, card) => card);
  let left = hash;
  return Array.from({ length: size }, () => {
    const position = Number(left % BigInt(cards.length));
    left /= BigInt(cards.length);
    return cards.splice(position, 1)[0] ?? -1;
  });
}

describe('dealHand', () => {
  it('deals the same cards as an actual deck, for any hash', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 1, max: 12 }),
        (hash, deck, wanted) => {
          const size = Math.min(wanted, deck);
          const hand = dealHand(hash, deck, size);
          expect(hand).toEqual(draw(hash, deck, size));
          expect(new Set(hand).size).toBe(size);
        },
      ),
    );
  });

  it('deals all queues equally often', () => {
    const dealt = Array.from({ length: 64 }, () => 0);
    for (let user = 0; user < 4_000; user++)
      for (const queue of dealHand(hashFlow('schema', `user-${user}`), 64, 6))
        dealt[queue] = (dealt[queue] ?? 0) + 1;
    const mean = (4_000 * 6) / 64;
    expect(Math.min(...dealt)).toBeGreaterThan(mean * 0.8);
    expect(Math.max(...dealt)).toBeLessThan(mean * 1.2);
  });
});

describe('hashFlow', () => {
  it('returns the first 64 bits of SHA-256, little-endian, of schema and distinguisher with a zero byte between', () => {
    // printf 'global-default\0alice' | sha256sum
    expect(hashFlow('global-default', 'alice').toString(16)).toBe('f4de3bd42ccdf6b7');
  });

  it('distinguishes pairs of names with equal concatenations', () => {
    expect(hashFlow('a', 'bc')).not.toBe(hashFlow('ab', 'c'));
  });
});
