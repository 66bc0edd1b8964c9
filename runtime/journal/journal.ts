import type { JournalEntry, JournalEvent } from './entry.ts';

/** Selection of entries. */
export interface JournalQuery {
  readonly controller?: string;
  readonly key?: string;
  /** Only entries with a higher `seq`. */
  readonly since?: number;
  /** Maximum number of entries: the oldest with `since`, otherwise the newest. Default 1,000. */
  readonly limit?: number;
}

/**
 * Records reconciles in a ring that is bounded in number and size. Dashboard and chaos report are views of
 * it.
 */
export interface Journal {
  /** False if `record` does nothing; callers then skip building events. */
  readonly enabled: boolean;
  /** Records an event. The object becomes the entry without a copy, so each call needs a new one. */
  record(event: JournalEvent): void;
  /** Returns entries, oldest first. */
  read(query?: JournalQuery): readonly JournalEntry[];
  /**
   * Calls `listener` for each new entry; its errors are ignored. Returns a function that ends the
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
