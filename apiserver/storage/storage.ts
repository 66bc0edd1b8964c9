import { BRAND, CodedError } from '../../base/errors/index.ts';
import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';
import type { Soon } from '../../base/async/index.ts';

/**
 * Revisioned, ordered key-value store. Every write is assigned the next revision. Revisions only increase,
 * including across restarts. Keys are ordered by their bytes; prefixes end in `/`.
 *
 * Values are opaque bytes. At commit the store stamps each value with its revision through `Stamp`, so that a
 * value can be sent to clients without encoding it again.
 */
export interface Storage {
  /** Returns the revision of the newest committed write. */
  revision(): Promise<number>;
  /** Returns the newest value (a consistent read), or undefined if the key does not exist. */
  get(key: string): Soon<Stored | undefined>;
  /**
   * Returns a page of keys with `prefix`, all of one revision. Rejects with ERR_COMPACTED or
   * ERR_FUTURE_REVISION.
   */
  list(prefix: string, options?: ListOptions): Promise<Page>;
  /**
   * Writes `key` and the companions in `options.with` in one transaction. The key must be at `expected` (its
   * revision, or 'absent') and the conditions in `options` must hold. Resolves once the write is durable.
   * Rejects with `StorageConflict` and the current value if the key is at another revision, and with
   * `StorageConditionFailed` if a condition does not hold.
   */
  put(key: string, value: Buffer, expected: number | 'absent', options?: PutOptions): Promise<Stored>;
  /**
   * Deletes `key` under the conditions of `put`. Resolves with the deletion once it is durable. Rejects with
   * the errors of `put`.
   */
  delete(key: string, expected: number, options?: WriteOptions): Promise<Change>;
  /**
   * Delivers the changes of keys with `prefix` after revision `after`, in order, without gap or repetition.
   * Past changes are delivered before the promise resolves, later ones as they are committed. `onChange` is
   * called synchronously in commit order. An observer that throws is ended without affecting other observers.
   *
   * Rejects with ERR_COMPACTED if history does not reach back to `after`. A watch with a future `after`
   * delivers only later changes. A durable store's history survives restarts.
   */
  watch(prefix: string, after: number, observer: ChangeObserver): Promise<Subscription>;
  /** Removes history below `revision`. The newest values are not affected. */
  compact(revision: number): Promise<void>;
  /** Returns the oldest revision that `list` and `watch` can read. */
  compacted(): number;
  close(): Promise<void>;
}

/** Function that inserts `revision` into a value, or replaces the revision in it: `stamp(value, 12)`. */
export type Stamp = (value: Buffer, revision: number) => Buffer;

export interface WriteOptions {
  /** Keys that must be at their revisions when the write is committed. Default: none. */
  readonly while?: readonly KeyRevision[];
  /**
   * Writes of other keys in the same transaction: all are executed or none is, including across a crash. If
   * one key is not at its `expected` revision, the whole write fails with `StorageConditionFailed`. Each key
   * may occur once. An embedded store assigns to companions the revisions just before that of the write
   * itself, etcd the same revision. Default: none.
   */
  readonly with?: readonly Companion[];
}

/** Write that is executed in the same transaction as another write. */
export interface Companion {
  readonly key: string;
  /** New value; undefined deletes the key. */
  readonly value: Buffer | undefined;
  readonly expected: number | 'absent';
}

/** Options of `Storage.put`. */
export interface PutOptions extends WriteOptions {
  /**
   * Expiry in milliseconds since the epoch. Default: never. It is stored and returned with the value. The
   * store does not enforce it: the writer must delete expired values.
   */
  readonly expiresAtMs?: number;
}

/** A key and the revision that it must have. */
export interface KeyRevision {
  readonly key: string;
  readonly revision: number;
}

