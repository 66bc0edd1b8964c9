import type { Soon } from '../../base/async/index.ts';

/** What of a reader is needed to find one object. */
interface Finder<T> {
  get(namespace: string, name: string): T | undefined;
  live(namespace: string, name: string): Promise<T | undefined>;
}

/** An object as the cache has it; one that is not there is read past it, for it may have been made a moment ago. */
export const cachedOrLive = <T>(reader: Finder<T>, namespace: string, name: string): Soon<T | undefined> =>
  reader.get(namespace, name) ?? reader.live(namespace, name);
