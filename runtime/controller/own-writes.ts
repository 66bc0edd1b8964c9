import type { ApiObject, DeepReadonly } from '../../api/kinds/kind.ts';

/**
 * A controller reads its own writes: while the cache still shows a state that this controller has written over, the
 * written state is the newer one. Versions are compared for equality alone.
 */
export interface OwnWrites<T extends ApiObject> {
  /** To be told of each write, or of a live read: the version it was based on and the answer. */
  note(key: string, basedOn: string, written: DeepReadonly<T>): void;
  /** The newest state known: the cached one, or the one written over it. */
  newest(key: string, cached: DeepReadonly<T> | undefined): DeepReadonly<T> | undefined;
}

interface Written<T> {
  readonly object: DeepReadonly<T>;
  /** Versions that `object` supersedes. */
  readonly over: ReadonlySet<string>;
}

export function createOwnWrites<T extends ApiObject>(): OwnWrites<T> {
  const writes = new Map<string, Written<T>>();
  return {
    note(key, basedOn, written) {
      // Nothing was written over: the cache, or what was noted before, is as new.
      if (basedOn === written.metadata?.resourceVersion) return;
      const before = writes.get(key);
      const chained = before?.object.metadata?.resourceVersion === basedOn ? before.over : [];
      writes.set(key, { object: written, over: new Set([...chained, basedOn]) });
    },
    newest(key, cached) {
      const written = writes.get(key);
      if (!written) return cached;
      const { uid, resourceVersion = '' } = cached?.metadata ?? {};
      if (cached && uid === written.object.metadata?.uid && written.over.has(resourceVersion))
        return written.object;
      writes.delete(key);
      return cached;
    },
  };
}
