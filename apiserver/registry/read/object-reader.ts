import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import type { CacheChange, Entry } from '../../watch/watch-cache.ts';
import type { ObjectReader } from '../registry.ts';
import { type Resource, collectionPrefix, objectKey, parseObject } from '../resource.ts';

/**
 * Creates a reader of the cached objects of a kind, for code inside the server. The cast is safe because
 * decoding has checked the type.
 */
export function createObjectReader<T extends ApiObject>(resource: Resource): ObjectReader<T> {
  const { cache, storage } = resource;
  const objectOf = (entry: Entry): DeepReadonly<T> => entry.object as DeepReadonly<T>;
  return {
    get(namespace, name) {
      const entry = cache.get(objectKey(resource, namespace, name));
      return entry && objectOf(entry);
    },
    list: (namespace = '') => cache.list(collectionPrefix(resource, namespace)).map(objectOf),
    subscribe: (onChange) =>
      cache.subscribe({
        onChange: ({ type, entry, previous }: CacheChange) =>
          onChange(type === 'DELETED' ? undefined : objectOf(entry), previous && objectOf(previous)),
      }),
    async live(namespace, name) {
      const stored = await storage.get(objectKey(resource, namespace, name));
      return stored && (parseObject(stored.value) as DeepReadonly<T>);
    },
  };
}
