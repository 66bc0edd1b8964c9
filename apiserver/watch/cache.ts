import type { Clock, Timer } from '../../base/clock/index.ts';
import { asError } from '../../base/errors/index.ts';
import type { Logger } from '../../base/log/index.ts';
import type { Change, Storage, Stored, Subscription } from '../storage/storage.ts';
import { StorageError } from '../storage/storage.ts';
import { Arrivals } from './arrivals.ts';
import { type Entries, type InList, createEntries } from './entries.ts';
import { toChange, toEntry } from './entry.ts';
import type { RingLimits } from './ring.ts';
import { Ring } from './ring.ts';
import type { CacheChange, Entry, WatchCache, Watcher } from './watch-cache.ts';

export interface WatchCacheOptions extends RingLimits {
  readonly storage: Storage;
  /** Prefix of the resource's keys, which ends in `/`. */
  readonly prefix: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Returns the form of an object in lists. */
  readonly inList: InList;
}

type Observer = Parameters<WatchCache['subscribe']>[0];

/** Maximum number of keys in one page while the cache is filled. */
const PAGE = 5_000;

/** Milliseconds before a broken stream is reopened. The delay doubles from the first to the last value. */
const FIRST_RETRY_MS = 200;
const LAST_RETRY_MS = 5_000;

/** Creates a cache of everything under `prefix`, which is empty until `start`. */
export const createWatchCache = (options: WatchCacheOptions): WatchCache => new StorageWatchCache(options);

class StorageWatchCache implements WatchCache {
  readonly #storage: Storage;
  readonly #prefix: string;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #entries: Entries;
  readonly #ring: Ring;
  readonly #arrivals: Arrivals;
  readonly #observers = new Set<Observer>();
  /** Copy of the observers that is valid until they change. */
  #snapshot: readonly Observer[] | undefined;
  #subscription: Subscription | undefined;
  #revision = 0;
  #filled = false;
  /** Error of the broken value that prevents reading or following the store. Undefined if there is none. */
  #brokenBy: StorageError | undefined;
  /**
   * True if the cached state is no longer part of the store's history. It must then be re-read, not
   * continued.
   */
  #outdated = false;
  #running = false;
  #retry: Timer | undefined;
  #retries = 0;
  /** Number of starts and stops. An operation that began in another epoch must not continue. */
  #epoch = 0;

