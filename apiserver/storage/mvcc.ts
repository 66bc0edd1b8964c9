import type { Soon } from '../../base/async/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import { History } from './history.ts';
import { createOrderedMap } from './ordered-map.ts';
import type { Change, ChangeObserver, ListOptions, Page, Stored, Subscription } from './storage.ts';
import { StorageError } from './storage.ts';

/** Limits of the history. The oldest changes beyond either limit are compacted. */
export interface HistoryLimits {
  /** Maximum number of changes that are retained for reads and watches of past revisions. Default: 10,000. */
  readonly historyLimit?: number;
  /** Maximum size, in bytes, of the values in that history. Default: 64 MiB. */
  readonly historyBytes?: number;
}

export interface MvccOptions extends HistoryLimits {
  /** Called for each write that neither the current state nor the history needs, in no particular order. */
  readonly onForgotten?: (revision: number) => void;
}

/**
 * State of a key after one write. Older versions are linked as long as a read of a past revision may need
 * them.
 */
interface Version {
  readonly stored: Stored;
  readonly deleted: boolean;
  older: Version | undefined;
}

/** Maximum number of places whose followers are cached. */
const PLACES = 1_000;

interface Follower {
  readonly prefix: string;
  readonly observer: ChangeObserver;
  /** The follower receives only changes after this revision. */
  readonly after: number;
  /** Number of changes that were committed when the follower joined. All of them were delivered to it. */
  joined: number;
  /** Changes up to this revision were delivered, or precede `after`. */
  seen: number;
  ended: boolean;
}

/**
 * In-memory part of a store: every key with its recent versions, the history of changes, and the followers.
 * It is independent of how a write becomes durable: every committed change is visible.
 */
export class Mvcc {
  readonly #keys = createOrderedMap<Version>();
  readonly #history: History<Version>;
  readonly #followers = new Set<Follower>();
  /**
   * Followers by place, which is a key up to its last slash. Computed when a key in the place is first
   * written.
   */
  readonly #byPlace = new Map<string, readonly Follower[]>();
  readonly #onForgotten: ((revision: number) => void) | undefined;
  /** Committed changes that are not yet delivered. Non-empty only while followers are being called. */
  readonly #undelivered: Change[] = [];
  #delivering = false;
  #delivered: number;
  /** Number of committed changes. */
  #committed = 0;
  /** Number of changes that were delivered to the followers. */
  #deliveries = 0;
  #revision: number;
  #compacted: number;
  #closed: StorageError | undefined;

  /** Creates an empty store without history, at `revision`. */
  constructor(revision: number, options: MvccOptions = {}) {
    const { historyLimit = 10_000, historyBytes = 64 * 2 ** 20, onForgotten } = options;
    this.#onForgotten = onForgotten;
    this.#revision = revision;
    this.#delivered = revision;
    this.#compacted = revision;
    this.#history = new History({ maxCount: historyLimit, maxBytes: historyBytes });
  }

  get revision(): number {
    return this.#revision;
  }

  get compacted(): number {
    return this.#compacted;
  }

  /** Throws ERR_CLOSED after `close`. */
  assertOpen(): void {
    if (this.#closed) throw this.#closed;
  }

  /** Adds a value that an earlier process has written and that is older than the history. */
  load(stored: Stored): void {
    this.#keys.set(stored.key, { stored, deleted: false, older: undefined });
  }

  /** Adds a change by an earlier process to state and history. Must be called before the first `watch`. */
  replay(change: Change): void {
    this.#record(change);
    this.#delivered = change.revision;
  }

  /** Implements `Storage.get`. Returns the value, or a promise rejected with ERR_CLOSED. */
  read(key: string): Soon<Stored | undefined> {
    return this.#closed ? Promise.reject(this.#closed) : this.get(key);
  }

  get(key: string): Stored | undefined {
    const version = this.#keys.get(key);
    return version && !version.deleted ? version.stored : undefined;
  }

  list(prefix: string, { revision = this.#revision, after, limit = Infinity }: ListOptions = {}): Page {
    this.#assertReachable(revision);
    const items: Stored[] = [];
    let remaining = 0;
    this.#keys.scan(prefix, after, (newest) => {
      const version = at(newest, revision);
      if (!version || version.deleted) return true;
      if (items.length < limit) items.push(version.stored);
      else remaining++;
      return true;
    });
    return { items, revision, remaining };
  }

  /**
   * Makes a change visible and delivers it. `change.revision` must not be below an earlier one. Changes of
   * several keys may share a revision.
   */
  commit(change: Change): void {
    this.#record(change);
    this.#committed += 1;
    this.#undelivered.push(change);
    this.#deliver();
  }

