import type { Scheme } from '../../api/kinds/index.ts';
import { CodedError } from '../../base/errors/index.ts';
import { type Invariant, resourceOf } from '../invariants/invariant.ts';
import { type Action as UserAction, type Owner, describeAction } from '../world/user.ts';
import type { ApiRequest } from './api-request.ts';
import { NOON } from './instants.ts';
import { type ModelStore, createModelServer, emptyStore, storeKey } from './model-store.ts';
import type { Action, Planted, Scenario } from './scenario.ts';

/** User actions from which a scenario is made, in the form of a module's workload. */
export interface ScenarioSource {
  readonly controller: string;
  readonly scheme: Scheme;
  readonly invariants: readonly Invariant[];
  /**
   * Actions at time 0 or earlier happen before the search. The others happen at any moment, in their order if
   * they concern the same object.
   */
  readonly actions: readonly UserAction[];
  /** Milliseconds after the start that the clock shows; default the times of the actions. */
  readonly instantsMs?: readonly number[] | undefined;
}

/** Kind of custom resource definitions. The explorer gets custom kinds with the controller. */
const DEFINITIONS = 'apiextensions/customresourcedefinitions';

/**
 * Returns the scenario of a module's actions. Throws `ERR_MODULE` if an action before the search is refused, or
 * names an unknown resource.
 */
export function scenarioOfActions(source: ScenarioSource): Scenario {
  const { controller, scheme, invariants } = source;
  const known = new Set(scheme.kinds.map(resourceOf));
  const actions = source.actions.filter(({ resource }) => resource !== DEFINITIONS);
  for (const { resource } of actions)
    if (!known.has(resource))
      throw invalid(`the scenario names ${JSON.stringify(resource)}, which is not a known resource`);
  const later = actions.filter(({ atMs }) => atMs > 0);
  const { instantsMs = later.map(({ atMs }) => atMs) } = source;
  return {
    controller,
    objects: initialObjects(
      actions.filter(({ atMs }) => atMs <= 0),
      scheme,
    ),
    actions: inOrderOfObjects(later, scheme),
    instants: [...new Set([0, ...instantsMs])].toSorted((a, b) => a - b).map((ms) => NOON + ms),
    // Nothing is known about the deadlines of the controller.
    soonMs: 0,
    invariants,
  };
}

const invalid = (message: string): CodedError => new CodedError('ERR_MODULE', message);

/** Carries out actions before the search and returns the objects that exist afterwards. */
function initialObjects(actions: readonly UserAction[], scheme: Scheme): readonly Planted[] {
  const server = createModelServer({ scheme });
  const store = actions
    .toSorted((a, b) => a.atMs - b.atMs)
    .reduce<ModelStore>((before, action) => {
      const request = requestOf(action, before.objects, scheme);
      const { store: after, answer } = request
        ? server.handle(before, request, NOON + action.atMs)
        : { store: before, answer: { refused: { message: 'its object does not allow it' } } };
      if ('refused' in answer)
        throw invalid(
          `the scenario cannot ${describeAction(action)} before the search: ${answer.refused.message ?? ''}`,
        );
      return after;
    }, emptyStore);
  return Object.entries(store.objects).map(([key, object]) => ({
    resource: key.slice(0, key.indexOf(' ')),
    object,
  }));
}

/** Returns the actions for the explorer; each follows the previous one on the same object. */
function inOrderOfObjects(actions: readonly UserAction[], scheme: Scheme): readonly Action[] {
  const names = new Map<string, number>();
  const latest = new Map<string, string>();
  return actions
    .toSorted((a, b) => a.atMs - b.atMs)
    .map((action) => {
      const { resource, namespace = '', name: objectName } = action;
      const text = `the user sends ${describeAction(action)}`;
      const times = (names.get(text) ?? 0) + 1;
      names.set(text, times);
      const name = times === 1 ? text : `${text} (${times})`;
      const key = storeKey(resource, namespace, objectName);
      const after = latest.get(key);
      latest.set(key, name);
      return {
        name,
        ...(after === undefined ? {} : { after }),
        request: (objects) => requestOf(action, objects, scheme),
      };
    });
}

/** Returns the request of an action; undefined if the object does not allow it now. */
function requestOf(
  action: UserAction,
  objects: ModelStore['objects'],
  scheme: Scheme,
): ApiRequest | undefined {
  const { verb, resource, namespace = '', name, subresource = '', propagation } = action;
  const found = objects[storeKey(resource, namespace, name)];
  const request = { verb, resource, namespace, name, subresource };
  switch (verb) {
    case 'create': {
      const metadata = { ...(action.object?.['metadata'] as object | undefined), name };
      const body = { ...action.object, metadata: { ...metadata, ...ownersOf(action, objects, scheme) } };
      return found ? undefined : { ...request, body };
    }
    case 'patch': {
      const body = patchOf(action, found, ownersOf(action, objects, scheme));
      return found && body ? { ...request, body } : undefined;
    }
    case 'delete':
      if (!found || found.metadata?.deletionTimestamp !== undefined) return undefined;
      return { ...request, ...(propagation && { propagationPolicy: propagation }) };
  }
}

/** Returns the body of a patch; undefined if the finalizer that it removes is not there. */
function patchOf(
  { patch, withoutFinalizer }: UserAction,
  found: ModelStore['objects'][string] | undefined,
  owners: object,
): object | undefined {
  const { finalizers = [] } = found?.metadata ?? {};
  if (withoutFinalizer !== undefined && !finalizers.includes(withoutFinalizer)) return undefined;
  const others = finalizers.filter((each) => each !== withoutFinalizer);
  const given = (patch ?? {}) as { readonly metadata?: object };
  const metadata = { ...given.metadata, ...owners, ...(withoutFinalizer && { finalizers: others }) };
  return { ...given, ...(Object.keys(metadata).length > 0 && { metadata }) };
}

const UNKNOWN_UID = 'unknown~0';

/** Returns the references to the owners of an action; a missing owner gets an unknown uid. */
function ownersOf(
  { owners = [], namespace = '' }: UserAction,
  objects: ModelStore['objects'],
  scheme: Scheme,
): { readonly ownerReferences?: readonly object[] } {
  if (owners.length === 0) return {};
  const referenceTo = ({ resource, name, block }: Owner): object => {
    const kind = scheme.kinds.find((each) => resourceOf(each) === resource);
    if (kind === undefined)
      throw invalid(
        `an owner in the scenario is of ${JSON.stringify(resource)}, which is not a known resource`,
      );
    const owner = objects[storeKey(resource, namespace, name)] ?? objects[storeKey(resource, '', name)];
    return {
      ...scheme.typeMetaOf(kind),
      name,
      uid: owner?.metadata?.uid ?? UNKNOWN_UID,
      ...(block === undefined ? {} : { blockOwnerDeletion: block }),
    };
  };
  return { ownerReferences: owners.map(referenceTo) };
}
