import type { RequestInfo } from '../request.ts';

/** Count of open watches by scope, to estimate the cost of the writes that they receive. */
export interface WatchTracker {
  /** Adds a watch. Returns the function that removes the watch, which must be called once. */
  register(info: RequestInfo): () => void;
  /**
   * Returns the number of watches that a write may concern: those of the whole resource, of the namespace,
   * and of the object.
   */
  interestedIn(info: RequestInfo): number;
}

const keyOf = (info: RequestInfo, namespace: string, name: string): string =>
  `${info.group}/${info.resource}/${namespace}/${name}`;

/** Creates an empty tracker. */
export function createWatchTracker(): WatchTracker {
  const counts = new Map<string, number>();
  const countOf = (key: string): number => counts.get(key) ?? 0;
  return {
    register(info) {
      const key = keyOf(info, info.namespace, info.name);
      counts.set(key, countOf(key) + 1);
      return () => {
        const left = countOf(key) - 1;
        if (left > 0) counts.set(key, left);
        else counts.delete(key);
      };
    },
    interestedIn(info) {
      if (counts.size === 0) return 0;
      const { namespace, name } = info;
      let count = countOf(keyOf(info, '', ''));
      if (namespace !== '') count += countOf(keyOf(info, namespace, ''));
      if (name !== '') count += countOf(keyOf(info, namespace, name));
      return count;
    },
  };
}
