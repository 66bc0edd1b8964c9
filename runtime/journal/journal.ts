import type { JournalEntry, JournalEvent } from './entry.ts';
import type { ReconcileEnd } from './history.ts';

/** Selection of journal entries. */
export interface JournalQuery {
  readonly controller?: string;
  readonly key?: string;
  /** Only entries with a higher `seq` are selected. */
  readonly since?: number;
  /** Maximum number of entries. With `since` the oldest are selected, otherwise the newest. Default 1,000. */
  readonly limit?: number;
}

/**
 * Record of reconciles. The newest entries are in a ring that is bounded in number and size; older reconciles
 * of each key are in a history, if there is one. The dashboard and the chaos report read it.
 */
export interface Journal {
  /** False if `record` does nothing; callers then need not build events. */
  readonly enabled: boolean;
  /** Records an event. The object becomes the entry without a copy, so each call needs a new object. */
  record(event: JournalEvent): void;
  /** Returns the selected entries, oldest first. */
  read(query?: JournalQuery): readonly JournalEntry[];
  /**
   * Calls `listener` for each new entry and ignores its errors. Returns a function that ends the
   * subscription.
   */
  subscribe(listener: (entry: JournalEntry) => void): () => void;
  /**
   * Returns the entries between two times in milliseconds, and for each key those of its last reconcile before,
   * from which the state of each key at each time between follows. Oldest first.
   */
  around(fromMs: number, toMs: number): readonly JournalEntry[];
  /** Calls `visit` for each finished reconcile, in any order. */
  finished(visit: (reconcile: ReconcileEnd) => void): void;
  /** Number of entries in the ring. */
  readonly size: number;
  /** Estimated size in bytes. */
  readonly bytes: number;
}

/** A journal that records nothing. */
export const offJournal: Journal = {
  enabled: false,
  record: () => {},
  read: () => [],
  subscribe: () => () => {},
  around: () => [],
  finished: () => {},
  size: 0,
  bytes: 0,
};
