import { StorageError } from '../../storage/storage.ts';
import type { Watcher } from '../../watch/watch-cache.ts';
import type { ObjectCache } from '../resource.ts';

/** Cache whose watchers can be ended while the underlying cache continues for other users. */
export interface EndingCache extends ObjectCache {
  /** Ends every watcher, including watchers that are added later. */
  end(): void;
}

/** Wraps a cache. Other users of `base` are not affected by `end`. */
export function createEndingCache(base: ObjectCache): EndingCache {
  const watching = new Map<Watcher, () => void>();
  let ended = false;
  const why = (): StorageError =>
    new StorageError('ERR_CLOSED', 'the resource is no longer served in this form');
  return {
    get revision() {
      return base.revision;
    },
    get oldest() {
      return base.oldest;
    },
    reached: (revision, timeoutMs) => base.reached(revision, timeoutMs),
    get: (key) => base.get(key),
    list: (prefix) => base.list(prefix),
    chunksOf: (list) => base.chunksOf(list),
    subscribe: (observer) => base.subscribe(observer),
    watch(prefix, after, watcher) {
      const own: Watcher = {
        deliver: (change) => watcher.deliver(change),
        onReady: (resume) => watcher.onReady(resume),
        onEnd(error) {
          watching.delete(own);
          watcher.onEnd(error);
        },
      };
      if (ended) {
        own.onEnd(why());
        return () => {};
      }
      const cancel = base.watch(prefix, after, own);
      watching.set(own, cancel);
      return () => {
        watching.delete(own);
        cancel();
      };
    },
    end() {
      ended = true;
      for (const [watcher, cancel] of watching) {
        watching.delete(watcher);
        cancel();
        watcher.onEnd(why());
      }
    },
  };
}
