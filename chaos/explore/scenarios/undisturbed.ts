import { inGroups } from '../actions.ts';
import type { ScenarioOf } from '../scenario.ts';

/**
 * Reduces a workload to its progress actions and its first two instants. The small workload shows quickly
 * which violations need only faults.
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
