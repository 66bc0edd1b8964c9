import type { ApiObject, DeepReadonly } from '../../api/kinds/kind.ts';
import type { Head } from './head.ts';

/**
 * Everything of one resource in memory, current to a revision, with a window of recent changes. Sits on any `Storage`.
 * Reads at "any" or "not older than" come from here; watchers are served from one ring of changes, each framed once
 * however many watchers receive it.
 */
export interface WatchCache {
  /** The revision up to which every change of the resource is in the cache. Moves on with other resources too. */
  readonly revision: number;
  /** The oldest revision a watch can start after. */
  readonly oldest: number;
  /**
   * Starts following the store; resolves when the first state is in, or cannot be read for a broken value in it. Until
   * that is mended `get`, `list` and `watch` throw ERR_BROKEN_VALUE. One that breaks later leaves the cache at the state before.
   */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** True once the cache has reached `revision`; false when it has not within `timeoutMs`. Rejects where a broken value keeps it from that. */
  reached(revision: number, timeoutMs: number): Promise<boolean>;
  get(key: string): Entry | undefined;
  /** Entries with `prefix` in key order. The array is shared and frozen. */
  list(prefix: string): readonly Entry[];
  /**
   * The values of a `list` joined by commas, in large chunks: what stands between `[` and `]` of a list. Made once for
   * all who ask at one time.
   */
  chunksOf(list: readonly Entry[]): readonly Buffer[];
  /** Calls for every entry now, then for each change, synchronously in commit order: authorizers and the like. */
  subscribe(observer: { onChange(change: CacheChange): void }): () => void;
  /**
   * Changes with `prefix` after revision `after`, each once, in order; those in the window are delivered before this
   * returns. Throws `expired` (410) when the window no longer reaches back. A watcher that falls behind the window is
   * ended with the same error. Returns what cancels; after that nothing is called.
   */
  watch(prefix: string, after: number, watcher: Watcher): () => void;
}

/** An object that is looked at and not kept. */
export interface Glimpse {
  /** The beginning of its metadata; parses no more than that. */
  readonly head: Head;
  /** All of it. */
  glance(): DeepReadonly<ApiObject>;
}

/** One object at one revision. */
export interface Entry extends Glimpse {
  readonly key: string;
  readonly revision: number;
  /** The JSON as stored, stamped: what a get answers. */
  readonly value: Buffer;
  /**
   * Parsed on first use, deeply frozen. Held weakly: the same object while anyone holds it, else parsed again when the
   * garbage collector has taken it.
   */
  readonly object: DeepReadonly<ApiObject>;
  /**
   * What `make` takes from the object, made once and kept as long as the entry: a list with a selector parses nothing.
   * `make` must always give the same for the same object; that of another caller replaces it.
   */
  derived<T>(make: (entry: Glimpse) => T): T;
}

export interface CacheChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  /** Of a deletion: the last state, with the deletion's revision. */
  readonly entry: Entry;
  readonly previous: Entry | undefined;
  /** `{"type":…,"object":…}` and a line feed as the watch stream carries it, shared by all who ask at one time. */
  frame(type: 'ADDED' | 'MODIFIED' | 'DELETED'): Buffer;
}

export interface Watcher {
  /** False when the watcher cannot take more now; this one counts as taken, and delivery goes on when it calls
   * `resume`. */
  deliver(change: CacheChange): boolean;
  /** Given once, before the first delivery; call it when there is room again (also from within `deliver`). */
  onReady(resume: () => void): void;
  onEnd(error: Error): void;
}
