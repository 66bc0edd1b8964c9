import type { Clock } from './clock.ts';

/** Cache with a lifetime for each value and a maximum size. It drops the least recently used entry. */
export interface ExpiringCache<V> {
  get(key: string): V | undefined;
  /** Stores a value for `ttlMs` milliseconds. Has no effect if `ttlMs` is 0. */
  set(key: string, value: V, ttlMs: number): void;
  readonly size: number;
}

/** Creates an empty cache. */
export const createExpiringCache = <V>(clock: Clock, maxEntries: number): ExpiringCache<V> =>
  new ExpiringMap<V>(clock, maxEntries);

class ExpiringMap<V> implements ExpiringCache<V> {
  readonly #clock: Clock;
  readonly #maxEntries: number;
  readonly #entries = new Map<string, { readonly value: V; readonly untilMs: number }>();

  constructor(clock: Clock, maxEntries: number) {
    this.#clock = clock;
    this.#maxEntries = maxEntries;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.untilMs <= this.#clock.monotonic()) return undefined;
    // A Map iterates in insertion order, so the first entry is the least recently used.
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: V, ttlMs: number): void {
    if (ttlMs <= 0) return;
    this.#entries.delete(key);
    this.#entries.set(key, { value, untilMs: this.#clock.monotonic() + ttlMs });
    if (this.#entries.size <= this.#maxEntries) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      break;
    }
  }
}
