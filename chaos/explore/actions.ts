import type { ApiObject, DeepReadonly, Kind } from '../../api/kinds/kind.ts';
import { resourceOf } from '../invariants/invariant.ts';
import type { Any, ApiRequest } from './api-request.ts';
import { storeKey } from './model-store.ts';
import type { Action, Group, Planted, Scenario } from './world.ts';

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
  // What the store holds under a resource is of that resource's kind.
  objects[storeKey(resourceOf(kind), namespace, name)] as DeepReadonly<T> | undefined;

/** An object for a scenario's start. */
export const planted = <T extends ApiObject>(kind: Kind<T>, object: T): Planted => ({
  resource: resourceOf(kind),
  object: object as Any,
});

/** A workload of parts that should have nothing to do with each other. */
export const inGroups = (groups: readonly Group[]): Group & Pick<Scenario, 'groups'> => {
  const prelude = groups.find((group) => group.prelude)?.prelude;
  return {
    objects: groups.flatMap(({ objects }) => objects),
    actions: groups.flatMap(({ actions }) => actions),
    ...(prelude ? { prelude } : {}),
    groups,
  };
};

/** What users do to one of so many objects when they do each thing to one of them, in turn. */
export const sharedOut = <T>(doings: readonly T[], objects: number, at: number): readonly T[] =>
  doings.filter((_, nth) => nth % objects === at);

/** One group for each object; the users' doings are about the first. */
export const oneByOne = (
  objects: readonly Planted[],
  actions: readonly Action[],
): Group & Pick<Scenario, 'groups'> =>
  inGroups(objects.map((object, at) => ({ objects: [object], actions: at === 0 ? actions : [] })));

/** Makes an object when there is none of its name. */
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

/** Deletes an object that is there and is not being deleted. */
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

/** Writes over an object that is there; `change` gives what is different, undefined when there is nothing to do. */
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
