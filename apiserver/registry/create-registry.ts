import { type Enabled, enabledByDefault } from '../../api/features/features.ts';
import type { AnyKind, ApiObject, Kind, Scheme } from '../../api/kinds/index.ts';
import type { Environment } from '../../base/environment.ts';
import type { AdmissionPlugin } from '../request.ts';
import { patiently } from '../storage/patience.ts';
import { type Storage, StorageError } from '../storage/storage.ts';
import { createTrialStorage } from '../storage/trial.ts';
import { createWatchCache } from '../watch/cache.ts';
import type { WatchCache } from '../watch/watch-cache.ts';
import type { RingLimits } from '../watch/ring.ts';
import type { Converter } from './versions/conversion.ts';
import { createCustomResource } from './versions/custom-resource.ts';
import { inListOf } from './read/list-document.ts';
import { createObjectReader } from './read/object-reader.ts';
import { PluginPhases } from './write/plugin-phases.ts';
import type { CustomKind, ObjectReader, Registry, ResourceRegistry } from './registry.ts';
import { createResourceRegistry } from './resource-registry.ts';
import {
  type OnAdmission,
  type OnList,
  type OnWatch,
  type Resource,
  describeResource,
  storagePrefix,
} from './resource.ts';
import { versionOf } from './versions/version-view.ts';
import { createWriteLines } from './write/write-lines.ts';

export interface RegistryOptions {
  readonly storage: Storage;
  /** The kinds it has at creation are served permanently. */
  readonly scheme: Scheme;
  readonly environment: Environment;
  /**
   * Admission plugins in execution order. A function is called for every write, for plugins that are created
   * after the registry.
   */
  readonly admission?: readonly AdmissionPlugin[] | (() => PluginPhases);
  /** Observes the duration of admission phases. Default: none. */
  readonly onAdmission?: OnAdmission;
  /** Observes the object counts of lists. Default: none. */
  readonly onList?: OnList;
  readonly onWatch?: OnWatch;
  /** Enabled features; default as in the release. */
  readonly enabled?: Enabled;
  /** True if pods may have privileged containers; default true. */
  readonly allowPrivileged?: boolean;
  /**
   * Shortest lifetime in milliseconds that the server chooses for a watch; the longest is twice that. Default
   * 30 minutes.
   */
  readonly shortestWatchMs?: number;
  /** Limits of each kind's watch window. */
  readonly watchWindow?: RingLimits;
}

const SHORTEST_WATCH_MS = 30 * 60_000;

/** Watch caches by storage prefix. The versions of a kind without conversion share one. */
class SharedCaches {
  readonly #options: RegistryOptions;
  readonly #byPrefix = new Map<string, WatchCache>();

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  /** Creates a cache that is not shared. */
  create(prefix: string, storage: Storage, kind: AnyKind): WatchCache {
    const { environment, watchWindow } = this.#options;
    const { clock, log } = environment;
    return createWatchCache({ storage, prefix, clock, log, inList: inListOf(kind), ...watchWindow });
  }

  /** Returns the cache of a prefix, created on the first call. */
  of(prefix: string, kind: AnyKind): WatchCache {
    const cache = this.#byPrefix.get(prefix) ?? this.create(prefix, this.#options.storage, kind);
    this.#byPrefix.set(prefix, cache);
    return cache;
  }

