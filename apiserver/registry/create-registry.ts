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
   * In the order they run. A function is called for every write, for plugins that are created after the
   * registry.
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

/** Creates the registry of all stored kinds in the scheme. Must be started before use. */
export function createRegistry(options: RegistryOptions): Registry {
  const { scheme, storage, environment, admission = [], enabled = enabledByDefault } = options;
  const plugins = typeof admission === 'function' ? admission : phasesFrom(admission);
  const surroundings = {
    scheme,
    storage,
    trials: createTrialStorage(storage),
    environment,
    enabled,
    allowPrivileged: options.allowPrivileged ?? true,
    shortestWatchMs: options.shortestWatchMs ?? SHORTEST_WATCH_MS,
    lines: createWriteLines(environment.clock),
    admission: plugins,
    onAdmission: options.onAdmission,
    onList: options.onList,
    onWatch: options.onWatch,
  };
  const resources = new Map<unknown, Resource>();
  const registries = new Map<unknown, ResourceRegistry>();
  const caches = new Map<string, WatchCache>();
  const newCache = (prefix: string, store: Storage, kind: AnyKind): WatchCache => {
    const { clock, log } = environment;
    return createWatchCache({
      storage: store,
      prefix,
      clock,
      log,
      inList: inListOf(kind),
      ...options.watchWindow,
    });
  };
  const cacheOf = (prefix: string, kind: AnyKind): WatchCache => {
    const cache = caches.get(prefix) ?? newCache(prefix, storage, kind);
    caches.set(prefix, cache);
    return cache;
  };
  for (const kind of scheme.kinds) {
    if (kind.virtual) continue;
    const stored = describeResource(kind, cacheOf(storagePrefix(scheme, kind), kind), surroundings);
    const resource = kind.storage === undefined ? stored : versionOf(stored, kind.storage);
    resources.set(kind, resource);
    registries.set(kind, createResourceRegistry(kind, resource));
  }
  const known = <T>(map: ReadonlyMap<unknown, T>, kind: Pick<AnyKind, 'kind'>): T => {
    const found = map.get(kind);
    if (found === undefined) throw new TypeError(`${kind.kind} is not a stored kind of this scheme`);
    return found;
  };

  const ends = new Map<AnyKind, () => Promise<void>>();
  const converters = new WeakMap<AnyKind, Converter>();
  const add = async (custom: CustomKind): Promise<void> => {
    const { kind } = custom;
    if (ends.has(kind)) return;
    const prefix = storagePrefix(scheme, kind);
    const cache = cacheOf(prefix, kind);
    await cache.start();
    const stored = describeResource(kind, cache, surroundings);
    const made = createCustomResource(custom, stored, storage, (store) => newCache(prefix, store, kind));
    resources.set(kind, made.resource);
    registries.set(kind, made.registry);
    ends.set(kind, made.end);
    if (custom.conversion) converters.set(kind, custom.conversion.convert);
  };
  const remove = async (kind: AnyKind): Promise<void> => {
    const end = ends.get(kind);
    ends.delete(kind);
    registries.delete(kind);
    resources.delete(kind);
    await end?.();
    const prefix = storagePrefix(scheme, kind);
    if ([...resources.values()].some((resource) => resource.prefix === prefix)) return;
    const cache = caches.get(prefix);
    caches.delete(prefix);
    await cache?.stop();
  };
  return {
    of: (kind) => known(registries, kind),
    reader: <T extends ApiObject>(kind: Kind<T>): ObjectReader<T> =>
      createObjectReader<T>(known(resources, kind)),
    converterOf: (kind) => converters.get(kind),
    count: (kind) => {
      const prefix = resources.get(kind)?.prefix ?? '';
      return countOf(caches.get(prefix), prefix) ?? 0;
    },
    counts: () =>
      new Map(
        [...resources.values()].map(({ name: { group, resource }, prefix }) => [
          group === '' ? resource : `${resource}.${group}`,
          // Upstream's value for a resource that cannot be counted.
          countOf(caches.get(prefix), prefix) ?? -1,
        ]),
      ),
    async add(kinds) {
      await Promise.all(kinds.map(add));
    },
    async remove(kinds) {
      await Promise.all(kinds.map(remove));
    },
    async start() {
      await patiently(environment, () => startAll([...caches.values()]));
    },
    async stop() {
      await Promise.all([...ends.values()].map((end) => end()));
      await Promise.all([...caches.values()].map((cache) => cache.stop()));
    },
  };
}

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
