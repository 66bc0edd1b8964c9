import { describe, expect, it } from 'vitest';
import { orchVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { createSystemClock } from '../../../base/clock/system.ts';
import { exploreController } from '../explore-controller.ts';
import { subjectOf, workloadsOf } from './index.ts';

/**
 * Returns the ids of the controller's own invariants whose premise is reached in none of its workloads, with
 * one object and one fault.
 */
async function vacuousOf(controller: string): Promise<readonly string[]> {
  const clock = createSystemClock();
  const named = new Set<string>();
  const reached = new Set<string>();
  for (const workload of workloadsOf(controller)) {
    const { definition, scenario } = subjectOf(workload, orchVocabulary, 1) ?? {};
    if (definition === undefined || scenario === undefined) throw new Error(`no workload ${workload}`);
    const bounds = { faults: 1, leaders: 1, lag: 1, maxStates: 20_000 };
    const { verdict, vacuous } = await exploreController({ definition, scenario, ...bounds, clock });
    expect([workload, verdict]).toEqual([workload, 'pass']);
    for (const { id } of scenario.invariants) {
      named.add(id);
      if (!vacuous.includes(id)) reached.add(id);
    }
  }
  return [...named].filter((id) => id.startsWith(`${controller}/`) && !reached.has(id));
}

describe('the workloads of a controller', () => {
  it.each([
    'clusterrole-aggregation',
    'csrapproving',
    'csrcleaner',
    'csrsigning',
    'pv-protection',
    'ttlafterfinished',
  ])('reach the premise of every invariant of %s', async (controller) => {
    expect(await vacuousOf(controller)).toEqual([]);
  });
});
