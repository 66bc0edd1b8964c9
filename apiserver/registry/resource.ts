import type { Enabled } from '../../api/features/features.ts';
import {
  type AnyKind,
  type ApiObject,
  type DeepReadonly,
  type Kind,
  type KindPolicy,
  type Scheme,
  type StrategyContext,
  type UserInfo,
  storedKindOf,
} from '../../api/kinds/index.ts';
import type { ResourceName } from '../../api/status/index.ts';
import type { Environment } from '../../base/environment.ts';
import type { Operation } from '../request.ts';
import type { Storage } from '../storage/storage.ts';
import type { WatchCache } from '../watch/watch-cache.ts';
import type { Converter } from './versions/conversion.ts';
import { type Recent, createRecent } from './write/recent.ts';
import type { WriteLines } from './write/write-lines.ts';
import type { Encoded, Registry } from './registry.ts';
import { chargeStored, readJson } from '../../api/schema/index.ts';

/** Store methods that the verbs use. Bytes are of the resource's version, whatever version is stored. */
export type ObjectStorage = Pick<Storage, 'revision' | 'get' | 'list' | 'put' | 'delete'>;

/** Cache methods that the verbs use. Entries are of the resource's version. */
export type ObjectCache = Omit<WatchCache, 'start' | 'stop'>;

/** Everything that the verbs need to know about one kind: its names, its storage, its policies. */
export interface Resource {
  readonly kind: Kind;
  readonly scheme: Scheme;
  readonly policy: KindPolicy;
  readonly storage: ObjectStorage;
  /** Store for dry runs: returns what `storage` would, and stores nothing. */
  readonly trials: ObjectStorage;
  readonly cache: ObjectCache;
  /** Converts between versions by a webhook. Undefined for a kind without a conversion webhook. */
  readonly convert?: Converter | undefined;
  readonly environment: Environment;
  readonly enabled: Enabled;
  /** True if pods may have privileged containers. */
  readonly allowPrivileged: boolean;
  /** Registry of the resource. Every write runs its admission plugins. */
  readonly registry: Pick<Registry, 'admission'>;
  /** Called with the duration of each admission phase, the sum over all plugins. */
  readonly onAdmission?: OnAdmission | undefined;
  /** Called with the object counts of each list. */
  readonly onList?: OnList | undefined;
  /** Called with the number of objects with which a watch begins. */
  readonly onWatch?: OnWatch | undefined;
  /** Minimum lifetime that the server chooses for a watch, in milliseconds. */
  readonly shortestWatchMs: number;
  readonly recent: Recent;
  /** Queues of writers for each object, shared by all versions of the kind. */
  readonly lines: WriteLines;
  readonly typeMeta: { readonly kind: string; readonly apiVersion: string };
  /** The resource's name in `notFound` and similar errors. */
  readonly name: ResourceName;
  /** The kind's name in `invalid` errors. */
  readonly kindName: { readonly group: string; readonly kind: string };
  /** Prefix of every storage key of the kind. */
  readonly prefix: string;
}

/** Observer of admission phases. `rejected` is true if a plugin has rejected the request. */
export type OnAdmission = (
  phase: 'admit' | 'validate',
  operation: Operation,
  rejected: boolean,
  tookMs: number,
) => void;

/** Observer of lists: the source, and the number of objects that were fetched, evaluated and returned. */
export type OnList = (
  resource: Pick<Resource, 'kind' | 'name' | 'prefix'>,
  from: 'cache' | 'storage',
  objects: { readonly fetched: number; readonly evaluated: number; readonly returned: number },
) => void;

export type OnWatch = (resource: Pick<Resource, 'kind' | 'prefix'>, present: number) => void;

/** Properties that the resources of all kinds share. */
export type ResourceSurroundings = Pick<
  Resource,
  | 'scheme'
  | 'storage'
  | 'trials'
  | 'environment'
  | 'registry'
  | 'onAdmission'
  | 'onList'
  | 'onWatch'
  | 'enabled'
  | 'allowPrivileged'
  | 'shortestWatchMs'
  | 'lines'
>;

/** Returns `/registry/<served group or core>/<plural>/`, the same for all versions of a kind. */
export function storagePrefix(scheme: Scheme, version: AnyKind): string {
  const kind = storedKindOf(version);
  const group = scheme.vocabulary.group(kind.group);
  return `/registry/${group === '' ? 'core' : group}/${kind.plural}/`;
}

/** Creates the resource of a kind. Its store and cache are unconverted: they contain the stored version. */
export function describeResource(
  kind: AnyKind,
  cache: ObjectCache,
  surroundings: ResourceSurroundings,
): Resource {
  const { scheme } = surroundings;
  // Errors name the group in which an object is stored, whichever group was requested.
  const stored = storedKindOf(kind);
  const group = scheme.vocabulary.group(stored.group);
  // Written member by member, so that all resources share one hidden class; objects created by spreading do
  // not.
  return {
    scheme,
    storage: surroundings.storage,
    trials: surroundings.trials,
    environment: surroundings.environment,
    registry: surroundings.registry,
    onAdmission: surroundings.onAdmission,
    onList: surroundings.onList,
    onWatch: surroundings.onWatch,
    enabled: surroundings.enabled,
    allowPrivileged: surroundings.allowPrivileged,
    shortestWatchMs: surroundings.shortestWatchMs,
    lines: surroundings.lines,
    // The cast is safe: decoding has checked the type of every object that the kind's functions receive.
    kind: kind as unknown as Kind,
    cache,
    convert: undefined,
    policy: stored.policy,
    recent: createRecent(),
    typeMeta: scheme.typeMetaOf(kind),
    name: { group, resource: kind.plural },
    kindName: { group: stored.errorGroup ?? group, kind: kind.kind },
    prefix: storagePrefix(scheme, kind),
  };
}

/** Returns the key of one object. `namespace` is ignored for a cluster-scoped kind. */
export const objectKey = (
  resource: { readonly kind: Pick<Kind, 'namespaced'>; readonly prefix: string },
  namespace: string,
  name: string,
): string =>
  resource.kind.namespaced ? `${resource.prefix}${namespace}/${name}` : `${resource.prefix}${name}`;

/** Returns the key prefix of a namespace's objects, or of all objects if `namespace` is ''. */
export const collectionPrefix = (resource: Resource, namespace: string): string =>
  resource.kind.namespaced && namespace !== '' ? `${resource.prefix}${namespace}/` : resource.prefix;

export const strategyContext = (resource: Resource, user: UserInfo): StrategyContext => ({
  vocabulary: resource.scheme.vocabulary,
  nowMs: resource.environment.clock.now(),
  user,
  enabled: resource.enabled,
});

/** Parses stored bytes and charges the current work budget. 64-bit integers are not rounded. */
export function parseObject(bytes: Buffer): DeepReadonly<ApiObject> {
  chargeStored(bytes);
  return readJson(bytes.toString('utf8')) as DeepReadonly<ApiObject>;
}

/**
 * Encoded bytes whose object is parsed on first use. This is a class because an accessor in an object literal
 * would be redefined for each object.
 */
export class EncodedBytes implements Encoded {
  readonly bytes: Buffer;
  #object: DeepReadonly<ApiObject> | undefined;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get object(): DeepReadonly<ApiObject> {
    this.#object ??= parseObject(this.bytes);
    return this.#object;
  }
}

/** Wraps stored bytes. The object is parsed on first use. */
export const encoded = (bytes: Buffer): Encoded => new EncodedBytes(bytes);
