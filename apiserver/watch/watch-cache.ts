import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';
import type { Head } from './head.ts';

/**
 * All objects of one resource in memory, current up to a revision, with a window of recent changes. Works
 * over any `Storage`. Serves reads at "any" or "not older than" a version. Watchers are served from one ring
 * of changes; each change is encoded once for all of them.
 */
export interface WatchCache {
  /**
   * Revision up to which the cache contains every change of the resource. Advances with other resources too.
   */
  readonly revision: number;
  /** The oldest revision after which a watch can start. */
  readonly oldest: number;
  /**
   * Starts following the store. Resolves when the first state is loaded, or cannot be read because of a
   * broken value. Until that value is repaired, `get`, `list` and `watch` throw ERR_BROKEN_VALUE. If a value
   * breaks later, the cache keeps its previous state.
   */
  start(): Promise<void>;
  stop(): Promise<void>;
  /**
   * Resolves with true once the cache has reached `revision`, and with false after `timeoutMs`. Rejects if a
   * broken value prevents it.
   */
  reached(revision: number, timeoutMs: number): Promise<boolean>;
  get(key: string): Entry | undefined;
  /** Returns the entries with `prefix` in key order. The array is shared and frozen. */
  list(prefix: string): readonly Entry[];
  /**
   * Returns the values of a `list` joined by commas, in large chunks: the part between `[` and `]` of a list
   * document. Concurrent callers share the result.
   */
  chunksOf(list: readonly Entry[]): readonly Buffer[];
  /**
   * Calls `onChange` for every entry now, then for each change, synchronously in commit order. Used by
   * authorizers, among others. Returns a function that unsubscribes.
   */
  subscribe(observer: { onChange(change: CacheChange): void }): () => void;
  /**
   * Delivers each change with `prefix` after revision `after` once and in order. Changes in the window are
   * delivered synchronously. Throws `expired` (410) if `after` is older than the window. A watcher that falls behind the
   * window is ended with the same error. Returns a function that cancels the watch; nothing is called
   * afterwards.
   */
  watch(prefix: string, after: number, watcher: Watcher): () => void;
}

/** An object for reading without keeping it. */
export interface ObjectView {
  /** The beginning of its metadata; parses no more than that. */
  readonly head: Head;
  /** Returns the whole object. */
  peek(): DeepReadonly<ApiObject>;
}

/** One object at one revision. */
export interface Entry extends ObjectView {
  readonly key: string;
  readonly revision: number;
  /** The stored, stamped JSON: the response to a get. */
  readonly value: Buffer;
  /**
   * Parsed on first use and deeply frozen. Held weakly: callers share the object while it is referenced; it
   * is parsed again after garbage collection.
   */
  readonly object: DeepReadonly<ApiObject>;
  /**
   * Returns what `make` derives from the object. It is computed once and kept with the entry, so that a list
   * with a selector parses nothing. The function must be deterministic; a call with another one replaces the
   * kept value.
   */
  derived<T>(make: (entry: ObjectView) => T): T;
}

/** One change of an object, as subscribers and watchers receive it. */
export interface CacheChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  /** New state; for a deletion the last state, with the deletion's revision. */
  readonly entry: Entry;
  readonly previous: Entry | undefined;
  /** Returns `{"type":…,"object":…}` and a line feed, as in the watch stream. Concurrent callers share it. */
  frame(type: 'ADDED' | 'MODIFIED' | 'DELETED'): Buffer;
}

/** Receiver of a watch with back-pressure. All methods are called synchronously. */
export interface Watcher {
  /**
   * Accepts a change. Returns false if the watcher has no room for another; this one counts as accepted, and
   * delivery continues after `resume`.
   */
  deliver(change: CacheChange): boolean;
  /**
   * Called once, before the first delivery. The watcher must call `resume` when it has room again, possibly
   * during `deliver`.
   */
  onReady(resume: () => void): void;
  onEnd(error: Error): void;
}
