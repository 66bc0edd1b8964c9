import { createHash } from 'node:crypto';
import {
  type AnyKind,
  type Connection,
  type Scheme,
  type Subresource,
  type Verb,
  isVirtualSubresource,
  storedKindOf,
} from '../../api/kinds/index.ts';
import { type ExternalGroupVersion, aggregatedExternal } from './external.ts';
import { type GroupVersions, groupsOnce } from './groups.ts';

/**
 * Discovery documents that are created from the served kinds (the discovery types of upstream's `meta/v1`).
 */
export interface Discovery {
  /**
   * Returns the document of `/api/v1` or `/apis/{group}/{version}`. Returns undefined if the version is not
   * served.
   */
  resources(group: string, version: string): object | undefined;
  /** Returns the document of `/apis/{group}`. Returns undefined if the group is not served. */
  group(group: string): object | undefined;
  /** Returns the document of `/apis`. */
  groups(): object;
  /** Returns the document of `/api`. */
  coreVersions(serverAddress: string): object;
  /**
   * Returns the aggregated document of `/api` (if `core` is true) or `/apis`, which contains all resources.
   */
  aggregated(core: boolean, version: 'v2' | 'v2beta1'): object;
  /** True if this server or another one serves the group. */
  hasGroup(group: string): boolean;
}

const NONE: readonly ExternalGroupVersion[] = [];
const NOTHING_ELSE = (): readonly ExternalGroupVersion[] => NONE;

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Creates discovery documents. Each call uses the current kinds of `scheme` and the current group versions of
 * other servers.
 */
export function createDiscovery(
  scheme: Scheme,
  external: () => readonly ExternalGroupVersion[] = NOTHING_ELSE,
): Discovery {
  const groups = groupsOnce(scheme, external);
  const byName = (name: string): GroupVersions | undefined => groups().find(({ group }) => group === name);
  return {
    hasGroup: (group) => byName(group) !== undefined,
    resources: (group, version) => resourceList(scheme, group, version),
    group: (name) => {
      const found = name === '' ? undefined : byName(name);
      return found === undefined
        ? undefined
        : { kind: 'APIGroup', apiVersion: 'v1', ...groupDocument(found) };
    },
    groups: () => ({
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: groups()
        .filter(({ group }) => group !== '')
        .map(groupDocument),
    }),
    coreVersions: (serverAddress) => ({
      kind: 'APIVersions',
      versions: byName('')?.versions ?? [],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
    }),
    aggregated: (core, version) => ({
      kind: 'APIGroupDiscoveryList',
      apiVersion: `${scheme.vocabulary.group('apidiscovery')}/${version}`,
      metadata: {},
      items: groups()
        .filter(({ group }) => (group === '') === core)
        .map((each) => aggregatedGroup(scheme, external(), each)),
    }),
  };
}

function groupDocument({ group, versions }: GroupVersions): object {
  const listed = versions.map((version) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions: listed, preferredVersion: listed[0] };
}

const kindsOf = (scheme: Scheme, group: string, version: string): AnyKind[] =>
  scheme.kinds
    .filter((kind) => kind.version === version && scheme.vocabulary.group(kind.group) === group)
    .sort((a, b) => compare(a.plural, b.plural));

/**
 * Returns the subresources in upstream's order: sorted by name for built-in kinds, `status` before `scale`
 * for custom kinds.
 */
const subresourcesOf = (kind: AnyKind): [string, Subresource<never>][] => {
  const declared = Object.entries<Subresource<never>>(kind.subresources);
  return kind.schema.root === undefined ? declared.sort(([a], [b]) => compare(a, b)) : declared;
};

const connectionsOf = (kind: AnyKind): [string, Connection][] => Object.entries(kind.connections ?? {});

function resourceList(scheme: Scheme, group: string, version: string): object | undefined {
  const kinds = kindsOf(scheme, group, version);
  if (kinds.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: group === '' ? version : `${group}/${version}`,
    resources: kinds.flatMap((kind) => [
      resourceDocument(scheme, kind),
      ...subresourceDocuments(scheme, kind),
    ]),
  };
}

const LAST_VERBS: ReadonlySet<Verb> = new Set(['delete', 'deletecollection', 'get', 'list', 'watch']);
/** Verbs of custom kinds in upstream's order; the verbs of built-in kinds are sorted by name. */
const CUSTOM_VERBS: readonly Verb[] = [
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'create',
  'update',
  'watch',
];

/**
 * Returns the verbs of a kind. A kind that is being deleted has only the verbs that help to delete its
 * objects.
 */
function verbsOf({ schema, verbs, terminating = false }: AnyKind): Verb[] {
  const shown =
    schema.root === undefined ? [...verbs].sort() : CUSTOM_VERBS.filter((each) => verbs.includes(each));
  return terminating ? shown.filter((verb) => LAST_VERBS.has(verb)) : shown;
}

/** Returns a hash that changes with the storage version. It is computed as in upstream. */
function storageVersionHash(scheme: Scheme, version: AnyKind): string {
  const { group, version: stored, kind } = storedKindOf(version);
  const words = `${scheme.vocabulary.group(group)}/${stored}/${kind}`;
  return createHash('sha256').update(words).digest().subarray(0, 8).toString('base64');
}

function resourceDocument(scheme: Scheme, kind: AnyKind): object {
  return {
    name: kind.plural,
    singularName: kind.singular,
    namespaced: kind.namespaced,
    kind: kind.kind,
    verbs: verbsOf(kind),
    ...(kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
    ...(kind.categories.length === 0 ? {} : { categories: kind.categories }),
    ...(kind.virtual ? {} : { storageVersionHash: storageVersionHash(scheme, kind) }),
  };
}

function subresourceDocuments(scheme: Scheme, kind: AnyKind): object[] {
  const connections = connectionsOf(kind).map(([name, connection]) => ({
    name: `${kind.plural}/${name}`,
    singularName: '',
    namespaced: kind.namespaced,
    kind: connection.reads ? kind.kind : connection.kind,
    verbs: connection.verbs,
  }));
  const others = subresourcesOf(kind).map(([name, subresource]) => {
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
  return connections.length === 0
    ? others
    : [...connections, ...others].sort((a, b) => compare(a.name, b.name));
}

function aggregatedGroup(
  scheme: Scheme,
  external: readonly ExternalGroupVersion[],
  { group, versions }: GroupVersions,
): object {
  const own = (version: string): object => ({
    version,
    resources: kindsOf(scheme, group, version).map((kind) => aggregatedResource(scheme, group, kind)),
    freshness: 'Current',
  });
  return {
    metadata: group === '' ? { creationTimestamp: null } : { name: group, creationTimestamp: null },
    versions: versions.map((version) => {
      const other = external.find((each) => each.group === group && each.version === version);
      return other === undefined ? own(version) : aggregatedExternal(other);
    }),
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
  const connections = connectionsOf(kind).map(([name, connection]) => ({
    subresource: name,
    responseKind: { group, version: kind.version, kind: connection.reads ? kind.kind : connection.kind },
    verbs: connection.verbs,
  }));
  const all = [...connections, ...subresources].sort((a, b) => compare(a.subresource, b.subresource));
  return {
    resource: kind.plural,
    responseKind: { group, version: kind.version, kind: kind.kind },
    scope: kind.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: kind.singular === '' ? kind.kind.toLowerCase() : kind.singular,
    verbs: verbsOf(kind),
    ...(kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
    ...(kind.categories.length === 0 ? {} : { categories: kind.categories }),
    ...(all.length === 0 ? {} : { subresources: all }),
  };
}
