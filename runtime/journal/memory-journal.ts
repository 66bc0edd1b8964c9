import type { Clock } from '../../base/clock/index.ts';
import type { JournalEntry, JournalEvent } from './entry.ts';
import type { ReconcileEnd, History } from './history.ts';
import type { Journal, JournalQuery } from './journal.ts';
import { finishedIn } from './recorded.ts';
import { JournalRing } from './ring.ts';

/** Options of `createJournal`. */
export interface JournalOptions {
  readonly clock: Clock;
  /** Maximum number of entries. Default 20,000. */
  readonly maxEntries?: number;
  /** Maximum estimated size in bytes. Default 8 MiB. */
  readonly maxBytes?: number;
  /** History of each key, to which the journal adds its entries. Default: only the ring. */
  readonly history?: History;
  /** Number of the last entry that `history` already has. Default 0. */
  readonly lastSeq?: number;
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

/** Creates a journal. It is empty, apart from a given history. */
export function createJournal(options: JournalOptions): Journal {
  return new MemoryJournal(options);
}

class MemoryJournal implements Journal {
  readonly enabled = true;
  readonly #clock: Clock;
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  readonly #history: History | undefined;
  readonly #ring: JournalRing;
  readonly #listeners = new Set<(entry: JournalEntry) => void>();
  #seq: number;
  /** Number of the oldest entry in the ring. */
  #first: number;
  #bytes = 0;

  constructor({
    clock,
    maxEntries = 20_000,
    maxBytes = 8 * 1024 * 1024,
    history,
    lastSeq = 0,
  }: JournalOptions) {
    this.#clock = clock;
    this.#maxEntries = maxEntries;
    this.#maxBytes = maxBytes;
    this.#history = history;
    this.#ring = new JournalRing(maxEntries);
    this.#seq = lastSeq;
    this.#first = lastSeq + 1;
  }

  get size(): number {
    return this.#seq - this.#first + 1;
  }

  get bytes(): number {
    return this.#bytes + (this.#history?.bytes ?? 0);
  }

  record(event: JournalEvent): void {
    if (this.size >= this.#maxEntries) this.#dropOldest();
    const entry = entryOf(event, ++this.#seq, this.#clock.now());
    const size = sizeOf(entry);
    this.#ring.put(entry.seq, entry.atMs, entry, size);
    this.#bytes += size;
    while (this.#bytes > this.#maxBytes && this.#first < this.#seq) this.#dropOldest();
    this.#history?.add(entry);
    for (const listener of this.#listeners)
      try {
        listener(entry);
      } catch {
        // A failing listener must not disturb the controllers.
      }
  }

  read(query: JournalQuery = {}): readonly JournalEntry[] {
    const { key, since, limit = 1_000 } = query;
    if (this.#history === undefined || (since !== undefined && since + 1 >= this.#first))
      return this.#recent(query);
    const recent = this.#recent({ ...query, limit: Number.POSITIVE_INFINITY });
    if (since === undefined && key === undefined && recent.length >= limit) return recent.slice(-limit);
    const found = [...this.#older(this.#history, query), ...recent];
    return since === undefined ? found.slice(-limit) : found.slice(0, limit);
  }

  subscribe(listener: (entry: JournalEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  around(fromMs: number, toMs: number): readonly JournalEntry[] {
    if (this.#history !== undefined) return this.#history.around(fromMs, toMs);
    return this.#recent({ limit: Number.POSITIVE_INFINITY }).filter(({ atMs }) => atMs <= toMs);
  }

  finished(visit: (reconcile: ReconcileEnd) => void): void {
    if (this.#history === undefined) finishedIn(this.#recent({ limit: Number.POSITIVE_INFINITY }), visit);
    else this.#history.finished(visit);
  }

  #dropOldest(): void {
    this.#bytes -= this.#ring.drop(this.#first);
    this.#first++;
  }

  /** Returns the selected entries of the ring. */
  #recent({ controller, key, since, limit = 1_000 }: JournalQuery): JournalEntry[] {
    const found: JournalEntry[] = [];
    const from = Math.max(this.#first, (since ?? 0) + 1);
    const forward = since !== undefined;
    for (let i = 0; i <= this.#seq - from && found.length < limit; i++) {
      const number = forward ? from + i : this.#seq - i;
      if (this.#ring.isOf(number, controller, key)) found.push(this.#ring.get(number));
    }
    return forward ? found : found.reverse();
  }

  /** Returns the selected entries that only the history has. */
  #older(history: History, { controller, key, since = 0 }: JournalQuery): readonly JournalEntry[] {
    if (key === undefined) return history.between(since, this.#first, controller);
    return history.ofKey(key, controller).filter(({ seq }) => seq > since && seq < this.#first);
  }
}
