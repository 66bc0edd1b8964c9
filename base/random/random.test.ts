import { describe, expect, it } from 'vitest';
import { nameSuffix } from './random.ts';
import { createSeededRandom } from './seeded.ts';
import { createSystemRandom } from './system.ts';

const draws = (seed: number): readonly unknown[] => {
  const random = createSeededRandom(seed);
  return [random.next(), random.int(100), random.uuid(), [...random.bytes(4)]];
};

describe('randomness', () => {
  it('has equal results for equal seeds, and different results for different seeds', () => {
    expect(draws(7)).toEqual(draws(7));
    expect(draws(7)).not.toEqual(draws(8));
  });

  it.each([
    ['seeded', createSeededRandom(3)],
    ['system', createSystemRandom()],
  ])('has UUIDs of version 4 and numbers within bounds: %s', (_, random) => {
    for (let i = 0; i < 100; i++) {
      expect(random.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(random.int(3)).toBeLessThan(3);
      expect(random.next()).toBeLessThan(1);
    }
  });

  it('has name suffixes of five characters without words', () => {
    expect(nameSuffix(createSystemRandom())).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });
});
