import type { Clock } from './clock.ts';

/** Values that are good for a while; where there are too many, those that were used longest ago go first. */
export interface ExpiringCache<V> {
  get(key: string): V | undefined;
  /** No effect when `ttlMs` is 0. */
  set(key: string, value: V, ttlMs: number): void;
  readonly size: number;
}

export function createExpiringCache<V>(clock: Clock, maxEntries: number): ExpiringCache<V> {
  const entries = new Map<string, { readonly value: V; readonly untilMs: number }>();
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      if (entry.untilMs <= clock.monotonic()) return undefined;
      // A map keeps the order of insertion: the first entry is always the one used longest ago.
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value, ttlMs) {
      if (ttlMs <= 0) return;
      entries.delete(key);
      entries.set(key, { value, untilMs: clock.monotonic() + ttlMs });
      if (entries.size <= maxEntries) return;
      for (const oldest of entries.keys()) {
        entries.delete(oldest);
        break;
      }
    },
    get size() {
      return entries.size;
    },
  };
}
