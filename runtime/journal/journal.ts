import type { JournalEntry, JournalEvent } from './entry.ts';

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
 * Record of reconciles, in a ring that is bounded in number and size of entries. The dashboard and the chaos
 * report read it.
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
  size: 0,
  bytes: 0,
};
