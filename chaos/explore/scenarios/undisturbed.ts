import { inGroups } from '../actions.ts';
import type { ScenarioOf } from '../scenario.ts';

/**
 * Reduces a workload to its progress actions and first two instants. Being small, it quickly shows what
 * faults alone cause.
 */
export const undisturbed =
  (scenarioOf: ScenarioOf): ScenarioOf =>
  (vocabulary, objects) => {
    const scenario = scenarioOf(vocabulary, objects);
    const groups = scenario.groups ?? [scenario];
    return {
      ...scenario,
      instants: scenario.instants.slice(0, 2),
      ...inGroups(
        groups.map((group) => ({ ...group, actions: group.actions.filter(({ progress }) => progress) })),
      ),
    };
  };
