import { builtinKinds } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { type Vocabulary, orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { Clock } from '../../base/clock/clock.ts';
import type { ControllerDefinition } from '../../runtime/index.ts';
import { createControllerModel } from './controller-model.ts';
import { createEffectTable } from './effect-table.ts';
import { type Exploration, type ExploreOptions, explore } from './explorer.ts';
import { type FaultKind, usualFaults } from './faults.ts';
import { createModelServer, emptyStore } from './model-store.ts';
import { createSteps } from './steps.ts';
import type { Scenario } from './world.ts';

export interface ControllerExplorationOptions extends Pick<
  ExploreOptions,
  'clock' | 'maxStates' | 'maxMs' | 'onProgress'
> {
  readonly definition: ControllerDefinition;
  readonly scenario: Scenario;
  /** Default `orch`. */
  readonly vocabulary?: Vocabulary;
  /** How many faults strike on one way at most. */
  readonly faults: number;
  /** Which; default `usualFaults`. */
  readonly faultKinds?: readonly FaultKind[];
  /** How many events an informer may be behind. */
  readonly lag: number;
  /** Processes that run the controller at the same time, each thinking that it alone does. */
  readonly leaders: number;
  readonly clock: Clock;
}

export type ControllerExploration = Exploration & {
  /** Distinct transitions of the machine, and distinct stretches of effects, that came up. */
  readonly transitions: number;
  readonly stretches: number;
  /** Invariants whose premise never came up. */
  readonly vacuous: readonly string[];
};

/** Explores one controller, real machine and real effects, on a small workload. */
export async function exploreController(
  options: ControllerExplorationOptions,
): Promise<ControllerExploration> {
  const { definition, scenario, vocabulary = orchVocabulary } = options;
  const scheme = createScheme(vocabulary, builtinKinds);
  const server = createModelServer({
    scheme,
    ...(scenario.review ? { review: scenario.review } : {}),
    ...(scenario.documents ? { documents: scenario.documents } : {}),
  });
  const model = await createControllerModel(
    definition,
    scheme,
    (request) => server.handle(emptyStore, request, 0).answer,
  );
  const effects = createEffectTable(model);
  const steps = createSteps({
    scenario,
    model,
    effects,
    server,
    lag: options.lag,
    faults: options.faultKinds ?? usualFaults,
  });
  const result = await explore({ ...options, steps });
  return {
    ...result,
    transitions: model.machine.size,
    stretches: effects.size,
    vacuous: scenario.invariants.map(({ id }) => id).filter((id) => !steps.reached.has(id)),
  };
}
