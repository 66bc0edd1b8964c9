import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';

/**
 * Read-your-writes for a controller: while the cache contains a state that the controller has overwritten,
 * `newest` returns the written state. Versions are compared for equality only.
 */
export interface OwnWrites<T extends ApiObject> {
  /**
   * Records a write or a live read.
   * @param basedOn resourceVersion before the write
   * @param written object in the response
   */
  note(key: string, basedOn: string, written: DeepReadonly<T>): void;
  /** Returns the cached state, or the state with which this controller has overwritten it. */
  newest(key: string, cached: DeepReadonly<T> | undefined): DeepReadonly<T> | undefined;
}

interface Written<T> {
  readonly object: DeepReadonly<T>;
  /** Versions that `object` replaces. */
  readonly over: ReadonlySet<string>;
}

/** Creates an empty record of own writes. */
export function createOwnWrites<T extends ApiObject>(): OwnWrites<T> {
  const writes = new Map<string, Written<T>>();
  return {
    note(key, basedOn, written) {
      // A write without effect or a live read replaces no version.
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
