import type { ApiObject, DeepReadonly, Kind } from '../../api/kinds/index.ts';
import { resourceOf } from '../invariants/invariant.ts';
import type { Any, ApiRequest } from './api-request.ts';
import { storeKey } from './model-store.ts';
import type { Action, Group, Planted, Scenario } from './scenario.ts';

type Options = Pick<Action, 'times' | 'progress'>;

const requestOf = <T extends ApiObject>(
  kind: Kind<T>,
  namespace: string,
  name: string,
  rest: Partial<ApiRequest> & Pick<ApiRequest, 'verb'>,
): ApiRequest => ({ resource: resourceOf(kind), namespace, name, subresource: '', ...rest });

const found = <T extends ApiObject>(
  objects: { readonly [key: string]: Any },
  kind: Kind<T>,
  namespace: string,
  name: string,
): DeepReadonly<T> | undefined =>
  // A resource in the store contains only objects of its kind.
  objects[storeKey(resourceOf(kind), namespace, name)] as DeepReadonly<T> | undefined;

/** Returns an initial object of a scenario. */
export const planted = <T extends ApiObject>(kind: Kind<T>, object: T): Planted => ({
  resource: resourceOf(kind),
  object: object as Any,
});

/** Returns a workload that consists of groups. The groups should be independent of each other. */
export const inGroups = (groups: readonly Group[]): Group & Pick<Scenario, 'groups'> => {
  const prelude = groups.find((group) => group.prelude)?.prelude;
  return {
    objects: groups.flatMap(({ objects }) => objects),
    actions: groups.flatMap(({ actions }) => actions),
    ...(prelude ? { prelude } : {}),
    groups,
  };
};

/**
 * Returns the actions for the object with index `at` if actions are distributed cyclically over `objects`
 * objects.
 */
export const sharedOut = <T>(actions: readonly T[], objects: number, at: number): readonly T[] =>
  actions.filter((_, nth) => nth % objects === at);

/** Returns one group for each object. All user actions belong to the first group. */
export const oneByOne = (
  objects: readonly Planted[],
  actions: readonly Action[],
): Group & Pick<Scenario, 'groups'> =>
  inGroups(objects.map((object, at) => ({ objects: [object], actions: at === 0 ? actions : [] })));

/** Returns an action that creates an object unless one with its name exists. */
export const creates = <T extends ApiObject>(
  name: string,
  kind: Kind<T>,
  object: T,
  options: Options = {},
): Action => {
  const { namespace = '', name: objectName = '' } = object.metadata ?? {};
  return {
    name,
    ...options,
    request: (objects) =>
      found(objects, kind, namespace, objectName)
        ? undefined
        : requestOf(kind, namespace, objectName, { verb: 'create', body: object }),
  };
};

/** Returns an action that deletes an object if it exists and is not being deleted. */
export const deletes = <T extends ApiObject>(
  name: string,
  kind: Kind<T>,
  namespace: string,
  objectName: string,
  options: Options & Pick<ApiRequest, 'propagationPolicy'> = {},
): Action => {
  const { propagationPolicy, ...rest } = options;
  return {
    name,
    ...rest,
    request: (objects) => {
      const object = found(objects, kind, namespace, objectName);
      if (!object || object.metadata?.deletionTimestamp !== undefined) return undefined;
      return requestOf(kind, namespace, objectName, {
        verb: 'delete',
        ...(propagationPolicy ? { propagationPolicy } : {}),
      });
    },
  };
};

/**
 * Returns an action that updates an object if it exists. `change` returns the changed fields, or undefined if
 * the action is impossible.
 */
export const updates = <T extends ApiObject>(
  name: string,
  kind: Kind<T>,
  namespace: string,
  objectName: string,
  change: (object: DeepReadonly<T>, nowMs: number) => Partial<DeepReadonly<T>> | undefined,
  options: Options & { readonly subresource?: string } = {},
): Action => {
  const { subresource = '', ...rest } = options;
  return {
    name,
    ...rest,
    request: (objects, nowMs) => {
      const object = found(objects, kind, namespace, objectName);
      const changed = object && change(object, nowMs);
      if (!object || !changed) return undefined;
      return requestOf(kind, namespace, objectName, {
        verb: 'update',
        subresource,
        body: { ...object, ...changed },
      });
    },
  };
};