/** Value in the store. */
export interface Stored {
  readonly key: string;
  /** Bytes of the value, stamped with `revision`. Must not be modified. */
  readonly value: Buffer;
  /** Revision of the write that stored this value. */
  readonly revision: number;
  /** Due time of the value's deletion, in milliseconds since the epoch. Default: never. */
  readonly expiresAtMs?: number;
  /** True if the stored form is obsolete, so that writing the same value again changes the stored bytes. */
  readonly outdated?: boolean;
  /** Parsed form of `value`, deeply frozen. Set for initial values that many stores share. */
  readonly object?: DeepReadonly<ApiObject>;
}

export interface ListOptions {
  /** Revision to list at. Default: the newest. */
  readonly revision?: number;
  /** Key after which the page begins. Default: the page begins with the first key. */
  readonly after?: string;
  /** Maximum number of items. Default: no limit. */
  readonly limit?: number;
}

/** Page of a `Storage.list`. */
export interface Page {
  readonly items: readonly Stored[];
  /** Revision of the listed state. */
  readonly revision: number;
  /** Number of matching keys after the last item. */
  readonly remaining: number;
}

/** Committed write, as watchers receive it. */
export interface Change {
  readonly type: 'put' | 'delete';
  readonly key: string;
  readonly revision: number;
  /** The new value. For a deletion, the last value stamped with the deletion's revision. */
  readonly value: Buffer;
  /** Value before the change; undefined for a creation. */
  readonly previous: Stored | undefined;
  /** Expiry of a put; undefined for a deletion. */
  readonly expiresAtMs?: number;
  /** Value of `Stored.outdated` after a put; undefined for a deletion. */
  readonly outdated?: boolean;
}

/** Receiver of `Storage.watch`. Both methods are called synchronously. */
export interface ChangeObserver {
  onChange(change: Change): void;
  /**
   * Called when the stream has ended: the store was closed, a remote store was lost, or history was
   * compacted.
   */
  onEnd(error: StorageError): void;
}

/** Handle of a running `Storage.watch`. */
export interface Subscription {
  /**
   * Revision up to which every change with the prefix was delivered. It advances with changes of other
   * prefixes: at once in an embedded store, from time to time in a remote one.
   */
  readonly revision: number;
  /** Resolves when `revision` is at least the store's revision at the time of the call. */
  progress(): Promise<void>;
  /** Ends the delivery without calling `onEnd`. */
  cancel(): void;
}

export type StorageErrorCode =
  | 'ERR_CONFLICT'
  | 'ERR_CONDITION'
  | 'ERR_COMPACTED'
  | 'ERR_FUTURE_REVISION'
  | 'ERR_CLOSED'
  /**
   * The store was restored to an earlier state and written to since. Revisions no longer have the same
   * meaning.
   */
  | 'ERR_OTHER_HISTORY'
  /** A write was not executed and will not be: the store is full, or the value is too large. */
  | 'ERR_NO_ROOM'
  /** A key has a value that this store did not write. Requests that include the key fail. */
  | 'ERR_BROKEN_VALUE'
  | 'ERR_STORAGE_LOCKED'
  | 'ERR_STORAGE_UNAVAILABLE';

/** Error of a store; `code` distinguishes the causes. */
export class StorageError extends CodedError<StorageErrorCode> {
  static override readonly [BRAND]: string = 'StorageError';
}

/**
 * Thrown if the key is not at the expected revision. `current` is its value, undefined if the key does not
 * exist.
 */
export class StorageConflict extends StorageError {
  static override readonly [BRAND]: string = 'StorageConflict';

  readonly current: Stored | undefined;

  constructor(key: string, expected: number | 'absent', current: Stored | undefined) {
    super('ERR_CONFLICT', `${key} is at revision ${current?.revision ?? 'absent'}, expected ${expected}`);
    this.current = current;
  }
}

/** Thrown if a key of `while` or `with` is not at the revision that the write requires. */
export class StorageConditionFailed extends StorageError {
  readonly key: string;

  constructor(key: string, expected: number | 'absent', found: number | undefined) {
    super('ERR_CONDITION', `${key} is at revision ${found ?? 'absent'}, expected ${expected}`);
    this.key = key;
  }
}
