import { type LruMap, createLruMap } from '../../base/cache/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import type { Metrics } from '../../base/metrics/index.ts';

/**
 * Cache of authentication results, under keys that do not reveal the tokens. Concurrent callers with the same
 * key share one call of `find`.
 */
export interface TokenMemory<T> {
  /** Returns the cached result of `key`, or calls `find`. An error of `find` is never cached. */
  recall(key: string, find: () => Promise<T | undefined>): Promise<T | undefined>;
  /** Removes all entries. Results of pending calls are not cached. */
  clear(): void;
}

/** Lifetimes and size of a token cache. */
export interface TokenMemoryOptions {
  readonly clock: Clock;
  readonly metrics: TokenCacheMetrics;
  /** Time in milliseconds for which a result is cached; 0 disables caching. */
  readonly ttlMs: number;
  /** Time in milliseconds for which an undefined result is cached. The default is 0. */
  readonly absentTtlMs?: number;
  /** Maximum number of entries; the least recently used entry is evicted. The default is 4,096. */
  readonly maxEntries?: number;
}

/** Metrics of token caches; one instance serves all caches of a server. */
export interface TokenCacheMetrics {
  requested(hit: boolean, startedMs: number): void;
  fetched(ok: boolean): void;
  /** Counts callers that fetch a result, or wait for another caller's fetch. */
  active(status: 'in_flight' | 'blocked', by: 1 | -1): void;
}

const MAX_ENTRIES = 4_096;
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Creates the metrics `authentication_token_cache_*`, with upstream's names. */
export function createTokenCacheMetrics(metrics: Metrics, clock: Clock): TokenCacheMetrics {
  const name = (end: string): string => `authentication_token_cache_${end}`;
  const requests = metrics.counter(name('request_total'), '', ['status']);
  const seconds = metrics.histogram(name('request_duration_seconds'), '', ['status'], SECONDS);
  const fetches = metrics.counter(name('fetch_total'), '', ['status']);
  const active = metrics.gauge(name('active_fetch_count'), '', ['status']);
  return {
    requested(hit, startedMs) {
      const status = hit ? 'hit' : 'miss';
      requests.at(status).add(1);
      seconds.at(status).observe((clock.monotonic() - startedMs) / 1000);
    },
    fetched: (ok) => fetches.at(ok ? 'ok' : 'error').add(1),
    active: (status, by) => active.at(status).add(by),
  };
}

interface Entry<T> {
  readonly result: Promise<T | undefined>;
  /** Expiration in monotonic milliseconds; undefined while the result is pending. */
  untilMs: number | undefined;
}

/** Creates an empty token cache. */
export function createTokenMemory<T>(options: TokenMemoryOptions): TokenMemory<T> {
  return new BoundedTokenMemory(options);
}

class BoundedTokenMemory<T> implements TokenMemory<T> {
  readonly #options: TokenMemoryOptions;
  #entries: LruMap<Entry<T>>;

  constructor(options: TokenMemoryOptions) {
    this.#options = options;
    this.#entries = createLruMap(options.maxEntries ?? MAX_ENTRIES);
  }

  async recall(key: string, find: () => Promise<T | undefined>): Promise<T | undefined> {
    const { clock, metrics } = this.#options;
    const startedMs = clock.monotonic();
    const known = this.#known(key);
    if (known?.untilMs !== undefined) {
      metrics.requested(true, startedMs);
      return known.result;
    }
    try {
      if (known === undefined) return await this.#find(key, find);
      metrics.active('blocked', 1);
      try {
        return await known.result;
      } finally {
        metrics.active('blocked', -1);
      }
    } finally {
      metrics.requested(false, startedMs);
    }
  }

  clear(): void {
    this.#entries = createLruMap(this.#options.maxEntries ?? MAX_ENTRIES);
  }

  #known(key: string): Entry<T> | undefined {
    const entry = this.#entries.get(key);
    if (entry?.untilMs === undefined || entry.untilMs > this.#options.clock.monotonic()) return entry;
    this.#entries.delete(key);
    return undefined;
  }

  async #find(key: string, find: () => Promise<T | undefined>): Promise<T | undefined> {
    const { clock, metrics, ttlMs, absentTtlMs = 0 } = this.#options;
    const entry: Entry<T> = { result: find(), untilMs: undefined };
    this.#entries.set(key, entry);
    metrics.active('in_flight', 1);
    let lifeMs = 0;
    try {
      const found = await entry.result;
      metrics.fetched(true);
      lifeMs = found === undefined ? absentTtlMs : ttlMs;
      return found;
    } catch (thrown) {
      metrics.fetched(false);
      throw thrown;
    } finally {
      metrics.active('in_flight', -1);
      if (lifeMs > 0) entry.untilMs = clock.monotonic() + lifeMs;
      else if (this.#entries.get(key) === entry) this.#entries.delete(key);
    }
  }
}
