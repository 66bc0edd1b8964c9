import { isVirtualSubresource, type Subresource } from '../../api/kinds/kind.ts';
import type { AnyKind, Scheme } from '../../api/kinds/scheme.ts';

/** What a server says it serves, made from the kinds (upstream's `meta/v1` discovery types). */
export interface Discovery {
  /** `/api/v1`, `/apis/{group}/{version}`; undefined when nothing is served there. */
  resources(group: string, version: string): object | undefined;
  /** `/apis/{group}`. */
  group(group: string): object | undefined;
  /** `/apis`. */
  groups(): object;
  /** `/api`. */
  coreVersions(serverAddress: string): object;
  /** `/api` (`core`) or `/apis` as one document with everything in it. */
  aggregated(core: boolean, version: 'v2' | 'v2beta1'): object;
  hasGroup(group: string): boolean;
}

interface GroupVersions {
  readonly group: string;
  readonly versions: readonly string[];
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export function createDiscovery(scheme: Scheme): Discovery {
  const groups = groupsOf(scheme);
  const byName = new Map(groups.map((each) => [each.group, each]));
  return {
    hasGroup: (group) => byName.has(group),
    resources: (group, version) => resourceList(scheme, group, version),
    group: (name) => {
      const found = name === '' ? undefined : byName.get(name);
      return found === undefined
        ? undefined
        : { kind: 'APIGroup', apiVersion: 'v1', ...groupDocument(found) };
    },
    groups: () => ({
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: groups.filter(({ group }) => group !== '').map(groupDocument),
    }),
    coreVersions: (serverAddress) => ({
      kind: 'APIVersions',
      versions: byName.get('')?.versions ?? [],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
    }),
    aggregated: (core, version) => ({
      kind: 'APIGroupDiscoveryList',
      apiVersion: `${scheme.vocabulary.group('apidiscovery')}/${version}`,
      metadata: {},
      items: groups
        .filter(({ group }) => (group === '') === core)
        .map((each) => aggregatedGroup(scheme, each)),
    }),
  };
}

/** Groups by name, each with its versions, the most stable first. */
function groupsOf(scheme: Scheme): GroupVersions[] {
  const versions = new Map<string, Set<string>>();
  for (const kind of scheme.kinds) {
    const group = scheme.vocabulary.group(kind.group);
    const known = versions.get(group);
    if (known === undefined) versions.set(group, new Set([kind.version]));
    else known.add(kind.version);
  }
  return [...versions]
    .map(([group, found]) => ({ group, versions: [...found].sort(compareVersions) }))
    .sort((a, b) => compare(a.group, b.group));
}

/** `v2`, `v1`, `v1beta2`, `v1beta1`, `v1alpha1`: stable before beta before alpha, the newer first. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (let i = 0; i < 3; i++) {
    const difference = (right[i] ?? 0) - (left[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return compare(a, b);
}

function partsOf(version: string): readonly number[] {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return [-1, 0, 0];
  const level = match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0;
  return [level, Number(match[1]), Number(match[3] ?? 0)];
}

function groupDocument({ group, versions }: GroupVersions): object {
  const listed = versions.map((version) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions: listed, preferredVersion: listed[0] };
}

const kindsOf = (scheme: Scheme, group: string, version: string): AnyKind[] =>
  scheme.kinds
    .filter((kind) => kind.version === version && scheme.vocabulary.group(kind.group) === group)
    .sort((a, b) => compare(a.plural, b.plural));

const subresourcesOf = (kind: AnyKind): [string, Subresource<never>][] =>
  Object.entries<Subresource<never>>(kind.subresources).sort(([a], [b]) => compare(a, b));

function resourceList(scheme: Scheme, group: string, version: string): object | undefined {
  const kinds = kindsOf(scheme, group, version);
  if (kinds.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: group === '' ? version : `${group}/${version}`,
    resources: kinds.flatMap((kind) => [resourceDocument(kind), ...subresourceDocuments(scheme, kind)]),
  };
}

function resourceDocument(kind: AnyKind): object {
  return {
    name: kind.plural,
    singularName: kind.singular,
    namespaced: kind.namespaced,
    kind: kind.kind,
    verbs: [...kind.verbs].sort(),
    ...(kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
    ...(kind.categories.length === 0 ? {} : { categories: kind.categories }),
  };
}

function subresourceDocuments(scheme: Scheme, kind: AnyKind): object[] {
  return subresourcesOf(kind).map(([name, subresource]) => {
    const own = isVirtualSubresource(subresource);
    const foreign = own && (subresource.group !== kind.group || subresource.version !== kind.version);
    return {
      name: `${kind.plural}/${name}`,
      singularName: '',
      namespaced: kind.namespaced,
      ...(foreign ? { group: scheme.vocabulary.group(subresource.group), version: subresource.version } : {}),
      kind: own ? subresource.kind : kind.kind,
      verbs: [...subresource.verbs].sort(),
    };
  });
}

function aggregatedGroup(scheme: Scheme, { group, versions }: GroupVersions): object {
  return {
    metadata: group === '' ? { creationTimestamp: null } : { name: group, creationTimestamp: null },
    versions: versions.map((version) => ({
      version,
      resources: kindsOf(scheme, group, version).map((kind) => aggregatedResource(scheme, group, kind)),
      freshness: 'Current',
    })),
  };
}

function aggregatedResource(scheme: Scheme, group: string, kind: AnyKind): object {
  const subresources = subresourcesOf(kind).map(([name, subresource]) => ({
    subresource: name,
    responseKind: isVirtualSubresource(subresource)
      ? {
          group: scheme.vocabulary.group(subresource.group),
          version: subresource.version,
          kind: subresource.kind,
        }
      : { group, version: kind.version, kind: kind.kind },
    verbs: [...subresource.verbs].sort(),
  }));
  return {
    resource: kind.plural,
    responseKind: { group, version: kind.version, kind: kind.kind },
    scope: kind.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: kind.singular === '' ? kind.kind.toLowerCase() : kind.singular,
    verbs: [...kind.verbs].sort(),
    ...(kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
    ...(kind.categories.length === 0 ? {} : { categories: kind.categories }),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}
