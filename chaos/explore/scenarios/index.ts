import type { Vocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { createControllers } from '../../../controllers/index.ts';
import type { ControllerDefinition } from '../../../runtime/index.ts';
import { genericInvariants } from '../../invariants/generic.ts';
import { credentialsOf } from '../../world/credentials.ts';
import type { Scenario } from '../world.ts';
import { serviceAccountScenario, serviceAccountTokenScenario } from './accounts.ts';
import { bootstrapSignerScenario } from './bootstrapsigner.ts';
import { csrApprovingScenario, csrCleanerScenario, csrSigningScenario } from './certificate-requests.ts';
import { clusterRoleAggregationScenario } from './cluster-roles.ts';
import { cronJobScenario } from './cronjob.ts';
import { garbageCollectorScenario } from './garbagecollector.ts';
import { namespaceScenario } from './namespace.ts';
import { tokenCleanerScenario } from './tokencleaner.ts';
import { ttlAfterFinishedScenario } from './ttlafterfinished.ts';

/** The workload of a controller with a number of objects. */
export type ScenarioOf = (vocabulary: Vocabulary, objects: number) => Scenario;

const scenarios: { readonly [controller: string]: ScenarioOf } = {
  bootstrapsigner: bootstrapSignerScenario,
  'clusterrole-aggregation': clusterRoleAggregationScenario,
  cronjob: cronJobScenario,
  csrapproving: csrApprovingScenario,
  csrcleaner: csrCleanerScenario,
  csrsigning: csrSigningScenario,
  garbagecollector: garbageCollectorScenario,
  namespace: namespaceScenario,
  serviceaccount: serviceAccountScenario,
  'serviceaccount-token': serviceAccountTokenScenario,
  tokencleaner: tokenCleanerScenario,
  ttlafterfinished: ttlAfterFinishedScenario,
};

/** Controllers that can be explored. */
export const explorable: readonly string[] = Object.keys(scenarios);

/** A controller of the program and its workload, generic invariants included. Undefined for one that has none. */
export function subjectOf(
  name: string,
  vocabulary: Vocabulary,
  objects: number,
): { readonly definition: ControllerDefinition; readonly scenario: Scenario } | undefined {
  const definition = createControllers(credentialsOf(vocabulary).settings).find((each) => each.name === name);
  const scenario = Object.hasOwn(scenarios, name) ? scenarios[name]?.(vocabulary, objects) : undefined;
  if (!definition || !scenario) return undefined;
  return { definition, scenario: { ...scenario, invariants: [...scenario.invariants, ...quietOnes] } };
}

/** Their histories are empty where nothing is wrong: they add no states. */
const quietOnes = genericInvariants.filter(({ id }) =>
  ['generic/G3', 'generic/G11', 'generic/G12', 'apiserver/W1', 'apiserver/W3'].includes(id),
);
