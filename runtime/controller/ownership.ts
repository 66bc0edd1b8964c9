import type { ApiObject, DeepReadonly, Kind, Scheme } from '../../api/kinds/index.ts';
import type { OwnerReference } from '../../api/types/meta-v1.ts';

/** Returns the owner reference with `controller: true`, of which an object has at most one. */
export const controllerOf = (object: DeepReadonly<ApiObject>): DeepReadonly<OwnerReference> | undefined =>
  object.metadata?.ownerReferences?.find((owner) => owner.controller === true);

/**
 * Returns an owner reference that makes `owner` the controller of an object. Throws if the owner has no name
 * or uid, as it was never stored.
 * @param by source of the API version: a scheme, or a client if the version depends on the server
 */
export function controllerReference<T extends ApiObject>(
  by: Pick<Scheme, 'typeMetaOf'>,
  kind: Kind<T>,
  owner: DeepReadonly<T>,
): OwnerReference {
  const { name, uid } = owner.metadata ?? {};
  if (!name || !uid) throw new Error(`a ${kind.kind} without name and uid cannot own objects`);
  const { kind: ownerKind, apiVersion } = by.typeMetaOf(kind);
  return { kind: ownerKind, apiVersion, name, uid, controller: true, blockOwnerDeletion: true };
}

/**
 * Returns a `keys` function for `watch`. An owned object enqueues its controlling owner of `kind`. If a
 * change replaces the owner, both owners are enqueued.
 */
export function keysOfController<T extends ApiObject>(
  scheme: Scheme,
  kind: Pick<Kind<T>, 'group' | 'version' | 'kind' | 'namespaced'>,
): (object: DeepReadonly<ApiObject>, previous: DeepReadonly<ApiObject> | undefined) => readonly string[] {
  const group = scheme.vocabulary.group(kind.group);
  const keyOf = (object: DeepReadonly<ApiObject> | undefined): readonly string[] => {
    const owner = object && controllerOf(object);
    if (!owner || owner.kind !== kind.kind || groupOf(owner.apiVersion) !== group) return [];
    const namespace = object.metadata?.namespace;
    return [kind.namespaced && namespace ? `${namespace}/${owner.name}` : owner.name];
  };
  return (object, previous) => [...new Set([...keyOf(object), ...keyOf(previous)])];
}

const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';

/**
 * Index of objects by the uid of their controlling owner. Register with `informer.index(...controllerIndex)`,
 * read with `byIndex('controller', uid)`.
 */
export const controllerIndex = [
  'controller',
  (object: DeepReadonly<ApiObject>): readonly string[] => {
    const owner = controllerOf(object);
    return owner ? [owner.uid] : [];
  },
] as const;
