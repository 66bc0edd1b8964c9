import type { Resource } from '../resource.ts';

/** Kinds that upstream keeps under another name than their own. */
const PLACES: ReadonlyMap<string, string> = new Map([
  ['endpoints', 'services/endpoints'],
  ['ingresses', 'ingress'],
  ['nodes', 'minions'],
  ['podsecuritypolicies', 'podsecuritypolicy'],
  ['replicationcontrollers', 'controllers'],
  ['services', 'services/specs'],
]);

/** Groups that upstream keeps by group, as it keeps custom resources. */
const BY_GROUP = new Set(['apiextensions', 'apiregistration']);

/** Where upstream keeps an object (release 1.24), which its refusals name. */
export function upstreamKey(
  { kind, name: { group } }: Pick<Resource, 'kind' | 'name'>,
  namespace: string,
  name: string,
): string {
  const { group: plain, plural, schema } = kind.storage?.kind ?? kind;
  const isByGroup = schema.root !== undefined || BY_GROUP.has(plain);
  const place = isByGroup ? `${group}/${plural}` : (PLACES.get(plural) ?? plural);
  return `/registry/${place}/${kind.namespaced ? `${namespace}/${name}` : name}`;
}

/** What upstream's store says of a write that is about another object. */
export const uidMismatch = (key: string, wanted: string, found: string): string =>
  `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ` +
  `UID in precondition: ${wanted}, UID in object meta: ${found}`;
