import { describe, expect, it } from 'vitest';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { type Outcome, run } from '../run/run.ts';
import { loadSubject } from '../run/subject.ts';
import { recordedTape } from '../tape/tape.ts';
import { generateRichWorkload } from './generate.ts';
import { MINUTE, SECOND } from './parts.ts';
import { NO_ODDS } from '../world/faults.ts';

/** 2026-01-01, 20 s before the next full minute. */
const START_MS = Date.UTC(2026, 0, 1, 12, 0, 40);
const NOTHING_FAILS = {
  faults: [],
  budget: 0,
  odds: NO_ODDS,
  jitter: 0,
};

/** Runs 36 s of actions, and a few minutes of their consequences. */
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
      // The run ends 10 s before a full minute, when earlier Jobs are done.
      calmMs: 3 * MINUTE + 30 * SECOND,
      restarts: false,
      workload: generateRichWorkload(controllers, making),
    },
    subject,
    tape: recordedTape([]),
    swarm: NOTHING_FAILS,
  });
}

/** Invariants that need bookmarks, repeated keys, faults, several managers or a longer run. */
const BY_OTHERS = [
  'generic/no-write-after-resync',
  'generic/retries-back-off',
  'choice/job-keeps-oldest-pod',
  'pace/job-replaces-pods-slowly',
  'process/bookmark-is-no-object',
  'process/failing-read-backs-off',
  'process/no-unsafe-repetition',
  'requests/no-twin',
  'requests/no-swallowed-failure',
  'pace/failed-request-backs-off',
  'held/no-orphaning-owner',
  'held/no-unblocked-owner',
  'leaderelection/one-leader',
  'leaderelection/no-request-after-expiry',
  'leaderelection/some-leader',
  'resourcequota/correct-usage',
];

describe('the rich workload', () => {
  it('reaches the premise of every invariant that one process can reach within minutes', async () => {
    const outcomes = [];
    for (const seed of [1, 2, 3, 4, 5, 6]) outcomes.push(await live(seed));
    expect(outcomes.map(({ verdict }) => verdict)).toEqual(outcomes.map(() => 'PASS'));
    const reached = outcomes.flatMap(({ tallies }) => tallies.filter((each) => each.reached > 0));
    const all = outcomes.flatMap(({ tallies }) => tallies.map(({ id }) => id));
    const vacuous = [...new Set(all)].filter((id) => !reached.some((each) => each.id === id));
    expect(vacuous.sort()).toEqual(BY_OTHERS.toSorted());
  });
});
