import { describe, expect, it } from 'vitest';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { type Weights, createDraw } from './draw.ts';

const OPTIONS = ['edit', 'undo', 'delete'];

/** Returns how often each option is chosen in 1,000 draws. */
function countsOf(weights: Weights): Readonly<Record<string, number>> {
  const draw = createDraw(createSeededRandom(1), weights);
  const counts: Record<string, number> = {};
  for (let i = 0; i < 1_000; i++) {
    const option = draw.one('move', OPTIONS);
    counts[option] = (counts[option] ?? 0) + 1;
  }
  return counts;
}

describe('a draw', () => {
  it('chooses a weighted option more often and still chooses every option', () => {
    const counts = countsOf({ 'move=undo': 4 });
    expect(counts['undo']).toBeGreaterThan(600);
    expect(Math.min(...OPTIONS.map((option) => counts[option] ?? 0))).toBeGreaterThan(100);
  });

  it('chooses options without weights equally often', () => {
    for (const option of OPTIONS) expect(countsOf({})[option]).toBeGreaterThan(280);
  });

  it('makes a weighted chance more likely', () => {
    const chances = (weights: Weights): number => {
      const draw = createDraw(createSeededRandom(2), weights);
      return Array.from({ length: 1_000 }, () => draw.once('held', 8)).filter(Boolean).length;
    };
    expect(chances({ 'held=true': 4 })).toBeGreaterThan(2 * chances({}));
  });

  it('records the features of chosen options only', () => {
    const draw = createDraw(createSeededRandom(3), {});
    const option = draw.one('spec.suspend', [null]);
    expect(option).toBeNull();
    expect([...draw.features]).toEqual(['spec.suspend=null']);
  });
});
