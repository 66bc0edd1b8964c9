import type { Resource } from '../resource.ts';

/** Path segments of stored kinds for which upstream does not use the plural, by plural. */
const STORAGE_PATHS: ReadonlyMap<string, string> = new Map([
  ['endpoints', 'services/endpoints'],
  ['ingresses', 'ingress'],
  ['nodes', 'minions'],
  ['podsecuritypolicies', 'podsecuritypolicy'],
  ['replicationcontrollers', 'controllers'],
  ['services', 'services/specs'],
]);

/** Returns the path segment under which upstream stores a built-in kind. */
export const upstreamPath = (plural: string): string => STORAGE_PATHS.get(plural) ?? plural;

/** Groups of built-in kinds whose storage keys contain the group upstream, as keys of custom resources do. */
const BY_GROUP = new Set(['apiextensions', 'apiregistration']);

/** Returns the storage key of an object in Kubernetes 1.24, which upstream's error messages contain. */
export function upstreamKey(
  { kind, name: { group } }: Pick<Resource, 'kind' | 'name'>,
  namespace: string,
  name: string,
): string {
  const { group: plain, plural, schema } = kind.storage?.kind ?? kind;
  const isByGroup = schema.root !== undefined || BY_GROUP.has(plain);
  const place = isByGroup ? `${group}/${plural}` : upstreamPath(plural);
  return `/registry/${place}/${kind.namespaced ? `${namespace}/${name}` : name}`;
}

/** Returns upstream's message for a write with the uid of another object. */
export const uidMismatch = (key: string, wanted: string, found: string): string =>
  `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ` +
  `UID in precondition: ${wanted}, UID in object meta: ${found}`;
