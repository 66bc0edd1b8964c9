import { pathToFileURL } from 'node:url';
import { builtinKinds } from '../../api/groups/index.ts';
import type { AnyKind } from '../../api/kinds/index.ts';
import { type Product, vocabularyOf } from '../../api/vocabulary/index.ts';
import { CodedError, messageOf } from '../../base/errors/index.ts';
import { type ControllerSettings, createControllers } from '../../controllers/index.ts';
import { type ControllerDefinition, selectControllers } from '../../runtime/index.ts';
import { allInvariants } from '../invariants/index.ts';
import { type Invariant, resourceOf } from '../invariants/invariant.ts';
import { readActions } from '../workload/read-actions.ts';
import { credentialsOf } from '../world/credentials.ts';
import type { Action } from '../world/user.ts';
import type { Subject } from './run.ts';

/** Exports of a user's module. All are optional. */
export interface SubjectModule {
  /** Additional controllers. A controller with the name of a built-in one replaces it. */
  readonly controllers?: readonly ControllerDefinition[];
  readonly invariants?: readonly Invariant[];
  /** Additional kinds that the controllers use. The workload must create their definitions. */
  readonly kinds?: readonly AnyKind[];
  readonly workload?: readonly Action[];
  /** Smaller workload for `orch chaos explore`; default `workload`. */
  readonly scenario?: ModuleScenario;
}

/** Workload of an exploration. */
export interface ModuleScenario {
  /**
   * Actions at time 0 or earlier happen before the search. The others happen at any moment, in their order if
   * they concern the same object.
   */
  readonly actions: readonly Action[];
  /** Milliseconds after the start that the clock shows; default the times of the actions. */
  readonly instantsMs?: readonly number[];
}

/** Subject of a run after its module was loaded. */
export interface LoadedSubject extends Subject {
  /** Names of the selected controllers. */
  readonly controllers: readonly string[];
  readonly workload?: readonly Action[];
  /** True if the module exports controllers or kinds. */
  readonly hasOwn: boolean;
  /** The module's exports; none without a module. */
  readonly own: SubjectModule;
}

/**
 * Loads the built-in controllers and invariants together with those of a module.
 *
 * Includes the invariants about selected controllers and those about all controllers.
 * @param quotasCountedMs recount interval of quotas in milliseconds, if it is not the default
 * @throws `ERR_MODULE` if the module cannot be loaded or has invalid exports
 */
export async function loadSubject(
  product: Product,
  selection: readonly string[],
  modulePath?: string,
  quotasCountedMs?: number,
): Promise<LoadedSubject> {
  const vocabulary = vocabularyOf(product);
  const own = modulePath === undefined ? {} : await loadModule(modulePath);
  const definitions = (settings: ControllerSettings) =>
    withOwn(createControllers(settings), own.controllers ?? []);
  const controllers = selectControllers(definitions(credentialsOf(vocabulary).settings), selection).map(
    ({ name }) => name,
  );
  const invariants = [
    ...allInvariants(vocabulary, resourcesOf([...builtinKinds, ...(own.kinds ?? [])]), quotasCountedMs),
    ...(own.invariants ?? []),
  ];
  return {
    definitions,
    controllers,
    own,
    hasOwn: own.controllers !== undefined || own.kinds !== undefined,
    invariants: invariants.filter(({ controller }) => controller === '*' || controllers.includes(controller)),
    ...(own.kinds && { kinds: own.kinds }),
    ...(own.workload && { workload: own.workload }),
  };
}

const resourcesOf = (kinds: readonly AnyKind[]) => {
  const of = (namespaced: boolean): readonly string[] => [
    ...new Set(kinds.filter((kind) => kind.namespaced === namespaced).map(resourceOf)),
  ];
  return { namespaced: of(true), cluster: of(false) };
};

const withOwn = (
  builtIn: readonly ControllerDefinition[],
  own: readonly ControllerDefinition[],
): readonly ControllerDefinition[] => [
  ...builtIn.filter(({ name }) => !own.some((each) => each.name === name)),
  ...own,
];

async function loadModule(path: string): Promise<SubjectModule> {
  let loaded: Record<string, unknown>;
  try {
    loaded = (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (cause) {
    throw new CodedError('ERR_MODULE', `the module ${path} cannot be loaded: ${messageOf(cause)}`, { cause });
  }
  for (const name of ['controllers', 'invariants', 'kinds', 'workload'])
    if (loaded[name] !== undefined && !Array.isArray(loaded[name]))
      throw new CodedError('ERR_MODULE', `the module ${path} exports ${name} that is not an array`);
  const { workload, scenario, ...others } = loaded as SubjectModule;
  return {
    ...others,
    ...(workload && { workload: checked(path, 'workload', () => readActions(workload)) }),
    ...(scenario && { scenario: checked(path, 'scenario', () => readScenario(scenario)) }),
  };
}

/** Reads an export of a module; throws `ERR_MODULE` if it is invalid. */
function checked<T>(path: string, name: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const message = `the module ${path} exports an invalid ${name}: ${messageOf(cause)}`;
    throw new CodedError('ERR_MODULE', message, { cause });
  }
}

function readScenario({ actions, instantsMs, ...others }: ModuleScenario): ModuleScenario {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new Error(`unknown field ${JSON.stringify(unknown)}: expected actions, instantsMs`);
  if (instantsMs?.some((ms) => !Number.isFinite(ms) || ms < 0))
    throw new Error(`instantsMs is ${JSON.stringify(instantsMs)}: expected milliseconds of at least 0`);
  return { actions: readActions(actions), ...(instantsMs && { instantsMs }) };
}
