import { describe, expect, it } from 'vitest';
import { createWeightSum } from './weights.ts';

const NOTHING = { states: {}, transitions: {}, requests: {}, strikes: {}, moves: {} };

/**
 * Returns the weights of 100 seeds. Every twenty-fifth seed reaches a rare premise and has an additional
 * feature.
 */
function weightsOf(usual: string, rare: string, isReversed: boolean) {
  const sum = createWeightSum();
  const seeds = Array.from({ length: 400 }, (_, seed) => seed);
  for (const seed of isReversed ? seeds.toReversed() : seeds)
    sum.add({
      features: seed % 25 === 0 ? [usual, rare] : [usual],
      premises: seed % 25 === 0 ? ['usual', 'rare'] : ['usual'],
      observed: NOTHING,
    });
  return sum.weights();
}

describe('the weights of features', () => {
  it('are higher for a feature whose seeds reach rare premises', () => {
    expect(weightsOf('suspend=false', 'suspend=true', false)).toEqual({ 'suspend=true': 4 });
  });

  it('do not depend on the order of the seeds', () => {
    expect(weightsOf('a', 'b', true)).toEqual(weightsOf('a', 'b', false));
  });

  it('omit a feature of too few seeds', () => {
    const sum = createWeightSum();
    for (let seed = 0; seed < 100; seed++)
      sum.add({
        features: seed === 0 ? ['new'] : ['old'],
        premises: seed === 0 ? ['rare'] : [],
        observed: NOTHING,
      });
    expect(sum.weights()).toEqual({});
  });
});
