import type { ResourceName } from './view.ts';

/** The fields of an object that the page reads. */
export interface PlainObject {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly OwnerReference[];
  };
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly blockOwnerDeletion?: boolean;
}

const versionPath = ({ group, version }: Pick<ResourceName, 'group' | 'version'>): string =>
  group === '' ? `/api/${version}` : `/apis/${group}/${version}`;

/** Returns `group/version/plural`, the form of a resource in the page's addresses. */
export const resourceId = ({ group, version, plural }: ResourceName): string =>
  `${group}/${version}/${plural}`;

/** Splits `namespace/name`. The namespace of a cluster-scoped `name` is ''. */
export const splitName = (object: string): { readonly namespace: string; readonly name: string } => {
  const slash = object.indexOf('/');
  return { namespace: object.slice(0, Math.max(0, slash)), name: object.slice(slash + 1) };
};

/** Returns `namespace/name`, or `name` for a cluster-scoped object. */
export const nameOf = ({ metadata = {} }: PlainObject): string =>
  metadata.namespace === undefined ? (metadata.name ?? '') : `${metadata.namespace}/${metadata.name ?? ''}`;

/** Returns the path of a collection, over all namespaces if `namespace` is ''. */
export function collectionPath(resource: ResourceName, namespace = ''): string {
  const scope = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${versionPath(resource)}${scope}/${resource.plural}`;
}

/** Returns the path of the object `namespace/name` or `name`. */
export function objectPath(resource: ResourceName, object: string): string {
  const { namespace, name } = splitName(object);
  return `${collectionPath(resource, namespace)}/${encodeURIComponent(name)}`;
}
