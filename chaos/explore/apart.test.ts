import { describe, expect, it } from 'vitest';
import { configMaps, secrets } from '../../api/groups/core-v1.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSystemClock } from '../../base/clock/system.ts';
import type { ControllerDefinition } from '../../runtime/index.ts';
import { type Invariant, invariant, isOf, verdict } from '../invariants/invariant.ts';
import { inGroups } from './actions.ts';
import { type GroupSearch, exploreController, exploreNth } from './explore-controller.ts';
import { listing, looking } from './looking.fixture.ts';
import { subjectOf } from './scenarios/index.ts';
import type { Scenario } from './scenario.ts';

const subject = subjectOf('tokencleaner', orchVocabulary, 2);
if (!subject) throw new Error('the token cleaner has no workload');
const { definition } = subject;
const [first, second] = subject.scenario.groups ?? [];
/** A workload with a single user action. */
const scenario: Scenario = {
  ...subject.scenario,
  ...inGroups([
    { objects: first?.objects ?? [], actions: first?.actions.slice(0, 1) ?? [] },
    { objects: second?.objects ?? [], actions: [] },
  ]),
};

interface Changed {
  readonly definition?: ControllerDefinition;
  readonly scenario?: Partial<Scenario>;
  readonly apart?: boolean;
  readonly maxStates?: number;
}

const explored = (changed: Changed = {}) =>
  exploreController({
    definition: changed.definition ?? definition,
    scenario: { ...scenario, ...changed.scenario },
    ...(changed.apart === undefined ? {} : { apart: changed.apart }),
    faults: 0,
    leaders: 1,
    lag: 1,
    maxStates: changed.maxStates ?? 100_000,
    clock: createSystemClock(),
  });

describe('a change of an object that all groups share', () => {
  const legacy = subjectOf('legacy-service-account-token-cleaner', orchVocabulary, 2);
  if (!legacy) throw new Error('the cleaner of legacy tokens has no workload');

  it('lets the groups be explored separately if each enqueues the same keys as without the other group', async () => {
    expect(await explored(legacy)).toMatchObject({ verdict: 'pass', groups: 2 });
  });

  it('makes the groups be explored together if only one of all keys is enqueued', async () => {
    const { watches } = legacy.definition;
    const first: ControllerDefinition = {
      ...legacy.definition,
      watches: async (context) =>
        (await watches(context)).map((each) =>
          each.kind.plural === configMaps.plural
            ? { ...each, keys: (object) => (each.keys?.(object, undefined) ?? []).slice(0, 1) }
            : each,
        ),
    };
    expect(await explored({ ...legacy, definition: first, maxStates: 2_000 })).toMatchObject({
      interplay: 'a change of configmaps enqueues other keys if both groups exist',
    });
  });
});