  /** Returns the number of objects; undefined if they cannot be read. */
  count(prefix: string): number | undefined {
    return countOf(this.#byPrefix.get(prefix), prefix);
  }

  /** Stops and forgets the cache of a prefix. */
  async drop(prefix: string): Promise<void> {
    const cache = this.#byPrefix.get(prefix);
    this.#byPrefix.delete(prefix);
    await cache?.stop();
  }

  async start(): Promise<void> {
    await patiently(this.#options.environment, () => startAll([...this.#byPrefix.values()]));
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#byPrefix.values()].map((cache) => cache.stop()));
  }
}

/** The resource and the registry of each stored kind. */
class StoredKinds {
  readonly #resources = new Map<unknown, Resource>();
  readonly #registries = new Map<unknown, ResourceRegistry>();

  set(kind: AnyKind, resource: Resource, registry: ResourceRegistry): void {
    this.#resources.set(kind, resource);
    this.#registries.set(kind, registry);
  }

  delete(kind: AnyKind): void {
    this.#resources.delete(kind);
    this.#registries.delete(kind);
  }

  get resources(): readonly Resource[] {
    return [...this.#resources.values()];
  }

  /** Returns undefined if the kind is not stored. */
  find(kind: AnyKind): Resource | undefined {
    return this.#resources.get(kind);
  }

  resource(kind: Pick<AnyKind, 'kind'>): Resource {
    return this.#known(this.#resources, kind);
  }

  registry(kind: Pick<AnyKind, 'kind'>): ResourceRegistry {
    return this.#known(this.#registries, kind);
  }

  #known<T>(map: ReadonlyMap<unknown, T>, kind: Pick<AnyKind, 'kind'>): T {
    const found = map.get(kind);
    if (found === undefined) throw new TypeError(`${kind.kind} is not a stored kind of this scheme`);
    return found;
  }
}

/** Returns what the resources of all kinds share. */
function sharedBy(options: RegistryOptions): Parameters<typeof describeResource>[2] {
  const { scheme, storage, environment, admission = [], enabled = enabledByDefault } = options;
  return {
    scheme,
    storage,
    trials: createTrialStorage(storage),
    environment,
    enabled,
    allowPrivileged: options.allowPrivileged ?? true,
    shortestWatchMs: options.shortestWatchMs ?? SHORTEST_WATCH_MS,
    lines: createWriteLines(environment.clock),
    admission: typeof admission === 'function' ? admission : phasesFrom(admission),
    onAdmission: options.onAdmission,
    onList: options.onList,
    onWatch: options.onWatch,
  };
}

/** Creates the registry of all stored kinds in the scheme. Must be started before use. */
export function createRegistry(options: RegistryOptions): Registry {
  const { scheme, storage } = options;
  const surroundings = sharedBy(options);
  const caches = new SharedCaches(options);
  const stored = new StoredKinds();
  for (const kind of scheme.kinds) {
    if (kind.virtual) continue;
    const own = describeResource(kind, caches.of(storagePrefix(scheme, kind), kind), surroundings);
    const resource = kind.storage === undefined ? own : versionOf(own, kind.storage);
    stored.set(kind, resource, createResourceRegistry(kind, resource));
  }

  const ends = new Map<AnyKind, () => Promise<void>>();
  const converters = new WeakMap<AnyKind, Converter>();
  const add = async (custom: CustomKind): Promise<void> => {
    const { kind } = custom;
    if (ends.has(kind)) return;
    const prefix = storagePrefix(scheme, kind);
    const cache = caches.of(prefix, kind);
    await cache.start();
    const own = describeResource(kind, cache, surroundings);
    const made = createCustomResource(custom, own, storage, (store) => caches.create(prefix, store, kind));
    stored.set(kind, made.resource, made.registry);
    ends.set(kind, made.end);
    if (custom.conversion) converters.set(kind, custom.conversion.convert);
  };
  const remove = async (kind: AnyKind): Promise<void> => {
    const end = ends.get(kind);
    ends.delete(kind);
    stored.delete(kind);
    await end?.();
    const prefix = storagePrefix(scheme, kind);
    if (!stored.resources.some((resource) => resource.prefix === prefix)) await caches.drop(prefix);
  };
  return {
    of: (kind) => stored.registry(kind),
    reader: <T extends ApiObject>(kind: Kind<T>): ObjectReader<T> =>
      createObjectReader<T>(stored.resource(kind)),
    converterOf: (kind) => converters.get(kind),
    count: (kind) => caches.count(stored.find(kind)?.prefix ?? '') ?? 0,
    counts: () => countsOf(stored.resources, caches),
    async add(kinds) {
      await Promise.all(kinds.map(add));
    },
    async remove(kinds) {
      await Promise.all(kinds.map(remove));
    },
    start: () => caches.start(),
    async stop() {
      await Promise.all([...ends.values()].map((end) => end()));
      await caches.stop();
    },
  };
}

/** Returns the number of objects by resource; -1, as upstream, for a resource that cannot be counted. */
const countsOf = (resources: readonly Resource[], caches: SharedCaches): ReadonlyMap<string, number> =>
  new Map(
    resources.map(({ name: { group, resource }, prefix }) => [
      group === '' ? resource : `${resource}.${group}`,
      caches.count(prefix) ?? -1,
    ]),
  );

function phasesFrom(plugins: readonly AdmissionPlugin[]): () => PluginPhases {
  const phases = new PluginPhases(plugins);
  return () => phases;
}

/** Returns undefined if the stored objects cannot be read. */
function countOf(cache: WatchCache | undefined, prefix: string): number | undefined {
  try {
    return cache?.list(prefix).length ?? 0;
  } catch (thrown) {
    if (thrown instanceof StorageError) return undefined;
    throw thrown;
  }
}

/**
 * Starts the caches that are not running yet. Waits until each has started or failed, then throws the first
 * failure.
 */
async function startAll(caches: readonly WatchCache[]): Promise<void> {
  const outcomes = await Promise.allSettled(caches.map((cache) => cache.start()));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