  /** Advances to `revision`, at which no key of this store has changed. */
  advance(revision: number): void {
    if (revision <= this.#revision) return;
    this.#revision = revision;
    if (!this.#delivering) this.#delivered = revision;
  }

  watch(prefix: string, after: number, observer: ChangeObserver): Subscription {
    if (after < this.#compacted) throw compactedError(after, this.#compacted);
    const follower: Follower = { prefix, observer, after, joined: 0, seen: after, ended: false };
    this.#replay(follower);
    if (!follower.ended) this.#join(follower);
    const reached = (): number =>
      follower.ended ? follower.seen : Math.min(this.#revision, Math.max(follower.seen, this.#delivered));
    return new EmbeddedSubscription(reached, () => {
      follower.seen = reached();
      this.#leave(follower);
    });
  }

  compact(revision: number): void {
    if (revision > this.#revision) throw futureError(revision, this.#revision);
    while ((this.#history.oldest()?.change.revision ?? Infinity) <= revision) this.#dropOldest();
    this.#compacted = Math.max(this.#compacted, revision);
  }

  /** Ends all followers with `reason`. Later reads fail with the same error. */
  close(reason = new StorageError('ERR_CLOSED', 'the store is closed')): void {
    if (this.#closed) return;
    this.#closed = reason;
    const followers = [...this.#followers];
    this.#followers.clear();
    this.#byPlace.clear();
    for (const follower of followers) {
      follower.seen = Math.max(follower.seen, this.#delivered);
      follower.ended = true;
      endQuietly(follower.observer, this.#closed);
    }
  }

  #record(change: Change): void {
    const { key, revision } = change;
    const version: Version = {
      stored: toStored(change),
      deleted: change.type === 'delete',
      older: this.#keys.get(key),
    };
    this.#keys.set(key, version);
    this.#revision = revision;
    this.#history.push({ change, version });
    while (this.#history.full) this.#dropOldest();
  }

  /**
   * Delivers one change at a time, even if a follower writes, so that all followers receive all changes in
   * the same order.
   */
  #deliver(): void {
    if (this.#delivering) return;
    this.#delivering = true;
    for (let change = this.#undelivered.shift(); change; change = this.#undelivered.shift()) {
      const place = ++this.#deliveries;
      for (const follower of this.#followersOf(change.key))
        if (place > follower.joined && change.revision > follower.after) this.#deliverTo(follower, change);
      this.#delivered = change.revision;
    }
    this.#delivering = false;
  }

  #replay(follower: Follower): void {
    for (const change of this.#history.after(follower.after)) {
      if (follower.ended) return;
      this.#deliverTo(follower, change);
    }
    // The replay has included every committed change, even those not yet delivered to other followers.
    follower.seen = Math.max(follower.seen, this.#revision);
    follower.joined = this.#committed;
  }

  #join(follower: Follower): void {
    this.#followers.add(follower);
    this.#byPlace.clear();
  }

  #leave(follower: Follower): void {
    follower.ended = true;
    this.#followers.delete(follower);
    this.#byPlace.clear();
  }

  #followersOf(key: string): readonly Follower[] {
    const place = key.slice(0, key.lastIndexOf('/') + 1);
    let followers = this.#byPlace.get(place);
    if (followers === undefined) {
      followers = [...this.#followers].filter(({ prefix }) => place.startsWith(prefix));
      if (this.#byPlace.size >= PLACES) this.#byPlace.clear();
      this.#byPlace.set(place, followers);
    }
    return followers;
  }

  #deliverTo(follower: Follower, change: Change): void {
    if (follower.ended || !change.key.startsWith(follower.prefix)) return;
    try {
      follower.observer.onChange(change);
      follower.seen = change.revision;
    } catch (cause) {
      this.#leave(follower);
      const message = `the observer of ${follower.prefix} failed at revision ${change.revision}: ${messageOf(cause)}`;
      endQuietly(follower.observer, new StorageError('ERR_STORAGE_UNAVAILABLE', message, { cause }));
    }
  }

  /** Drops the oldest change. Reads at or after its revision do not need the key's value before it. */
  #dropOldest(): void {
    const oldest = this.#history.oldest();
    if (!oldest) return;
    this.#history.shift();
    const { change, version } = oldest;
    this.#compacted = Math.max(this.#compacted, change.revision);
    if (version.older && !version.older.deleted) this.#onForgotten?.(version.older.stored.revision);
    version.older = undefined;
    if (!version.deleted) return;
    this.#onForgotten?.(change.revision);
    if (this.#keys.get(change.key) === version) this.#keys.delete(change.key);
  }

  #assertReachable(revision: number): void {
    if (revision > this.#revision) throw futureError(revision, this.#revision);
    if (revision < this.#compacted) throw compactedError(revision, this.#compacted);
  }
}

/**
 * Subscription to an in-memory store. This is a class because an accessor in an object literal would be
 * redefined for each object.
 */
class EmbeddedSubscription implements Subscription {
  readonly #reached: () => number;
  readonly cancel: () => void;

  constructor(reached: () => number, cancel: () => void) {
    this.#reached = reached;
    this.cancel = cancel;
  }

  get revision(): number {
    return this.#reached();
  }

  /** Followers are called before any promise continues, so there is nothing to wait for. */
  progress(): Promise<void> {
    return Promise.resolve();
  }
}

/**
 * Returns the stored value of a put. Expiry and outdated form are rare, so their properties exist only if
 * set.
 */
export const toStored = ({ key, value, revision, expiresAtMs, outdated }: Change): Stored =>
  expiresAtMs === undefined && outdated === undefined
    ? { key, value, revision }
    : {
        key,
        value,
        revision,
        ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
        ...(outdated === undefined ? {} : { outdated }),
      };

/** Returns the newest version that is not newer than `revision`, or undefined if there is none. */
function at(newest: Version, revision: number): Version | undefined {
  let version: Version | undefined = newest;
  while (version && version.stored.revision > revision) version = version.older;
  return version;
}

/** Ends an observer. An error of its `onEnd` is ignored, as the observer could not receive it. */
function endQuietly(observer: ChangeObserver, error: StorageError): void {
  try {
    observer.onEnd(error);
  } catch {
    // Only this observer has failed; the others must be served.
  }
}

const compactedError = (revision: number, oldest: number): StorageError =>
  new StorageError('ERR_COMPACTED', `revision ${revision} has been compacted, the oldest is ${oldest}`);

const futureError = (revision: number, newest: number): StorageError =>
  new StorageError('ERR_FUTURE_REVISION', `revision ${revision} is in the future, the newest is ${newest}`);
