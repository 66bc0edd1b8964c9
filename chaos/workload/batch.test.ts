import { describe, expect, it } from 'vitest';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import type { Action } from '../world/user.ts';
import { CRON_JOBS, JOBS, cronJobs } from './batch.ts';
import { createDraw } from './draw.ts';
import { ownedObjects } from './families.ts';
import { HOUR, MINUTE, type Part } from './parts.ts';

const START_MS = Date.UTC(2026, 0, 1);

/** Returns the actions of a part in 60 seeds. */
const drawn = (part: Part): readonly (readonly Action[])[] =>
  Array.from({ length: 60 }, (_, seed) => {
    const random = createSeededRandom(seed);
    const settings = { vocabulary: orchVocabulary, startMs: START_MS, untilMs: HOUR, endsMs: HOUR };
    return part({ ...settings, random, draw: createDraw(random, {}) });
  });

describe('the Jobs of CronJobs', () => {
  const runs = drawn(cronJobs).flatMap((actions) =>
    actions
      .filter(({ resource }) => resource === JOBS)
      .map((action) => ({ action, of: actions.filter((each) => each.name === action.name) })),
  );

  it('are changed by users under the name and after the time of a run', () => {
    expect(runs.length).toBeGreaterThan(20);
    for (const { action } of runs) {
      const [, cronJob = '', minutes = ''] = /^(tick-\d)-(\d+)$/.exec(action.name) ?? [];
      expect(['tick-0', 'tick-1']).toContain(cronJob);
      expect(Number(minutes) % 10).toBe(0);
      expect(START_MS + action.atMs).toBeGreaterThan(Number(minutes) * MINUTE);
    }
  });

  it('are created by the controller alone, and deleted, orphaned and edited by users', () => {
    const verbs = new Set(runs.map(({ action }) => action.verb));
    expect(verbs).toEqual(new Set(['delete', 'patch']));
    expect(runs.some(({ action }) => JSON.stringify(action.patch)?.includes('ownerReferences'))).toBe(true);
  });

  it('are released by the user who holds them, after everything else', () => {
    const held = runs.filter(({ action }) => JSON.stringify(action.patch)?.includes('finalizers'));
    expect(held.length).toBeGreaterThan(3);
    for (const { of } of held) {
      const last = of.toSorted((a, b) => a.atMs - b.atMs).at(-1);
      expect(last?.withoutFinalizer).toBe('example.com/kept');
    }
  });

  it('belong to CronJobs that users create', () => {
    for (const actions of drawn(cronJobs))
      expect(actions.some(({ resource, verb }) => resource === CRON_JOBS && verb === 'create')).toBe(true);
  });
});

describe('an owner', () => {
  it('is recreated several times, each time with two heirs', () => {
    const counts = drawn(ownedObjects).map((actions) => {
      const born = (name: RegExp): readonly Action[] =>
        actions.filter((each) => each.verb === 'create' && name.test(each.name));
      const generations = born(/^owner-1$/).length - 1;
      expect(new Set(born(/^heir-/).map(({ name }) => name)).size).toBe(2 * generations);
      return generations;
    });
    expect(new Set(counts)).toEqual(new Set([0, 1, 2, 3]));
  });
});
