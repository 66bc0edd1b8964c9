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
  type ResourceSurroundings,
  describeResource,
  storagePrefix,
} from './resource.ts';
import { versionOf } from './versions/version-view.ts';
import { createWriteLines } from './write/write-lines.ts';

export interface RegistryOptions {
  readonly storage: Storage;
  /** Scheme of the stored kinds. Its kinds at the time of creation are served permanently. */
  readonly scheme: Scheme;
  readonly environment: Environment;
  /** Plugins in the order in which they run. A function is called once, with the complete registry. */
  readonly admission?: readonly AdmissionPlugin[] | ((registry: Registry) => readonly AdmissionPlugin[]);
  /** Called with the duration of each admission phase. Default: none. */
  readonly onAdmission?: OnAdmission;
  /** Called with the object counts of each list. Default: none. */
  readonly onList?: OnList;
  readonly onWatch?: OnWatch;
  /** True for each enabled feature gate. Default: as in the release. */
  readonly enabled?: Enabled;
  /** True if pods may have privileged containers. Default: true. */
  readonly allowPrivileged?: boolean;
  /**
   * Minimum lifetime, in milliseconds, that the server chooses for a watch; the maximum is twice that.
   * Default: 30 minutes.
   */
  readonly shortestWatchMs?: number;
  /** Limits of the event window that each kind keeps for watches. */
  readonly watchWindow?: RingLimits;
}

const SHORTEST_WATCH_MS = 30 * 60_000;

/** Creates the registry of all stored kinds in the scheme. The caller must start it before use. */
export const createRegistry = (options: RegistryOptions): Registry => new StoredKinds(options);

class StoredKinds implements Registry {
  /**
   * Created last, from the complete registry: plugins read and write objects, and every write runs the
   * plugins.
   */
  readonly admission: PluginPhases;
  readonly #options: RegistryOptions;
  readonly #surroundings: ResourceSurroundings;
  readonly #resources = new Map<unknown, Resource>();
  readonly #registries = new Map<unknown, ResourceRegistry>();
  readonly #caches = new Map<string, WatchCache>();
  /** Functions that end the watches of each custom kind. */
  readonly #ends = new Map<AnyKind, () => Promise<void>>();
  readonly #converters = new WeakMap<AnyKind, Converter>();

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#surroundings = surroundingsOf(options, this);
    for (const kind of options.scheme.kinds) if (!kind.virtual) this.#addBuiltIn(kind);
    const { admission = [] } = options;
    this.admission = new PluginPhases(typeof admission === 'function' ? admission(this) : admission);
  }

  of(kind: AnyKind): ResourceRegistry {
    return known(this.#registries, kind);
  }

  reader<T extends ApiObject>(kind: Kind<T>): ObjectReader<T> {
    return createObjectReader<T>(known(this.#resources, kind));
  }

  converterOf(kind: AnyKind): Converter | undefined {
    return this.#converters.get(kind);
  }

  count(kind: AnyKind): number {
    const prefix = this.#resources.get(kind)?.prefix ?? '';
    return countOf(this.#caches.get(prefix), prefix) ?? 0;
  }

  counts(): ReadonlyMap<string, number> {
    return new Map(
      [...this.#resources.values()].map(({ name: { group, resource }, prefix }) => [
        group === '' ? resource : `${resource}.${group}`,
        // Upstream reports -1 for a resource that cannot be counted.
        countOf(this.#caches.get(prefix), prefix) ?? -1,
      ]),
    );
  }

  async add(kinds: readonly CustomKind[]): Promise<void> {
    await Promise.all(kinds.map((kind) => this.#addCustom(kind)));
  }

  async remove(kinds: readonly AnyKind[]): Promise<void> {
    await Promise.all(kinds.map((kind) => this.#removeCustom(kind)));
  }

  async start(): Promise<void> {
    await patiently(this.#options.environment, () => startAll([...this.#caches.values()]));
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#ends.values()].map((end) => end()));
    await Promise.all([...this.#caches.values()].map((cache) => cache.stop()));
  }

  #newCache(prefix: string, storage: Storage, kind: AnyKind): WatchCache {
    const { environment, watchWindow } = this.#options;
    const { clock, log } = environment;
    return createWatchCache({ storage, prefix, clock, log, inList: inListOf(kind), ...watchWindow });
  }

  #cacheOf(prefix: string, kind: AnyKind): WatchCache {
    const cache = this.#caches.get(prefix) ?? this.#newCache(prefix, this.#options.storage, kind);
    this.#caches.set(prefix, cache);
    return cache;
  }

  #addBuiltIn(kind: AnyKind): void {
    const prefix = storagePrefix(this.#options.scheme, kind);
    const stored = describeResource(kind, this.#cacheOf(prefix, kind), this.#surroundings);
    const resource = kind.storage === undefined ? stored : versionOf(stored, kind.storage);
    this.#resources.set(kind, resource);
    this.#registries.set(kind, createResourceRegistry(kind, resource));
  }

  async #addCustom(custom: CustomKind): Promise<void> {
    const { kind } = custom;
    if (this.#ends.has(kind)) return;
    const { scheme, storage } = this.#options;
    const prefix = storagePrefix(scheme, kind);
    const cache = this.#cacheOf(prefix, kind);
    await cache.start();
    const stored = describeResource(kind, cache, this.#surroundings);
    const made = createCustomResource(custom, stored, storage, (store) =>
      this.#newCache(prefix, store, kind),
    );
    this.#resources.set(kind, made.resource);
    this.#registries.set(kind, made.registry);
    this.#ends.set(kind, made.end);
    if (custom.conversion) this.#converters.set(kind, custom.conversion.convert);
  }

  async #removeCustom(kind: AnyKind): Promise<void> {
    const end = this.#ends.get(kind);
    this.#ends.delete(kind);
    this.#registries.delete(kind);
    this.#resources.delete(kind);
    await end?.();
    const prefix = storagePrefix(this.#options.scheme, kind);
    if ([...this.#resources.values()].some((resource) => resource.prefix === prefix)) return;
    const cache = this.#caches.get(prefix);
    this.#caches.delete(prefix);
    await cache?.stop();
  }
}

const surroundingsOf = (options: RegistryOptions, registry: Registry): ResourceSurroundings => ({
  scheme: options.scheme,
  storage: options.storage,
  trials: createTrialStorage(options.storage),
  environment: options.environment,
  enabled: options.enabled ?? enabledByDefault,
  allowPrivileged: options.allowPrivileged ?? true,
  shortestWatchMs: options.shortestWatchMs ?? SHORTEST_WATCH_MS,
  lines: createWriteLines(options.environment.clock),
  registry,
  onAdmission: options.onAdmission,
  onList: options.onList,
  onWatch: options.onWatch,
});

function known<T>(map: ReadonlyMap<unknown, T>, kind: Pick<AnyKind, 'kind'>): T {
  const found = map.get(kind);
  if (found === undefined) throw new TypeError(`${kind.kind} is not a stored kind of this scheme`);
  return found;
}

/** Returns the number of objects below a key prefix, or undefined if the stored objects cannot be read. */
function countOf(cache: WatchCache | undefined, prefix: string): number | undefined {
  try {
    return cache?.list(prefix).length ?? 0;
  } catch (thrown) {
    if (thrown instanceof StorageError) return undefined;
    throw thrown;
  }
}

/**
 * Starts the caches that are not running yet. Waits until each cache has started or failed, then throws the
 * first failure.
 */
async function startAll(caches: readonly WatchCache[]): Promise<void> {
  const outcomes = await Promise.allSettled(caches.map((cache) => cache.start()));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
