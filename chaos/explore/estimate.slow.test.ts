import { describe, expect, it } from 'vitest';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSystemClock } from '../../base/clock/system.ts';
import type { Bounds } from './estimate.ts';
import { estimate, smallerThan } from './estimate.ts';
import { exploreController } from './explore-controller.ts';
import { subjectOf } from './scenarios/index.ts';

const bounds = { controller: 'garbagecollector', objects: 2, faults: 2, lag: 1, leaders: 1 };

function explored({ controller, objects, ...rest }: Bounds) {
  const subject = subjectOf(controller, orchVocabulary, objects);
  if (!subject) throw new Error(`no controller ${controller}`);
  return exploreController({ ...subject, ...rest, maxStates: 100_000, clock: createSystemClock() });
}

async function estimated(of: Bounds) {
  const smaller = smallerThan(of);
  if (!smaller) throw new Error('nothing is smaller');
  const unstruck = await explored(smaller.unstruck);
  const struck = await explored(smaller.struck);
  const calm = await explored(smaller.calm);
  return estimate(of, { calm, unstruck, struck });
}

describe('the estimate of a search', () => {
  it('extrapolates from the same search with fewer faults', () => {
    const calm = { ...bounds, faults: 0 };
    const smaller = smallerThan(bounds);
    expect(smaller).toEqual({ calm, unstruck: calm, struck: { ...bounds, faults: 1 } });
    expect(smaller?.calm).toBe(smaller?.unstruck);
  });

  it('measures the effect of a fault with one leader if the search has several', () => {
    expect(smallerThan({ ...bounds, leaders: 2 })).toEqual({
      calm: { ...bounds, leaders: 2, faults: 0 },
      unstruck: { ...bounds, faults: 0 },
      struck: { ...bounds, faults: 1 },
    });
  });

  it('measures the effect of a fault with a smaller `--lag` if the search allows one fault', () => {
    expect(smallerThan({ ...bounds, faults: 1 })).toEqual({
      calm: { ...bounds, faults: 0 },
      unstruck: { ...bounds, faults: 0, lag: 0 },
      struck: { ...bounds, faults: 1, lag: 0 },
    });
  });

  it('is undefined if there is no smaller search', () => {
    expect(smallerThan({ ...bounds, faults: 0 })).toBeUndefined();
    expect(smallerThan({ ...bounds, faults: 1, lag: 0 })).toBeUndefined();
  });

  it('does not grow with faults that cannot occur', () => {
    const size = { states: 10, ms: 5, characters: 100 };
    expect(estimate(bounds, { calm: size, unstruck: size, struck: size })).toEqual(size);
  });

  it('grows with the number of places for the next fault, independently of the order of faults', () => {
    const calm = { states: 10, ms: 5, characters: 100 };
    const struck = { states: 50, ms: 100, characters: 300 };
    // With four places, there are one state without a fault, four with one, and eight with two.
    expect(estimate(bounds, { calm, unstruck: calm, struck })).toEqual({
      states: 130,
      ms: 260,
      characters: 780,
    });
  });

  it.each<[string, Bounds]>([
    ['two faults', bounds],
    ['one fault', { ...bounds, faults: 1 }],
    ['two leaders', { ...bounds, leaders: 2, faults: 1 }],
    ['another controller', { ...bounds, controller: 'csrcleaner' }],
  ])('is within a factor of two of the actual size: %s', async (_, of) => {
    const { states } = await explored(of);
    const expected = await estimated(of);
    expect(states).toBeGreaterThan(expected.states / 2);
    expect(states).toBeLessThan(expected.states * 2);
  });
});
