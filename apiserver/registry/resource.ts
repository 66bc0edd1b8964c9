import type { Enabled } from '../../api/features/features.ts';
import type { ApiObject, DeepReadonly, Kind, StrategyContext, UserInfo } from '../../api/kinds/kind.ts';
import type { AnyKind, Scheme } from '../../api/kinds/scheme.ts';
import type { ResourceName } from '../../api/status/api-error.ts';
import type { Environment } from '../../base/environment.ts';
import type { Operation } from '../request.ts';
import type { Storage } from '../storage/storage.ts';
import type { WatchCache } from '../watch/watch-cache.ts';
import { storedKindOf } from '../../api/kinds/kind.ts';
import type { Converter } from './versions/conversion.ts';
import type { KindPolicy } from '../../api/kinds/policy.ts';
import type { PluginPhases } from './write/plugin-phases.ts';
import { type Recent, createRecent } from './write/recent.ts';
import type { WriteLines } from './write/write-lines.ts';
import type { Encoded } from './registry.ts';
import { readJson } from '../../api/schema/exact-json.ts';
import { chargeStored } from '../../api/schema/json-scan.ts';

/** What the verbs need of a store; bytes are of the resource's version, whatever version is stored. */
export type ObjectStorage = Pick<Storage, 'revision' | 'get' | 'list' | 'put' | 'delete'>;

/** What the verbs need of a cache; entries are of the resource's version. */
export type ObjectCache = Omit<WatchCache, 'start' | 'stop'>;

/** One kind as the registry's verbs see it: what it is called, where it is kept, how it is written. */
export interface Resource {
  readonly kind: Kind;
  readonly scheme: Scheme;
  readonly policy: KindPolicy;
  readonly storage: ObjectStorage;
  /** The same store for dry runs: answers as `storage` does and keeps nothing. */
  readonly trials: ObjectStorage;
  readonly cache: ObjectCache;
  /** Converts between versions by a webhook; undefined for a kind that needs none. */
  readonly convert?: Converter | undefined;
  readonly environment: Environment;
  readonly enabled: Enabled;
  /** Whether pods may have containers that are privileged. */
  readonly allowPrivileged: boolean;
  /** In order; read on every write, so that plugins may be made after the registry. */
  readonly admission: () => PluginPhases;
  /** Told what each phase of admission took, of all plugins together. */
  readonly onAdmission?: OnAdmission | undefined;
  /** Told what each LIST took. */
  readonly onList?: OnList | undefined;
  /** Told with how many present objects a watch begins. */
  readonly onWatch?: OnWatch | undefined;
  /** Shortest of the lives the server chooses for a watch, milliseconds. */
  readonly shortestWatchMs: number;
  readonly recent: Recent;
  /** Of writers of one object, whatever version of its kind they write. */
  readonly lines: WriteLines;
  readonly typeMeta: { readonly kind: string; readonly apiVersion: string };
  /** As `notFound` and its like name it. */
  readonly name: ResourceName;
  /** As `invalid` names it. */
  readonly kindName: { readonly group: string; readonly kind: string };
  /** Of every key of the kind. */
  readonly prefix: string;
}

/** `rejected`: a plugin has refused. Milliseconds. */
export type OnAdmission = (
  phase: 'admit' | 'validate',
  operation: Operation,
  rejected: boolean,
  tookMs: number,
) => void;

/** How many objects a LIST read from where, how many of them it looked at, and how many it answers. */
export type OnList = (
  resource: Pick<Resource, 'kind' | 'name' | 'prefix'>,
  from: 'cache' | 'storage',
  objects: { readonly fetched: number; readonly evaluated: number; readonly returned: number },
) => void;

export type OnWatch = (resource: Pick<Resource, 'kind' | 'prefix'>, present: number) => void;

/** What the verbs of all kinds share. */
export type ResourceSurroundings = Pick<
  Resource,
  | 'scheme'
  | 'storage'
  | 'trials'
  | 'environment'
  | 'admission'
  | 'onAdmission'
  | 'onList'
  | 'onWatch'
  | 'enabled'
  | 'allowPrivileged'
  | 'shortestWatchMs'
  | 'lines'
>;

/** `/registry/<served group or core>/<plural>/`, the same for all versions of a kind. */
export function storagePrefix(scheme: Scheme, version: AnyKind): string {
  const kind = storedKindOf(version);
  const group = scheme.vocabulary.group(kind.group);
  return `/registry/${group === '' ? 'core' : group}/${kind.plural}/`;
}

export function describeResource(
  kind: AnyKind,
  cache: ObjectCache,
  surroundings: ResourceSurroundings,
): Resource {
  const { scheme } = surroundings;
  // Errors name the group an object is kept in, whichever group it was asked for in.
  const stored = storedKindOf(kind);
  const group = scheme.vocabulary.group(stored.group);
  // Member by member: all resources then have one shape, which spread ones have not.
  return {
    scheme,
    storage: surroundings.storage,
    trials: surroundings.trials,
    environment: surroundings.environment,
    admission: surroundings.admission,
    onAdmission: surroundings.onAdmission,
    onList: surroundings.onList,
    onWatch: surroundings.onWatch,
    enabled: surroundings.enabled,
    allowPrivileged: surroundings.allowPrivileged,
    shortestWatchMs: surroundings.shortestWatchMs,
    lines: surroundings.lines,
    // A kind's functions take its own objects; decoding has made sure that they get no others.
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

/** The key of one object; `namespace` is not looked at for cluster-scoped kinds. */
export const objectKey = (
  resource: { readonly kind: Pick<Kind, 'namespaced'>; readonly prefix: string },
  namespace: string,
  name: string,
): string =>
  resource.kind.namespaced ? `${resource.prefix}${namespace}/${name}` : `${resource.prefix}${name}`;

/** The prefix of a namespace's objects; of all of them when `namespace` is ''. */
export const collectionPrefix = (resource: Resource, namespace: string): string =>
  resource.kind.namespaced && namespace !== '' ? `${resource.prefix}${namespace}/` : resource.prefix;

export const strategyContext = (resource: Resource, user: UserInfo): StrategyContext => ({
  vocabulary: resource.scheme.vocabulary,
  nowMs: resource.environment.clock.now(),
  user,
  enabled: resource.enabled,
});

export function parseObject(bytes: Buffer): DeepReadonly<ApiObject> {
  chargeStored(bytes);
  return readJson(bytes.toString('utf8')) as DeepReadonly<ApiObject>;
}

/** Ready bytes with the object behind them, parsed when somebody asks. A class: an accessor in a literal is defined anew each time. */
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

export const encoded = (bytes: Buffer): Encoded => new EncodedBytes(bytes);
