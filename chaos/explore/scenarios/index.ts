import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { createControllers } from '../../../controllers/index.ts';
import type { ControllerDefinition } from '../../../runtime/index.ts';
import { twins } from '../../controllers/index.ts';
import { genericInvariants } from '../../invariants/generic.ts';
import type { Scenario, ScenarioOf } from '../scenario.ts';
import { settingsOf } from './settings.ts';

export { settingsOf } from './settings.ts';

/** Workloads by name: that of the controller, with a suffix after a slash for additional ones. */
const scenarios: ReadonlyMap<string, ScenarioOf> = new Map(
  twins.flatMap(({ name, scenario, scenarios: additional = {} }): [string, ScenarioOf][] => [
    [name, scenario],
    ...Object.entries(additional).map(([suffix, each]): [string, ScenarioOf] => [`${name}/${suffix}`, each]),
  ]),
);

const controllerOf = (workload: string): string => workload.replace(/\/.*/, '');

/** Names of all workloads, which `explore` accepts. */
export const workloads: readonly string[] = [...scenarios.keys()];

/** Names of the controllers that can be explored. */
export const explorable: readonly string[] = workloads.filter((each) => each === controllerOf(each));

/** Returns the names of the workloads of a controller, the default one first. */
export const workloadsOf = (controller: string): readonly string[] =>
  workloads.filter((each) => controllerOf(each) === controller);

/**
 * Returns a controller with a workload and the invariants, including the generic ones. Undefined if there is
 * no such workload.
 */
export function subjectOf(
  name: string,
  vocabulary: Vocabulary,
  objects: number,
): { readonly definition: ControllerDefinition; readonly scenario: Scenario } | undefined {
  const definition = createControllers(settingsOf(vocabulary)).find(
    (each) => each.name === controllerOf(name),
  );
  const scenario = scenarios.get(name)?.(vocabulary, objects);
  if (!definition || !scenario) return undefined;
  return { definition, scenario: { ...scenario, invariants: [...scenario.invariants, ...quietOnes] } };
}

/** Generic invariants whose state stays empty without a violation, so that they add no states. */
export const quietOnes = genericInvariants.filter(({ id }) =>
  [
    'generic/no-empty-write',
    'generic/status-is-current',
    'generic/no-foreign-write',
    'apiserver/versions-grow',
    'apiserver/deletion-is-final',
  ].includes(id),
);
