import { describe, expect, it } from 'vitest';
import { describeExplored, exploredOf } from '../coverage/explored.ts';
import { machinePartsOf } from '../coverage/machine-parts.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSystemClock } from '../../base/clock/system.ts';
import type { Mutation } from '../mutants/operators.ts';
import { withFailureForgotten, withoutPreconditions } from '../mutants/operators.ts';
import { allInvariants } from '../invariants/index.ts';
import { describeExploration } from './describe.ts';
import { exploreController } from './explore-controller.ts';
import type { FaultKind } from './faults.ts';
import { explorable, subjectOf } from './scenarios/index.ts';

interface Search {
  readonly objects?: number;
  readonly faults?: number;
  readonly leaders?: number;
  readonly maxStates?: number;
  readonly memoryUsed?: () => number;
  readonly faultKinds?: readonly FaultKind[];
  readonly mutate?: Mutation;
}

async function explored(controller: string, search: Search = {}) {
  const { objects = 1, faults = 0, leaders = 1, maxStates = 20_000, mutate, faultKinds, memoryUsed } = search;
  const subject = subjectOf(controller, orchVocabulary, objects);
  if (!subject) throw new Error(`no controller ${controller}`);
  const { definition, scenario } = subject;
  return exploreController({
    definition: mutate ? mutate(definition) : definition,
    scenario,
    faults,
    leaders,
    lag: 1,
    maxStates,
    ...(faultKinds ? { faultKinds } : {}),
    ...(memoryUsed ? { memoryUsed } : {}),
    clock: createSystemClock(),
  });
}

describe('exhaustive exploration', () => {
  it('has a workload for every controller with invariants', () => {
    const about = allInvariants(orchVocabulary, { namespaced: [], cluster: [] }).map(
      (each) => each.controller,
    );
    const others = [...new Set(about)].filter((each) => each !== '*');
    expect(others.sort()).toEqual([...explorable].sort());
  });

  it.each(['clusterrole-aggregation', 'csrsigning', 'garbagecollector', 'serviceaccount', 'tokencleaner'])(
    'visits all states of %s without a violation',
    async (controller) => {
      expect(await explored(controller)).toMatchObject({ verdict: 'pass' });
    },
  );

  it('finds no violation and no additional final objects in the token cleaner with one fault', async () => {
    expect(await explored('tokencleaner', { faults: 1 })).toMatchObject({ verdict: 'pass', faultyEnds: 0 });
  });

  it.each(['pvc-protection', 'pvc-protection/ephemeral'])(
    'finds no violation with one fault in %s, which protects used objects and releases unused ones',
    async (workload) => {
      expect(await explored(workload, { faults: 1 })).toMatchObject({ verdict: 'pass' });
    },
  );

  it('ends a wait on the monotonic clock even if no cache will contain the pod', async () => {
    expect(await explored('job/undisturbed', { faults: 1, faultKinds: ['stall'] })).toMatchObject({
      verdict: 'pass',
    });
  });

  it('lets a Job release a pod that no longer matches, even if the Job reads from the API', async () => {
    expect(await explored('job/stray', { faults: 1, faultKinds: ['conflict'] })).toMatchObject({
      verdict: 'pass',
    });
  });

  it('reports the visited parts of a machine and the faults of each state', async () => {
    const { visits } = await explored('pvc-protection', { faults: 1 });
    const { definition } = subjectOf('pvc-protection', orchVocabulary, 1) ?? {};
    if (!definition) throw new Error('no controller');
    const found = exploredOf(machinePartsOf(definition.name, definition.machine), visits);
    expect(found).toEqual({
      controller: 'pvc-protection',
      states: { of: 8, missing: [] },
      transitions: { of: 14, missing: [] },
      strikes: { of: 13, missing: [] },
    });
    const { visits: calm } = await explored('pvc-protection');
    expect(describeExplored([exploredOf(machinePartsOf(definition.name, definition.machine), calm)])).toMatch(
      /0 of 13 pairs[^]*never: lost × releasing/,
    );
  });

  it('is deterministic, including the hash of the graph', async () => {
    const [one, other] = [
      await explored('csrsigning', { faults: 1 }),
      await explored('csrsigning', { faults: 1 }),
    ];
    expect([one.hash, one.states, one.steps]).toEqual([other.hash, other.states, other.steps]);
  });

  it('returns unknown if a bound is reached', async () => {
    expect(await explored('tokencleaner', { maxStates: 50 })).toMatchObject({
      verdict: 'unknown',
      because: 'more than 50 states',
    });
    expect(await explored('tokencleaner', { memoryUsed: () => 0.95 })).toMatchObject({
      verdict: 'unknown',
      because: 'no memory for more than 1 states',
    });
  });

  it('finds the shortest trace to a deletion without preconditions, with the states of the machine', async () => {
    const found = await explored('tokencleaner', { mutate: withoutPreconditions('uid', 'resourceVersion') });
    const text = describeExploration(
      { controller: 'tokencleaner', objects: 1, faults: 0, lag: 1, leaders: 1 },
      found,
    );
    expect(found).toMatchObject({
      verdict: 'fail',
      violation: { invariant: 'tokencleaner/no-early-deletion' },
    });
    expect(text).toMatch(/the user extends the expiry\n.*\[deleting\] delete secrets/);
    expect(text).toContain(
      'process 1 believed Secret orch-system/a at secrets.a~1@00; it is at secrets.a~1@01',
    );
  });

  it('finds the one state in which a forgotten failure loses a key', async () => {
    const found = await explored('tokencleaner', {
      faults: 1,
      faultKinds: ['error'],
      mutate: withFailureForgotten,
    });
    expect(found).toMatchObject({
      verdict: 'fail',
      violation: { invariant: 'tokencleaner/expired-is-deleted' },
    });
    expect(found.verdict === 'fail' && found.trace.filter(({ fault }) => fault === 'error')).toHaveLength(1);
  });
});
