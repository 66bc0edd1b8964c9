import { BRAND } from '../../base/errors/brand.ts';
import type { ApiObject, DeepReadonly } from '../../api/kinds/kind.ts';
import type { Soon } from '../../base/async/soon.ts';
import { CodedError } from '../../base/errors/coded.ts';

/**
 * A revisioned, ordered key-value store. Every write gets the next revision; revisions only grow, also across
 * restarts. Keys are ordered by their bytes; prefixes end in `/`.
 *
 * Values are bytes that the store never looks into, save that it stamps each with its revision through `Stamp` when it
 * commits, so that what is read is ready to be sent.
 */
export interface Storage {
  /** The revision of the newest committed write. */
  revision(): Promise<number>;
  /** The newest value (a consistent read), or undefined. */
  get(key: string): Soon<Stored | undefined>;
  /** A page of keys with `prefix`, all of one revision. Throws ERR_COMPACTED, ERR_FUTURE_REVISION. */
  list(prefix: string, options?: ListOptions): Promise<Page>;
  /**
   * Writes when the key is at `expected` (its revision, or 'absent') and what `options` demand of other keys holds, all
   * at one moment, and what is written `with` it. Resolves once the write is durable. Throws `StorageConflict` with the current value, or
   * `StorageConditionFailed`, otherwise.
   */
  put(key: string, value: Buffer, expected: number | 'absent', options?: PutOptions): Promise<Stored>;
  /** Deletes on the same terms; resolves with the deletion once durable. Throws as `put` does. */
  delete(key: string, expected: number, options?: WriteOptions): Promise<Change>;
  /**
   * Changes of keys with `prefix` after revision `after`, in order, without gap or repetition: first those that are
   * history (given before the promise resolves), then each as it is committed. `onChange` is called synchronously in
   * commit order; an observer that throws is ended and disturbs no other.
   * Throws ERR_COMPACTED when the history no longer reaches back to `after`. An `after` of the future is waited for.
   * A durable store's history outlives the process.
   */
  watch(prefix: string, after: number, observer: ChangeObserver): Promise<Subscription>;
  /** Forgets what is needed for reads below `revision` alone. No effect on the newest values. */
  compact(revision: number): Promise<void>;
  /** The oldest revision that `list` and `watch` reach back to. */
  compacted(): number;
  close(): Promise<void>;
}

/** Puts `revision` into a value: `stamp(value, 12)`; a value that bears another revision is stamped anew. */
export type Stamp = (value: Buffer, revision: number) => Buffer;

export interface WriteOptions {
  /** The write is carried out only while each of these keys is at its revision. Default none. */
  readonly while?: readonly KeyRevision[];
  /**
   * Writes of other keys in the same transaction: all are carried out or none is, also across a crash. Where one key is
   * not at its `expected`, the whole write fails with `StorageConditionFailed`. Each key occurs once. An embedded store
   * gives them the revisions just before that of the write itself, etcd the same revision. Default none.
   */
  readonly with?: readonly Companion[];
}

/** A write that is carried out together with another one. */
export interface Companion {
  readonly key: string;
  /** Undefined deletes the key. */
  readonly value: Buffer | undefined;
  readonly expected: number | 'absent';
}

export interface PutOptions extends WriteOptions {
  /**
   * Wall time; default never. Kept with the value and given back with it, no more: whoever writes such values deletes
   * them when their time has come.
   */
  readonly expiresAtMs?: number;
}

export interface KeyRevision {
  readonly key: string;
  readonly revision: number;
}

export interface Stored {
  readonly key: string;
  /** Stamped with `revision`. Never changed by anyone. */
  readonly value: Buffer;
  /** Of the write that made this value. */
  readonly revision: number;
  /** When the value is to be deleted, wall time in milliseconds; default never. */
  readonly expiresAtMs?: number;
  /** What is kept is of a form that is no longer written, so that writing the same again changes it. */
  readonly outdated?: boolean;
  /** What `value` is parsed to, deeply frozen, of one that a store began with and that many stores begin with. */
  readonly object?: DeepReadonly<ApiObject>;
}

export interface ListOptions {
  /** Default the newest. */
  readonly revision?: number;
  /** Only keys after this one. */
  readonly after?: string;
  /** Default all. */
  readonly limit?: number;
}

export interface Page {
  readonly items: readonly Stored[];
  /** The revision the page shows. */
  readonly revision: number;
  /** How many keys follow the last item. */
  readonly remaining: number;
}

export interface Change {
  readonly type: 'put' | 'delete';
  readonly key: string;
  readonly revision: number;
  /** The new value; of a deletion the last one, stamped with the deletion's revision. */
  readonly value: Buffer;
  /** What was there before; undefined for a creation. */
  readonly previous: Stored | undefined;
  /** Of a put: as it was given with the value. */
  readonly expiresAtMs?: number;
  /** Of a put: as `Stored.outdated`. */
  readonly outdated?: boolean;
}

export interface ChangeObserver {
  onChange(change: Change): void;
  /** The stream has broken and will give nothing more (the store closes, a remote store is lost, history was outrun). */
  onEnd(error: StorageError): void;
}

export interface Subscription {
  /**
   * Every change with the prefix up to here has been given. Moves on with changes of other prefixes too: at once where
   * the store is embedded, from time to time where it is remote.
   */
  readonly revision: number;
  /** Asks the store how far the stream has come: resolves when `revision` is at least the store's as of this call. */
  progress(): Promise<void>;
  /** Nothing is given any more, not even `onEnd`. */
  cancel(): void;
}

export type StorageErrorCode =
  | 'ERR_CONFLICT'
  | 'ERR_CONDITION'
  | 'ERR_COMPACTED'
  | 'ERR_FUTURE_REVISION'
  | 'ERR_CLOSED'
  /** The store has been put back to an earlier state and gone on from there: revisions no longer mean what they did. */
  | 'ERR_OTHER_HISTORY'
  /** A write was not carried out, and will not be: the store is full, or takes nothing so large. */
  | 'ERR_NO_ROOM'
  /** A key holds what this store did not write: nothing is answered in which it would stand. */
  | 'ERR_BROKEN_VALUE'
  | 'ERR_STORAGE_LOCKED'
  | 'ERR_STORAGE_UNAVAILABLE';

export class StorageError extends CodedError<StorageErrorCode> {
  static override readonly [BRAND]: string = 'StorageError';
}

/** The key was not at the expected revision; `current` is what is there (undefined: nothing). */
export class StorageConflict extends StorageError {
  static override readonly [BRAND]: string = 'StorageConflict';

  readonly current: Stored | undefined;

  constructor(key: string, expected: number | 'absent', current: Stored | undefined) {
    super('ERR_CONFLICT', `${key} is at revision ${current?.revision ?? 'absent'}, expected ${expected}`);
    this.current = current;
  }
}

/** A key of `while` or `with` was not at the revision that the write demands. */
export class StorageConditionFailed extends StorageError {
  readonly key: string;

  constructor(key: string, expected: number | 'absent', found: number | undefined) {
    super('ERR_CONDITION', `${key} is at revision ${found ?? 'absent'}, and had to be at ${expected}`);
    this.key = key;
  }
}
