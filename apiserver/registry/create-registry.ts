import type { ApiObject, Kind } from '../../api/kinds/kind.ts';
import type { AnyKind, Scheme } from '../../api/kinds/scheme.ts';
import type { Environment } from '../../base/environment.ts';
import type { AdmissionPlugin } from '../request.ts';
import type { Storage } from '../storage/storage.ts';
import { createWatchCache } from '../watch/cache.ts';
import type { WatchCache } from '../watch/watch-cache.ts';
import type { RingLimits } from '../watch/ring.ts';
import { createObjectReader } from './object-reader.ts';
import type { ObjectReader, Registry, ResourceRegistry } from './registry.ts';
import { createResourceRegistry } from './resource-registry.ts';
import { type Resource, describeResource, storagePrefix } from './resource.ts';
import { versionOf } from './version-view.ts';

export interface RegistryOptions {
  readonly storage: Storage;
  readonly scheme: Scheme;
  readonly environment: Environment;
  /** In the order they run; a function is asked on every write, for plugins that are made after the registry. */
  readonly admission?: readonly AdmissionPlugin[] | (() => readonly AdmissionPlugin[]);
  /** How far back each kind's watch window reaches. */
  readonly watchWindow?: RingLimits;
}

/** The objects of every kind in the scheme that is stored. Does nothing before `start`. */
export function createRegistry(options: RegistryOptions): Registry {
  const { scheme, storage, environment, admission = [] } = options;
  const surroundings = {
    scheme,
    storage,
    environment,
    admission: typeof admission === 'function' ? admission : () => admission,
  };
  const resources = new Map<unknown, Resource>();
  const registries = new Map<unknown, ResourceRegistry>();
  const caches = new Map<string, WatchCache>();
  const cacheOf = (prefix: string): WatchCache => {
    const known = caches.get(prefix);
    if (known !== undefined) return known;
    const { clock, log } = environment;
    const cache = createWatchCache({ storage, prefix, clock, log, ...options.watchWindow });
    caches.set(prefix, cache);
    return cache;
  };
  for (const kind of scheme.kinds) {
    if (kind.virtual) continue;
    const stored = describeResource(kind, cacheOf(storagePrefix(scheme, kind)), surroundings);
    const resource = kind.storage === undefined ? stored : versionOf(stored, kind.storage);
    resources.set(kind, resource);
    registries.set(kind, createResourceRegistry(kind, resource));
  }
  const known = <T>(map: ReadonlyMap<unknown, T>, kind: Pick<AnyKind, 'kind'>): T => {
    const found = map.get(kind);
    if (found === undefined) throw new TypeError(`${kind.kind} is not a stored kind of this scheme`);
    return found;
  };
  return {
    of: (kind) => known(registries, kind),
    reader: <T extends ApiObject>(kind: Kind<T>): ObjectReader<T> =>
      createObjectReader<T>(known(resources, kind)),
    async start() {
      await Promise.all([...caches.values()].map((cache) => cache.start()));
    },
    async stop() {
      await Promise.all([...caches.values()].map((cache) => cache.stop()));
    },
  };
}
