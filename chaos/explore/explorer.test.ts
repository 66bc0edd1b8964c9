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
  it('has a workload for every controller that invariants are about', () => {
    const about = allInvariants(orchVocabulary, { namespaced: [], cluster: [] }).map(
      (each) => each.controller,
    );
    const others = [...new Set(about)].filter((each) => each !== '*');
    expect(others.sort()).toEqual([...explorable].sort());
  });

  it.each(['clusterrole-aggregation', 'csrsigning', 'garbagecollector', 'serviceaccount', 'tokencleaner'])(
    '%s comes to the end of all its states, and nothing is broken in any',
    async (controller) => {
      expect(await explored(controller)).toMatchObject({ verdict: 'pass' });
    },
  );

  it('of the token cleaner with a fault anywhere finds nothing, and no end but those without it', async () => {
    expect(await explored('tokencleaner', { faults: 1 })).toMatchObject({ verdict: 'pass', faultyEnds: 0 });
  });

  it.each(['pvc-protection', 'pvc-protection/ephemeral'])(
    '%s with a fault anywhere keeps what is used, and lets go what is not',
    async (workload) => {
      expect(await explored(workload, { faults: 1 })).toMatchObject({ verdict: 'pass' });
    },
  );

  it('a wait by the monotonic clock comes to its end, be it for a pod that nobody will see', async () => {
    expect(await explored('job/undisturbed', { faults: 1, faultKinds: ['stall'] })).toMatchObject({
      verdict: 'pass',
    });
  });

  it('a Job releases a pod that is its own no more, also when it looks at the API itself', async () => {
    expect(await explored('job/stray', { faults: 1, faultKinds: ['conflict'] })).toMatchObject({
      verdict: 'pass',
    });
  });

  it('tells what of a machine came up, and which faults struck where', async () => {
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

  it('is the same each time, to the hash of its graph', async () => {
    const [one, other] = [
      await explored('csrsigning', { faults: 1 }),
      await explored('csrsigning', { faults: 1 }),
    ];
    expect([one.hash, one.states, one.steps]).toEqual([other.hash, other.states, other.steps]);
  });

  it('says that it knows nothing when a bound was hit', async () => {
    expect(await explored('tokencleaner', { maxStates: 50 })).toMatchObject({
      verdict: 'unknown',
      because: 'more than 50 states',
    });
    expect(await explored('tokencleaner', { memoryUsed: () => 0.95 })).toMatchObject({
      verdict: 'unknown',
      because: 'no memory for more than 1 states',
    });
  });

  it('finds the shortest way to a deletion that names no version, in the words of the machine', async () => {
    const found = await explored('tokencleaner', { mutate: withoutPreconditions('uid', 'resourceVersion') });
    const text = describeExploration(
      { controller: 'tokencleaner', objects: 1, faults: 0, lag: 1, leaders: 1 },
      found,
    );
    expect(found).toMatchObject({ verdict: 'fail', violation: { invariant: 'tokencleaner/N2' } });
    expect(text).toMatch(/the user puts the expiry off\n.*\[deleting\] delete secrets/);
    expect(text).toContain(
      'process 1 believed Secret orch-system/a at secrets.a~1@00; it is at secrets.a~1@01',
    );
  });

  it('finds a key that is lost when its pass fails, at the one place where that matters', async () => {
    const found = await explored('tokencleaner', {
      faults: 1,
      faultKinds: ['error'],
      mutate: withFailureForgotten,
    });
    expect(found).toMatchObject({ verdict: 'fail', violation: { invariant: 'tokencleaner/E1' } });
    expect(found.verdict === 'fail' && found.trace.filter(({ fault }) => fault === 'error')).toHaveLength(1);
  });
});
