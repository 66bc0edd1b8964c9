import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';
import type { Head } from './head.ts';

/**
 * Cache of all objects of one resource in memory, current up to a revision, with a window of recent changes.
 * It serves reads at "any" or "not older than" a version, for any `Storage`. Watchers are served from one
 * ring of changes; each change is encoded once for all of them.
 */
export interface WatchCache {
  /**
   * Revision up to which the cache contains every change of the resource. It advances with writes of other
   * resources.
   */
  readonly revision: number;
  /** Oldest revision after which a watch can start. */
  readonly oldest: number;
  /**
   * Starts following the store. Resolves when the first state is loaded, or when a broken value prevents
   * reading it. Until that value is repaired, `get`, `list` and `watch` throw ERR_BROKEN_VALUE. If a value
   * breaks later, the cache retains its previous state.
   */
  start(): Promise<void>;
  stop(): Promise<void>;
  /**
   * Resolves with true once the cache has reached `revision`, and with false after `timeoutMs`. Rejects if a
   * broken value prevents the cache from reaching it.
   */
  reached(revision: number, timeoutMs: number): Promise<boolean>;
  get(key: string): Entry | undefined;
  /** Returns the entries with `prefix` in key order. The array is shared and frozen. */
  list(prefix: string): readonly Entry[];
  /**
   * Returns the values of a `list` joined by commas, in large chunks: the bytes between `[` and `]` of a JSON
   * list. Concurrent callers share the result.
   */
  chunksOf(list: readonly Entry[]): readonly Buffer[];
  /**
   * Calls `onChange` for every entry at once, then for each later change, synchronously in commit order.
   * Returns a function that unsubscribes.
   */
  subscribe(observer: { onChange(change: CacheChange): void }): () => void;
  /**
   * Delivers each change with `prefix` after revision `after` once and in order. Changes in the window are
   * delivered synchronously. Throws `expired` (410) if `after` is older than the window. A watcher that falls
   * behind the window is ended with the same error. Returns a function that cancels the watch; the watcher is
   * not called afterwards.
   */
  watch(prefix: string, after: number, watcher: Watcher): () => void;
}

/** Object for reading, which callers must not retain. */
export interface ObjectView {
  /** Beginning of the object's metadata. Only the bytes of the head are parsed. */
  readonly head: Head;
  /** Returns the whole object. */
  peek(): DeepReadonly<ApiObject>;
}

/** Object at one revision. */
export interface Entry extends ObjectView {
  readonly key: string;
  readonly revision: number;
  /** Stored, stamped JSON, which is the response to a get. */
  readonly value: Buffer;
  /**
   * The object, parsed on first use and deeply frozen. Held weakly: callers share the object while it is
   * referenced, and it is parsed again after garbage collection.
   */
  readonly object: DeepReadonly<ApiObject>;
  /**
   * Returns what `make` derives from the object. The value is computed once and stored in the entry, so that
   * a list with a selector parses nothing. `make` must be deterministic. A call with another function
   * replaces the stored value.
   */
  derived<T>(make: (entry: ObjectView) => T): T;
}

/** Change of an object, as subscribers and watchers receive it. */
export interface CacheChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  /** New state. For a deletion, the last state with the deletion's revision. */
  readonly entry: Entry;
  readonly previous: Entry | undefined;
  /**
   * Returns `{"type":…,"object":…}` and a line feed, as in the watch stream. Concurrent callers share the
   * buffer.
   */
  frame(type: 'ADDED' | 'MODIFIED' | 'DELETED'): Buffer;
}

/** Receiver of a watch with back-pressure. All methods are called synchronously. */
export interface Watcher {
  /**
   * Accepts a change. Returns false if the watcher has no room for another change. The delivered change
   * counts as accepted, and delivery continues after `resume`.
   */
  deliver(change: CacheChange): boolean;
  /**
   * Called once, before the first delivery. The watcher must call `resume` when it has room again, possibly
   * during `deliver`.
   */
  onReady(resume: () => void): void;
  onEnd(error: Error): void;
}
