import { describe, expect, it } from 'vitest';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSystemClock } from '../../base/clock/system.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { LONG } from '../../test/long.ts';
import { exploreController, walkController } from './explore-controller.ts';
import { subjectOf, workloads } from './scenarios/index.ts';

const WALKS = LONG ? 300 : 60;

/** A search of one workload that passes unless memory is found where there is none. */
function searchOf(workload: string) {
  const subject = subjectOf(workload, orchVocabulary, 1);
  if (!subject) throw new Error(`no workload ${workload}`);
  return { ...subject, lag: 1, conditions: true, maxStates: 100_000, clock: createSystemClock() };
}

describe('the search for hidden memory', () => {
  it.each(workloads)('finds none in an exploration of %s without faults', async (workload) => {
    const { verdict, ...found } = await exploreController({ ...searchOf(workload), faults: 0, leaders: 1 });
    expect([verdict, 'because' in found ? found.because : undefined]).toEqual(['pass', undefined]);
  });

  it.each(workloads)('finds none in walks of %s with three faults and two leaders', async (workload) => {
    const bounds = { faults: 3, leaders: 2, walks: WALKS, longest: 60, random: createSeededRandom(1) };
    const { walks, because } = await walkController({ ...searchOf(workload), ...bounds });
    expect([walks, because]).toEqual([WALKS, undefined]);
  });
});
