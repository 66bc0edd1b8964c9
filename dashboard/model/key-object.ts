import type { ResourceName } from './view.ts';

/** An object identified by resource and name. */
export interface NamedObject {
  readonly resource: ResourceName;
  /** Name in the form `namespace/name` or `name`. */
  readonly object: string;
}

/** Form of the garbage collector's keys: `pods.v1./team/web`, `jobs.v1.batch/team/report`. */
const WITH_RESOURCE = /^([a-z0-9-]+)\.(v\d[a-z0-9]*)\.([^/]*)\/(.+)$/;

/** Returns the key of an object at a controller whose keys name the resource. */
export const keyWithResource = ({ group, version, plural }: ResourceName, object: string): string =>
  `${plural}.${version}.${group}/${object}`;

/**
 * Returns the object that a key names; undefined if it names none. The resource is that of the controller's
 * first watch, or the one at the start of the key.
 */
export function objectOfKey(
  { keyed, watches }: { readonly keyed: boolean; readonly watches: readonly ResourceName[] },
  key: string,
): NamedObject | undefined {
  const [own] = watches;
  if (keyed) return own && { resource: own, object: key };
  const [, plural, version, group, object] = WITH_RESOURCE.exec(key) ?? [];
  if (plural === undefined || version === undefined || group === undefined || object === undefined)
    return undefined;
  return { resource: { group, version, plural, namespaced: object.includes('/') }, object };
}

/**
 * True if a key belongs to a namespace: it names an object in it, in either form, or the namespace itself. With
 * '' as the namespace, true for each key.
 */
export function isInNamespace(key: string, namespace: string): boolean {
  if (namespace === '' || key === namespace) return true;
  const object = WITH_RESOURCE.exec(key)?.[4] ?? key;
  return object.startsWith(`${namespace}/`);
}
