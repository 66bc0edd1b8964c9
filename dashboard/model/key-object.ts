import type { ResourceName } from './view.ts';

/** An object by its name, `namespace/name` or `name`. */
export interface NamedObject {
  readonly resource: ResourceName;
  readonly object: string;
}

/** As the garbage collector's keys are: `pods.v1./team/web`, `jobs.v1.batch/team/report`. */
const WITH_RESOURCE = /^([a-z0-9-]+)\.(v\d[a-z0-9]*)\.([^/]*)\/(.+)$/;

/** The object that a key names: one of the controller's first watch, or of the resource that the key begins with. */
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
