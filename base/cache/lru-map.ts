/** A map that forgets what was longest not asked for. */
export interface LruMap<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  readonly size: number;
}

export function createLruMap<V>(limit: number): LruMap<V> {
  // A Map keeps the order of insertion: the first key is the one longest not touched.
  const entries = new Map<string, V>();
  return {
    get(key) {
      const value = entries.get(key);
      if (value === undefined) return undefined;
      entries.delete(key);
      entries.set(key, value);
      return value;
    },
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size <= limit) return;
      for (const oldest of entries.keys()) {
        entries.delete(oldest);
        return;
      }
    },
    get size() {
      return entries.size;
    },
  };
}
