import { type ApiObject, type DeepReadonly, type Kind, keyOf, splitKey } from '../../api/kinds/index.ts';
import { CodedError } from '../../base/errors/index.ts';
import type { OwnerReference } from '../../api/types/meta-v1.ts';
import {
  type Client,
  type DiscoveredResource,
  type Informer,
  type Informers,
  kindOf,
} from '../../runtime/index.ts';

type Any = DeepReadonly<ApiObject>;

/** Resource that the collector follows. */
export interface Followed {
  readonly resource: DiscoveredResource;
  readonly kind: Kind<ApiObject>;
  readonly informer: Informer<ApiObject>;
}

/** Object with an owner reference, and its work-queue key. */
export interface Dependent {
  readonly key: string;
  readonly object: Any;
}

/** Ownership graph of the cluster, computed from the indexes of the informers without copying the objects. */
export interface Graph {
  /** Returns the work-queue key of an object: its resource, its namespace and its name. */
  keyOf(followed: Followed, object: Any): string;
  find(
    key: string,
  ): { readonly followed: Followed; readonly namespace: string; readonly name: string } | undefined;
  /**
   * Returns the objects of all followed resources that have an owner reference to `owner`. References across
   * namespaces are ignored, because a namespaced object owns only objects in its namespace.
   */
  dependentsOf(owner: Any): readonly Dependent[];
  /**
   * Returns the result of `dependentsOf` for a decision that needs all dependents. Throws
   * `ERR_DEPENDENTS_UNKNOWN` while the cache of a followed resource is not filled, because the decision might
   * orphan unknown dependents.
   */
  allDependentsOf(owner: Any): readonly Dependent[];
  /** Returns the keys of the objects with this uid that wait for their dependents to be deleted. */
  waiting(uid: string): readonly string[];
  /** Returns the keys of the objects that refer to an owner of this resource which the caches lack. */
  missing(resource: DiscoveredResource): readonly string[];
  /**
   * Returns the resource of an owner reference, or undefined if the server does not serve the kind at this
   * version.
   */
  ownerResource(apiVersion: string, kind: string): DiscoveredResource | undefined;
  /** Returns the group versions at which the server serves a kind, within the group of `apiVersion`. */
  servedVersions(apiVersion: string, kind: string): readonly string[];
  follows(resource: DiscoveredResource): boolean;
  /**
   * True if the caches contain exactly the owner of a reference in `namespace`, and the owner does not wait
   * for its dependents. The dependent then needs no work: the event of the owner's deletion enqueues it.
   */
  showsSolid(reference: DeepReadonly<OwnerReference>, namespace: string): boolean;
  /**
   * Returns the milliseconds since the cache of an owner's kind lost contact with the server, or 0 if it has
   * contact.
   */
  behindMs(reference: DeepReadonly<OwnerReference>): number;
  /** Replaces the served resources: follows new resources and stops following missing ones. */
  replace(resources: readonly DiscoveredResource[]): {
    readonly added: readonly Followed[];
    readonly removed: readonly Followed[];
  };
}

const OWNER_INDEX = 'owner';
/** Name of the index of the objects in foreground deletion by their own uid. */
const WAITING_INDEX = 'waiting';
export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';

/** True if the object is in foreground deletion, in which it waits for its dependents to be deleted. */
export const isWaiting = ({ metadata }: Any): boolean =>
  metadata?.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(FOREGROUND);

const resourceKey = ({ plural, version, group }: DiscoveredResource): string =>
  `${plural}.${version}.${group}`;
const splitVersion = (apiVersion: string): readonly [group: string, version: string] => {
  const slash = apiVersion.indexOf('/');
  return [apiVersion.slice(0, Math.max(0, slash)), apiVersion.slice(slash + 1)];
};

/**
 * True if a resource can be followed. Events are not followed, because they are numerous, expire by
 * themselves and own nothing.
 */
const isFollowed = ({ kind, verbs }: DiscoveredResource): boolean =>
  kind !== 'Event' && ['list', 'watch', 'delete'].every((verb) => verbs.includes(verb));

