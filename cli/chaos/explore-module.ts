import { builtinKinds } from '../../api/groups/index.ts';
import { type AnyKind, createScheme } from '../../api/kinds/index.ts';
import { orchVocabulary } from '../../api/vocabulary/index.ts';
import { type Scenario, scenarioOfActions } from '../../chaos/explore/index.ts';
import { quietOnes, settingsOf } from '../../chaos/explore/scenarios/index.ts';
import { loadSubject } from '../../chaos/run/index.ts';
import { createControllers } from '../../controllers/index.ts';
import type { ControllerDefinition } from '../../runtime/index.ts';
import { UsageError } from '../flags/flags.ts';

/** A controller with its workload. */
export interface ExploredSubject {
  readonly definition: ControllerDefinition;
  readonly scenario: Scenario;
  /** Custom kinds; none for a built-in controller. */
  readonly kinds?: readonly AnyKind[] | undefined;
}

/**
 * Loads the controllers of a module, with its scenario or workload. `controller` selects one of them; empty or
 * `*` selects all.
 */
export async function loadExplored(path: string, controller: string): Promise<readonly ExploredSubject[]> {
  const { own, definitions = createControllers, invariants } = await loadSubject('orch', ['*'], path);
  const names = (own.controllers ?? []).map(({ name }) => name);
  const selected = names.filter((name) => controller === '' || controller === '*' || controller === name);
  if (selected.length === 0)
    throw new UsageError(
      `no controller ${JSON.stringify(controller)} in ${path}: expected ${names.join(', ') || 'an export "controllers" with at least one'}`,
    );
  const { actions, instantsMs } = own.scenario ?? { actions: own.workload ?? [] };
  if (actions.length === 0)
    throw new UsageError(`no actions in ${path}: expected an export "scenario" or "workload"`);
  const { kinds = [] } = own;
  const scheme = createScheme(orchVocabulary, [...builtinKinds, ...kinds]);
  return definitions(settingsOf(orchVocabulary))
    .filter(({ name }) => selected.includes(name))
    .map((definition) => {
      const { name } = definition;
      const about = invariants.filter((each) => each.controller === name || own.invariants?.includes(each));
      const concerned = about.filter((each) => each.controller === '*' || each.controller === name);
      const judges = [...concerned, ...quietOnes];
      const source = { controller: name, scheme, actions, instantsMs, invariants: judges };
      return { definition, scenario: scenarioOfActions(source), kinds };
    });
}
