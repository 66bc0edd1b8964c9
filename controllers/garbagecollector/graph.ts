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

/** One resource that the collector follows. */
export interface Followed {
  readonly resource: DiscoveredResource;
  readonly kind: Kind<ApiObject>;
  readonly informer: Informer<ApiObject>;
}

export interface Dependent {
  readonly key: string;
  readonly object: Any;
}

/** What depends on what, answered from the informers' indexes: there is no second copy of the cluster. */
export interface Graph {
  /** The work-queue key of an object: its resource, then namespace and name. */
  keyOf(followed: Followed, object: Any): string;
  find(
    key: string,
  ): { readonly followed: Followed; readonly namespace: string; readonly name: string } | undefined;
  /**
   * Objects with an owner reference to an object, in every followed resource. References across namespaces are none:
   * a namespaced object owns only in its own.
   */
  dependentsOf(owner: Any): readonly Dependent[];
  /**
   * The same for a decision that needs all of them. Throws `ERR_DEPENDENTS_UNKNOWN` while the cache of any followed
   * resource is not filled: dependents there may be, and would be orphaned or left without their owner.
   */
  allDependentsOf(owner: Any): readonly Dependent[];
  /** Keys of the objects of a uid that wait for their dependents to go. */
  waiting(uid: string): readonly string[];
  /** Keys of the objects that name an owner of a resource's kind which the caches do not show. */
  missing(resource: DiscoveredResource): readonly string[];
  /** The resource of an owner reference; undefined for a kind that the server does not serve at that version. */
  ownerResource(apiVersion: string, kind: string): DiscoveredResource | undefined;
  /** Group versions at which the server serves the kind that an owner reference names, in the same group. */
  servedVersions(apiVersion: string, kind: string): readonly string[];
  follows(resource: DiscoveredResource): boolean;
  /**
   * Whether the caches show the very owner that a reference in `namespace` means, and not waiting for its dependents. That
   * is enough to leave a dependent alone: when the owner goes, its own event brings up whatever depends on it.
   */
  showsSolid(reference: DeepReadonly<OwnerReference>, namespace: string): boolean;
  /** How long the cache of an owner's kind has been unable to follow it, milliseconds; 0 for one that follows. */
  behindMs(reference: DeepReadonly<OwnerReference>): number;
  /** What the server serves now. Those that are new are followed from now on, those that are gone no more. */
  replace(resources: readonly DiscoveredResource[]): {
    readonly added: readonly Followed[];
    readonly removed: readonly Followed[];
  };
}

const OWNER_INDEX = 'owner';
/** By their own uid, the objects that wait for their dependents to go. */
const WAITING_INDEX = 'waiting';
export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';

/** In foreground deletion. */
export const isWaiting = ({ metadata }: Any): boolean =>
  metadata?.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(FOREGROUND);

const resourceKey = ({ plural, version, group }: DiscoveredResource): string =>
  `${plural}.${version}.${group}`;
const splitVersion = (apiVersion: string): readonly [group: string, version: string] => {
  const slash = apiVersion.indexOf('/');
  return [apiVersion.slice(0, Math.max(0, slash)), apiVersion.slice(slash + 1)];
};

/** Events come and go by themselves, in numbers, and own nothing. */
const isFollowed = ({ kind, verbs }: DiscoveredResource): boolean =>
  kind !== 'Event' && ['list', 'watch', 'delete'].every((verb) => verbs.includes(verb));

export function createGraph(client: Client, informers: Informers): Graph {
  const byKey = new Map<string, Followed>();
  /** By kind and group, as owner references name them. */
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
  /** Those whose caches are filled; the others enqueue what matters when theirs are. */
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
          `cannot tell all dependents of ${keyOf(owner as ApiObject)}: the cache of ${unknown.kind.plural} is not filled` +
            ` (${unknown.informer.problem() ?? 'its first list is under way'})`,
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
