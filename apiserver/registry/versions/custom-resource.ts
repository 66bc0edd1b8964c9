import type { Storage } from '../../storage/storage.ts';
import { createTrialStorage } from '../../storage/trial.ts';
import type { WatchCache } from '../../watch/watch-cache.ts';
import { createConvertingStorage } from './converting-storage.ts';
import { customVersionOf } from './custom-version.ts';
import { createEndingCache } from './ending-cache.ts';
import type { CustomKind, ResourceRegistry } from '../registry.ts';
import { createResourceRegistry } from '../resource-registry.ts';
import type { Resource } from '../resource.ts';

/** Resource of a kind that can be removed at run time. */
export interface CustomResource {
  readonly resource: Resource;
  readonly registry: ResourceRegistry;
  /** Ends the watches of the kind and stops the cache that was created for it. */
  end(): Promise<void>;
}

/**
 * Creates the resource of a custom kind. `stored` has the unconverted store and cache. `newCache` creates a
 * cache of another store.
 */
export function createCustomResource(
  custom: CustomKind,
  stored: Resource,
  base: Storage,
  newCache: (store: Storage) => WatchCache,
): CustomResource {
  return custom.conversion
    ? converting(custom, custom.conversion, stored, base, newCache)
    : direct(custom, stored);
}

function direct({ kind }: CustomKind, stored: Resource): CustomResource {
  const version = customVersionOf(stored, kind.storage);
  const cache = createEndingCache(version.cache);
  const resource = { ...version, cache };
  return {
    resource,
    registry: createResourceRegistry(kind, resource),
    end: async () => cache.end(),
  };
}

/**
 * Creates a resource with a dedicated cache of converted objects, as each conversion is a webhook request.
 * The cache is filled on first use.
 */
function converting(
  { kind }: CustomKind,
  { convert, storedAs }: NonNullable<CustomKind['conversion']>,
  stored: Resource,
  base: Storage,
  newCache: (store: Storage) => WatchCache,
): CustomResource {
  const { scheme } = stored;
  const conversion = {
    seenAs: stored,
    storedAs: { kind: storedAs as unknown as Resource['kind'], typeMeta: scheme.typeMetaOf(storedAs) },
    convert,
  };
  const storage = createConvertingStorage({ ...conversion, base });
  const trials = createConvertingStorage({ ...conversion, base: createTrialStorage(base) });
  // Oldest revision that the cache serves. It serves no revision before its first fill: each change would
  // need a conversion.
  let oldest = 0;
  const own = newCache({ ...storage, compacted: () => oldest });
  const cache = createEndingCache(own);
  const resource = { ...stored, storage, trials, cache, convert };
  let filled: Promise<void> | undefined;

  const fill = async (): Promise<void> => {
    filled ??= storage.revision().then((revision) => {
      oldest = revision;
      return own.start();
    });
    try {
      await filled;
    } catch (thrown) {
      filled = undefined;
      throw thrown;
    }
  };
  return {
    resource,
    registry: filledFirst(createResourceRegistry(kind, resource), fill),
    async end() {
      cache.end();
      await own.stop();
    },
  };
}

/** Returns the registry with a call of `fill` before each request that reads the cache. */
function filledFirst(
  { watch, list, get, ...registry }: ResourceRegistry,
  fill: () => Promise<void>,
): ResourceRegistry {
  return {
    ...registry,
    async get(namespace, name, resourceVersion) {
      if (resourceVersion !== '') await fill();
      return get(namespace, name, resourceVersion);
    },
    async list(parameters) {
      await fill();
      return list(parameters);
    },
    async watch(parameters) {
      await fill();
      return watch(parameters);
    },
    async deleteCollection(parameters, options, context) {
      await fill();
      return registry.deleteCollection(parameters, options, context);
    },
  };
}