describe('two groups of objects', () => {
  it('are explored separately if independent, with fewer states and the same final objects', async () => {
    const [apart, whole] = [await explored(), await explored({ apart: false })];
    expect(apart).toMatchObject({ verdict: 'pass', groups: 2, ends: whole.ends });
    expect(whole).toMatchObject({ verdict: 'pass', groups: 1 });
    expect(apart.states).toBeLessThan(whole.states);
  });

  it('are explored together if a reconcile lists the whole cache', async () => {
    expect(await explored({ definition: listing(definition) })).toMatchObject({
      verdict: 'pass',
      groups: 1,
      interplay: expect.stringMatching(/^a reconcile reads .*"list"/),
    });
  });

  it('are explored together if the controller counts its memory entries, which belong to both groups', async () => {
    const counting = looking(definition, () => {
      const known = new Map<string, true>();
      return (key) => {
        known.set(key, true);
        if (known.size > 1) known.clear();
      };
    });
    expect(await explored({ definition: counting })).toMatchObject({
      groups: 1,
      interplay: 'both remember entries of one container',
    });
  });

  describe('that share a memory entry', () => {
    const learning = looking(definition, () => {
      const known = new Map<string, boolean>();
      return () => known.set('served', true);
    });
    const taught = (value: boolean) =>
      explored({ definition: learning, scenario: { lessons: [{ container: 0, key: 'served', value }] } });

    it('are explored separately if the entry is declared as a lesson that may appear at any time', async () => {
      const [apart, alone] = [await taught(true), await explored()];
      expect(apart).toMatchObject({ verdict: 'pass', groups: 2, ends: alone.ends });
      expect(apart.states).toBeGreaterThan(alone.states);
    });

    it('are explored together if the entry is not declared as a lesson', async () => {
      expect(await explored({ definition: learning })).toMatchObject({
        groups: 1,
        interplay: 'both remember 0 "served"',
      });
    });

    it('fail to explore if the entry differs from the declared lesson', () =>
      expect(taught(false)).rejects.toThrow('served was learned as true, expected false'));
  });

  it('are explored together if an invariant relates them, and a violation is found', async () => {
    const oneAlone: Invariant = invariant<readonly string[]>({
      id: 'example/no-deletion',
      says: 'at most one token is deleted',
      controller: '*',
      kind: 'never',
      initial: () => [],
      onCommit(gone, commit) {
        if (!isOf(commit, secrets) || commit.after || commit.actor === 'user') return verdict(gone, false);
        const known = [...new Set([...gone, commit.name])].sort();
        return verdict(known, true, known.length > 1 ? `${known.join(' and ')} were deleted` : undefined);
      },
    });
    expect(await explored({ scenario: { invariants: [oneAlone] } })).toMatchObject({
      verdict: 'fail',
      violation: { invariant: 'example/no-deletion', how: 'a and b were deleted' },
      interplay: 'example/no-deletion depends on both groups',
    });
  });
});

describe('groups that are explored in other threads', () => {
  const bounds = { definition, scenario, faults: 1, leaders: 1, lag: 1, maxStates: 100_000 };
  const clock = createSystemClock();
  /** Simulates threads: searches run one at a time, and their results are copied. */
  const threads = (explore: (nth: number) => Promise<GroupSearch>) => {
    const asked: number[] = [];
    let closed = 0;
    let before: Promise<unknown> = Promise.resolve();
    return {
      asked,
      closed: () => closed,
      explore: async (nth: number): Promise<GroupSearch> => {
        asked.push(nth);
        const search = before.then(() => explore(nth));
        before = search;
        const { result, footprint } = await search;
        const { states, transitions, asking, strikes } = result.visits;
        const visits = { states, transitions, asking, strikes };
        return structuredClone({ result: { ...result, visits }, footprint });
      },
      close: async () => void closed++,
    };
  };

  it('have the same result as in this thread, in the same order', async () => {
    const elsewhere = threads((nth) => exploreNth({ ...bounds, clock }, nth));
    const { ms: _, visits, ...here } = await exploreController({ ...bounds, clock });
    const { ms: __, ...found } = await exploreController({ ...bounds, clock, threads: elsewhere });
    expect(found).toMatchObject(here);
    expect([...found.visits.transitions]).toEqual([...visits.transitions]);
    expect(elsewhere.asked).toEqual([0, 1]);
    expect(elsewhere.closed()).toBe(1);
  });

  it('are stopped when one search fails, and the first failure is returned', async () => {
    const broken: Invariant = invariant({
      id: 'example/no-deletion',
      says: 'nothing is ever written',
      controller: '*',
      kind: 'never',
      initial: () => null,
      onCommit: (state) => verdict(state, true, 'something was written'),
    });
    const invariants = [broken];
    const elsewhere = threads((nth) =>
      exploreNth({ ...bounds, clock, scenario: { ...scenario, invariants } }, nth),
    );
    const found = await exploreController({
      ...bounds,
      scenario: { ...scenario, invariants },
      clock,
      threads: elsewhere,
    });
    expect(found).toMatchObject({ verdict: 'fail', violation: { invariant: 'example/no-deletion' } });
    expect(elsewhere.closed()).toBe(1);
  });
});
