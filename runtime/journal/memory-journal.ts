import type { Clock } from '../../base/clock/index.ts';
import type { JournalEntry, JournalEvent } from './entry.ts';
import type { Journal } from './journal.ts';
import { JournalRing } from './ring.ts';

/** Options of `createJournal`. */
export interface JournalOptions {
  readonly clock: Clock;
  /** Maximum number of entries. Default 20,000. */
  readonly maxEntries?: number;
  /** Maximum estimated size in bytes. Default 8 MiB. */
  readonly maxBytes?: number;
}

/** Maximum length of a reason or error in UTF-16 code units. */
const MAX_TEXT_LENGTH = 512;
/** Estimated size in bytes of an entry without its error, reason, key and object name. */
const ENTRY_BYTES = 160;

const clip = (text: string): string =>
  text.length <= MAX_TEXT_LENGTH ? text : `${text.slice(0, MAX_TEXT_LENGTH - 1)}…`;

/** Estimated size in bytes of a cause or request without the object's name. */
const DETAIL_BYTES = 120;

const sizeOf = ({ error, reason, key, cause, request }: JournalEvent): number => {
  const details = cause ?? request;
  const named = details === undefined ? 0 : DETAIL_BYTES + 2 * details.object.length;
  return ENTRY_BYTES + 2 * ((error?.length ?? 0) + (reason?.length ?? 0) + key.length) + named;
};

type Draft = { -readonly [Field in keyof JournalEntry]: JournalEntry[Field] };

/**
 * Converts an event to an entry. Changes the event in place, because one reconcile has more than ten events.
 */
function entryOf(event: JournalEvent, seq: number, atMs: number): JournalEntry {
  const draft: JournalEvent & Partial<Pick<Draft, 'seq' | 'atMs'>> = event;
  draft.seq = seq;
  draft.atMs = atMs;
  const entry = draft as Draft;
  if (entry.reason !== undefined) entry.reason = clip(entry.reason);
  if (entry.error !== undefined) entry.error = clip(entry.error);
  return entry;
}

/** Creates an empty journal. */
export function createJournal(options: JournalOptions): Journal {
  const { clock, maxEntries = 20_000, maxBytes = 8 * 1024 * 1024 } = options;
  const ring = new JournalRing(maxEntries);
  const listeners = new Set<(entry: JournalEntry) => void>();
  let seq = 0;
  let first = 1;
  let bytes = 0;

  const dropOldest = (): void => {
    bytes -= ring.drop(first);
    first++;
  };
  const notify = (entry: JournalEntry): void => {
    for (const listener of listeners)
      try {
        listener(entry);
      } catch {
        // A failing listener must not disturb the controllers.
      }
  };

  return {
    enabled: true,
    record(event) {
      if (seq - first + 1 >= maxEntries) dropOldest();
      const entry = entryOf(event, ++seq, clock.now());
      const size = sizeOf(entry);
      ring.put(seq, entry.atMs, entry, size);
      bytes += size;
      while (bytes > maxBytes && first < seq) dropOldest();
      notify(entry);
    },
    read(query = {}) {
      const { controller, key, since, limit = 1_000 } = query;
      const found: JournalEntry[] = [];
      const from = Math.max(first, (since ?? 0) + 1);
      const forward = since !== undefined;
      for (let i = 0; i <= seq - from && found.length < limit; i++) {
        const number = forward ? from + i : seq - i;
        if (ring.isOf(number, controller, key)) found.push(ring.get(number));
      }
      return forward ? found : found.reverse();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    get size() {
      return seq - first + 1;
    },
    get bytes() {
      return bytes;
    },
  };
}