export function createGraph(client: Client, informers: Informers): Graph {
  const byKey = new Map<string, Followed>();
  /** Resources by kind and group, the identifiers in owner references. */
  const byKind = new Map<string, DiscoveredResource>();
  const follow = (resource: DiscoveredResource): Followed => {
    const kind = kindOf(client, resource);
    const informer = informers.of(kind, { metadataOnly: true });
    informer.index(OWNER_INDEX, (object) => (object.metadata?.ownerReferences ?? []).map(({ uid }) => uid));
    informer.index(WAITING_INDEX, (object) => (isWaiting(object) ? [object.metadata?.uid ?? ''] : []));
    return { resource, kind, informer };
  };
  const key = ({ resource }: Followed, object: Any): string =>
    `${resourceKey(resource)}/${keyOf(object as ApiObject)}`;
  const ownerResource: Graph['ownerResource'] = (apiVersion, kind) => {
    const [group, version] = splitVersion(apiVersion);
    const resource = byKind.get(`${kind}.${group}`);
    return resource?.versions.includes(version) ? resource : undefined;
  };
  const showsSolid: Graph['showsSolid'] = ({ apiVersion, kind, name, uid }, namespace) => {
    const resource = ownerResource(apiVersion, kind);
    if (!resource || (resource.namespaced && namespace === '')) return false;
    const place = resource.namespaced ? `${namespace}/${name}` : name;
    const informer = byKey.get(resourceKey(resource))?.informer;
    const owner = informer?.synced ? informer.store.get(place) : undefined;
    return owner?.metadata?.uid === uid && !isWaiting(owner);
  };
  /**
   * Returns the resources whose caches are filled. The objects of the other resources are enqueued once their
   * caches are filled.
   */
  const filled = (): readonly Followed[] => [...byKey.values()].filter(({ informer }) => informer.synced);
  const dependentsOf: Graph['dependentsOf'] = ({ metadata }) => {
    const { uid = '', namespace } = metadata ?? {};
    const found: Dependent[] = [];
    for (const each of byKey.values()) {
      if ((namespace && !each.resource.namespaced) || !each.informer.synced) continue;
      for (const object of each.informer.store.byIndex(OWNER_INDEX, uid))
        if (!namespace || object.metadata?.namespace === namespace)
          found.push({ key: key(each, object), object });
    }
    return found;
  };
  return {
    keyOf: key,
    find(text) {
      const slash = text.indexOf('/');
      const found = byKey.get(text.slice(0, slash));
      return found && { followed: found, ...splitKey(text.slice(slash + 1)) };
    },
    dependentsOf,
    allDependentsOf(owner) {
      const unknown = [...byKey.values()].find(({ informer }) => !informer.synced);
      if (unknown !== undefined)
        throw new CodedError(
          'ERR_DEPENDENTS_UNKNOWN',
          `cannot list all dependents of ${keyOf(owner as ApiObject)}: the cache of ${unknown.kind.plural} is not filled` +
            ` (${unknown.informer.problem() ?? 'its first list is in progress'})`,
        );
      return dependentsOf(owner);
    },
    waiting(uid) {
      const found: string[] = [];
      for (const each of filled())
        for (const object of each.informer.store.byIndex(WAITING_INDEX, uid)) found.push(key(each, object));
      return found;
    },
    missing(resource) {
      const found: string[] = [];
      for (const each of filled())
        for (const object of each.informer.store.list()) {
          const { namespace = '', ownerReferences = [] } = object.metadata ?? {};
          const isMissing = ownerReferences.some(
            (owner) =>
              ownerResource(owner.apiVersion, owner.kind) === resource && !showsSolid(owner, namespace),
          );
          if (isMissing) found.push(key(each, object));
        }
      return found;
    },
    ownerResource,
    servedVersions(apiVersion, kind) {
      const [group] = splitVersion(apiVersion);
      const versions = byKind.get(`${kind}.${group}`)?.versions ?? [];
      return versions.map((version) => (group === '' ? version : `${group}/${version}`));
    },
    follows: (resource) => byKey.has(resourceKey(resource)),
    showsSolid,
    behindMs({ apiVersion, kind }) {
      const resource = ownerResource(apiVersion, kind);
      const informer = resource && byKey.get(resourceKey(resource))?.informer;
      return informer?.problem() === undefined ? 0 : informer.silentMs();
    },
    replace(resources) {
      byKind.clear();
      for (const each of resources.toReversed()) byKind.set(`${each.kind}.${each.group}`, each);
      const wanted = new Map(resources.filter(isFollowed).map((each) => [resourceKey(each), each]));
      const removed = [...byKey].filter(([name]) => !wanted.has(name));
      for (const [name] of removed) byKey.delete(name);
      const added = [...wanted].filter(([name]) => !byKey.has(name));
      for (const [name, resource] of added) byKey.set(name, follow(resource));
      return {
        added: added.flatMap(([name]) => byKey.get(name) ?? []),
        removed: removed.map(([, followed]) => followed),
      };
    },
  };
}