  constructor({ storage, prefix, clock, log, inList, ...limits }: WatchCacheOptions) {
    this.#storage = storage;
    this.#prefix = prefix;
    this.#clock = clock;
    this.#log = log;
    this.#entries = createEntries(inList);
    this.#ring = new Ring({ clock, log, ...limits });
    this.#arrivals = new Arrivals(
      clock,
      () => this.revision,
      async () => this.#subscription?.progress(),
    );
  }

  get revision(): number {
    return Math.max(this.#revision, this.#subscription?.revision ?? 0);
  }

  get oldest(): number {
    return this.#ring.oldest;
  }

  async start(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    const epoch = ++this.#epoch;
    try {
      await this.#fill(epoch);
    } catch (thrown) {
      if (epoch === this.#epoch && isBroken(thrown)) return this.#startBroken(thrown);
      if (epoch === this.#epoch) this.#running = false;
      throw thrown;
    }
  }

  /**
   * Starts without a state, so that one unreadable value does not block other resources. The state is read as
   * soon as the store can be read.
   */
  #startBroken(error: StorageError): void {
    this.#outdated = true;
    this.#broken(error);
  }

  #assertReadable(): void {
    if (!this.#filled && this.#brokenBy !== undefined) throw this.#brokenBy;
  }

  async stop(): Promise<void> {
    if (!this.#running) return;
    this.#running = false;
    this.#epoch++;
    this.#clock.clearTimeout(this.#retry);
    this.#detach();
    this.#arrivals.abandon();
    this.#ring.close(new StorageError('ERR_CLOSED', 'the watch cache has stopped'));
  }

  reached(revision: number, timeoutMs: number): Promise<boolean> {
    if (this.#brokenBy !== undefined && this.revision < revision) return Promise.reject(this.#brokenBy);
    return this.#arrivals.reached(revision, timeoutMs);
  }

  get(key: string): Entry | undefined {
    this.#assertReadable();
    return this.#entries.get(key);
  }

  list(prefix: string): readonly Entry[] {
    this.#assertReadable();
    return this.#entries.list(prefix);
  }

  chunksOf(list: readonly Entry[]): readonly Buffer[] {
    return this.#entries.chunksOf(list);
  }

  subscribe(observer: Observer): () => void {
    // Each call creates a separate subscription, even for the same observer.
    const own: Observer = { onChange: (change) => observer.onChange(change) };
    for (const entry of this.#entries.list(this.#prefix))
      this.#notify(own, toChange('ADDED', entry, undefined));
    this.#observers.add(own);
    this.#snapshot = undefined;
    return () => {
      this.#observers.delete(own);
      this.#snapshot = undefined;
    };
  }

  watch(prefix: string, after: number, watcher: Watcher): () => void {
    this.#assertReadable();
    return this.#ring.watch(prefix, after, watcher);
  }

  /** Reads the current state and follows the store's later changes. */
  async #fill(epoch: number): Promise<void> {
    for (;;) {
      try {
        // The first fill begins at the oldest revision in the store's history, so that watches from before a
        // restart can resume.
        const from = this.#filled ? undefined : this.#storage.compacted();
        const { items, revision } = await this.#read(from);
        if (epoch !== this.#epoch) return;
        this.#replace(items, revision);
        await this.#follow(epoch);
        return;
      } catch (thrown) {
        if (!isCompacted(thrown)) throw thrown;
      }
    }
  }

  /** Reads all keys at one revision page by page. Default: the newest revision. */
  async #read(at?: number): Promise<{ items: readonly Stored[]; revision: number }> {
    const items: Stored[] = [];
    let page = await this.#storage.list(this.#prefix, {
      limit: PAGE,
      ...(at === undefined ? {} : { revision: at }),
    });
    items.push(...page.items);
    const { revision } = page;
    for (let last = items.at(-1); last && page.remaining > 0; last = items.at(-1)) {
      page = await this.#storage.list(this.#prefix, { limit: PAGE, after: last.key, revision });
      items.push(...page.items);
    }
    return { items, revision };
  }

  async #follow(epoch: number): Promise<void> {
    let ended = false;
    const subscription = await this.#storage.watch(this.#prefix, this.#revision, {
      onChange: (change) => {
        if (epoch === this.#epoch) this.#apply(change);
      },
      onEnd: (error) => {
        ended = true;
        if (epoch === this.#epoch) this.#broken(error);
      },
    });
    if (epoch !== this.#epoch) subscription.cancel();
    if (ended || epoch !== this.#epoch) return;
    this.#subscription = subscription;
    this.#brokenBy = undefined;
    this.#retries = 0;
    this.#arrivals.check();
  }

  #apply({ type, key, value, revision }: Change): void {
    const previous = this.#entries.get(key);
    const entry = toEntry({ key, value, revision });
    if (type === 'delete') this.#entries.delete(key);
    else this.#entries.set(entry);
    this.#revision = revision;
    const change = toChange(type === 'delete' ? 'DELETED' : previous ? 'MODIFIED' : 'ADDED', entry, previous);
    this.#notifyAll(change);
    this.#ring.append(change);
    this.#arrivals.check();
  }

  /** Replaces the state after unknown changes. Observers receive the difference; watchers are ended. */
  #replace(items: readonly Stored[], revision: number): void {
    const changes: CacheChange[] = [];
    const present = new Set<string>();
    for (const stored of items) {
      present.add(stored.key);
      const previous = this.#entries.get(stored.key);
      if (previous?.revision === stored.revision && previous.value.equals(stored.value)) continue;
      const entry = toEntry(stored);
      this.#entries.set(entry);
      changes.push(toChange(previous ? 'MODIFIED' : 'ADDED', entry, previous));
    }
    for (const previous of this.#entries.list(this.#prefix)) {
      if (present.has(previous.key)) continue;
      this.#entries.delete(previous.key);
      const { key, value } = previous;
      changes.push(toChange('DELETED', toEntry({ key, value, revision }), previous));
    }
    this.#revision = revision;
    this.#filled = true;
    this.#outdated = false;
    for (const change of changes) this.#notifyAll(change);
    this.#ring.restart(revision);
  }

  /**
   * Notifies the observers of the snapshot. An observer that subscribes during the delivery has already
   * received the current state.
   */
  #notifyAll(change: CacheChange): void {
    this.#snapshot ??= [...this.#observers];
    for (const observer of this.#snapshot) if (this.#observers.has(observer)) this.#notify(observer, change);
  }

  #notify(observer: Observer, change: CacheChange): void {
    try {
      observer.onChange(change);
    } catch (thrown) {
      const fields = { err: asError(thrown), prefix: this.#prefix, revision: change.revision };
      this.#log.error(fields, 'an observer of the watch cache failed');
    }
  }

  /**
   * Reopens the stream of changes after a delay, at the revision where it ended. Until then the cache serves
   * its current state.
   */
  #broken(error: StorageError): void {
    this.#detach();
    if (error.code === 'ERR_CLOSED') {
      void this.stop();
      return;
    }
    this.#outdated ||= error.code === 'ERR_OTHER_HISTORY';
    if (isBroken(error)) this.#brokenBy = error;
    const delayMs = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(10, this.#retries++));
    this.#log.warn({ err: error, prefix: this.#prefix, delayMs }, 'the stream of changes has broken');
    const epoch = this.#epoch;
    this.#clock.clearTimeout(this.#retry);
    this.#retry = this.#clock.setTimeout(() => void this.#resume(epoch), delayMs);
  }

  async #reopen(epoch: number): Promise<void> {
    try {
      await this.#follow(epoch);
    } catch (thrown) {
      if (!isCompacted(thrown)) throw thrown;
      this.#outdated = true;
    }
  }

  async #resume(epoch: number): Promise<void> {
    if (epoch !== this.#epoch) return;
    try {
      if (!this.#outdated) await this.#reopen(epoch);
      if (this.#outdated && epoch === this.#epoch) await this.#fill(epoch);
    } catch (thrown) {
      if (epoch !== this.#epoch) return;
      this.#broken(
        thrown instanceof StorageError
          ? thrown
          : new StorageError('ERR_STORAGE_UNAVAILABLE', 'the store cannot be followed', { cause: thrown }),
      );
    }
  }

  #detach(): void {
    this.#revision = this.revision;
    this.#subscription?.cancel();
    this.#subscription = undefined;
  }
}

const isBroken = (thrown: unknown): thrown is StorageError =>
  thrown instanceof StorageError && thrown.code === 'ERR_BROKEN_VALUE';

const isCompacted = (thrown: unknown): boolean =>
  thrown instanceof StorageError && thrown.code === 'ERR_COMPACTED';
