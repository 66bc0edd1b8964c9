import type { Soon } from '../../base/async/index.ts';

/** Functions of an object reader that find one object. */
interface Finder<T> {
  get(namespace: string, name: string): T | undefined;
  live(namespace: string, name: string): Promise<T | undefined>;
}

/**
 * Returns the cached object. If the cache has no such object, reads it from the store, as it may have been
 * created just now.
 */
export const cachedOrLive = <T>(reader: Finder<T>, namespace: string, name: string): Soon<T | undefined> =>
  reader.get(namespace, name) ?? reader.live(namespace, name);
