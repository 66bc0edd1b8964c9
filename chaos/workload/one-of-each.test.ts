import { describe, expect, it } from 'vitest';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { type Outcome, run } from '../run/run.ts';
import { loadSubject } from '../run/subject.ts';
import { recordedTape } from '../tape/tape.ts';
import { generateRichWorkload } from './generate.ts';
import { MINUTE, SECOND } from './parts.ts';
import { NO_ODDS } from '../world/faults.ts';

/** 2026-01-01, 20 s before the next due time of what is due every minute. */
const START_MS = Date.UTC(2026, 0, 1, 12, 0, 40);
const NOTHING_FAILS = {
  faults: [],
  budget: 0,
  odds: NO_ODDS,
  jitter: 0,
};

/** What users do within 36 s, and then all that it leads to within some minutes. */
async function live(seed: number): Promise<Outcome> {
  const subject = await loadSubject('orch', ['*']);
  const { controllers } = subject;
  const making = {
    random: createSeededRandom(seed),
    vocabulary: orchVocabulary,
    startMs: START_MS,
    untilMs: 36_000,
    endsMs: MINUTE,
  };
  return run({
    scenario: {
      product: 'orch',
      seed,
      startMs: START_MS,
      controllers,
      managers: 1,
      bookmarks: false,
      faultsMs: 40_000,
      // Up to 10 s before the next due time: what was due before that has come to its end.
      calmMs: 3 * MINUTE + 30 * SECOND,
      restarts: false,
      workload: generateRichWorkload(controllers, making),
    },
    subject,
    tape: recordedTape([]),
    swarm: NOTHING_FAILS,
  });
}

/** By a second look at every key, faults, the leases of several managers, and what takes longer. */
const BY_OTHERS = [
  'generic/G4',
  'generic/G14',
  'leaderelection/LE1',
  'leaderelection/LE2',
  'leaderelection/LE3',
  'resourcequota/E1',
];

describe('what users do in the one run that there is', () => {
  it('puts every invariant to the test that one process and some minutes can', async () => {
    const outcomes = [await live(1), await live(2)];
    expect(outcomes.map(({ verdict }) => verdict)).toEqual(['PASS', 'PASS']);
    const reached = outcomes.flatMap(({ tallies }) => tallies.filter((each) => each.reached > 0));
    const all = outcomes.flatMap(({ tallies }) => tallies.map(({ id }) => id));
    const vacuous = [...new Set(all)].filter((id) => !reached.some((each) => each.id === id));
    expect(vacuous).toEqual(BY_OTHERS);
  });
});
