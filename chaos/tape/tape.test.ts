import { describe, expect, it } from 'vitest';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { type Tape, editedTape, randomTape, recordedTape } from './tape.ts';
import { minimize } from './shrink.ts';

/** Makes choices of two kinds, twenty of each. */
const ask = (tape: Tape): readonly number[] =>
  Array.from({ length: 20 }, () => [tape.choose('a', 5), tape.choose('b', 2)]).flat();

describe('a tape', () => {
  it('makes the same random choices for the same seed and records all but the calm ones', () => {
    const first = randomTape(createSeededRandom(7));
    const chosen = ask(first);
    expect(ask(randomTape(createSeededRandom(7)))).toEqual(chosen);
    expect(ask(randomTape(createSeededRandom(8)))).not.toEqual(chosen);
    expect(first.draws).toBe(40);
    expect(first.deviations().map(({ took }) => took)).toEqual(chosen.filter((took) => took !== 0));
  });

  it('repeats the choices of a record', () => {
    const first = randomTape(createSeededRandom(7));
    const chosen = ask(first);
    const again = recordedTape(first.deviations());
    expect(ask(again)).toEqual(chosen);
    expect(again.deviations()).toEqual(first.deviations());
  });

  it('rejects a choice that differs from its record', () => {
    const record = [{ at: 1, label: 'b', nth: 0, of: 3, took: 2 }];
    const otherLabel = recordedTape(record);
    otherLabel.choose('a', 3);
    expect(() => otherLabel.choose('c', 3)).toThrow('choice 1 was "b" among 3 and is now "c" among 3');
    const otherNumber = recordedTape(record);
    otherNumber.choose('a', 3);
    expect(() => otherNumber.choose('b', 2)).toThrow('is now "b" among 2');
  });

  it('finds a recorded choice by its label, even if it moved', () => {
    const tape = editedTape([
      { at: 90, label: 'b', nth: 1, of: 3, took: 2 },
      { at: 91, label: 'a', nth: 0, of: 9, took: 8 },
    ]);
    expect([tape.choose('b', 3), tape.choose('a', 4), tape.choose('b', 3)]).toEqual([0, 0, 2]);
  });

  it('rejects a choice from zero options', () => {
    expect(() => randomTape(createSeededRandom(1)).choose('a', 0)).toThrow('expected at least 1');
  });
});

describe('delta debugging', () => {
  const numbers = Array.from({ length: 100 }, (_, i) => i);

  it.each([[[13]], [[3, 97]], [[0, 1, 2, 50, 99]], [[]]])(
    'finds exactly the necessary items: %j',
    async (needed: readonly number[]) => {
      const fails = async (part: readonly number[]) => needed.every((each) => part.includes(each));
      expect(await minimize(numbers, fails)).toEqual({ part: needed, minimal: true });
    },
  );

  it('marks the result as not minimal if it is stopped', async () => {
    const fails = async (part: readonly number[]) => part.length >= 50;
    let asked = 0;
    const { part, minimal } = await minimize(numbers, fails, () => asked++ < 10);
    expect(minimal).toBe(false);
    expect(part.length).toBeGreaterThanOrEqual(50);
  });
});
