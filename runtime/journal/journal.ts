import type { Clock } from '../../base/clock/clock.ts';
import { JournalRing } from './ring.ts';

/** Type of a journal entry. */
export type JournalKind =
  | 'pass.started'
  | 'state'
  | 'effect.started'
  | 'effect.done'
  | 'effect.failed'
  | 'request'
  | 'pass.finished'
  | 'enqueued'
  /** Another reconcile, here or in another process, covers the changes that the key was enqueued for. */
  | 'covered'
  /** A shared queue may deliver the key twice. */
  | 'repeated'
  /** The controller cannot start, for the given reason; its key is ''. */
  | 'waiting'
  /** The controller has stopped; another process takes over its keys. Its key is ''. */
  | 'stopped';

/** The event that enqueued a key. */
export interface JournalCause {
  /** Type of the watch event; `RESYNC` for the periodic resync. */
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'RESYNC';
  /** Such as `jobs.batch`. */
  readonly resource: string;
  /** `namespace/name`, or `name`. */
  readonly object: string;
  /** Opaque version of the observed object. */
  readonly resourceVersion?: string;
}

/** Target and result of a request made by an effect, without its body. */
export interface JournalRequest {
  /**
   * Verb as in authorization, such as `get`, `list` or `create`; the lower-case method for non-resource
   * paths.
   */
  readonly verb: string;
  /** Such as `jobs.batch` or `cronjobs.batch/status`; the path for non-resource paths. */
  readonly resource: string;
  /** `namespace/name`, `namespace/` for a collection, '' without either. */
  readonly object: string;
  /** HTTP status, or the code of a `ClientError`. */
  readonly code: string;
}

/**
 * An event of one key of one controller. It contains no input or output of an effect and no request body,
 * because these may contain secrets.
 */
export interface JournalEvent {
  readonly kind: JournalKind;
  readonly controller: string;
  readonly key: string;
  /** Identifies the reconcile within this process; absent for `enqueued`. */
  readonly passId?: string;
  /**
   * Dotted state of the machine, such as `signing.loading`; the effect's name for `effect.*` and `request`.
   */
  readonly state?: string;
  readonly outcome?: 'settled' | 'requeue' | 'failed';
  readonly reason?: string;
  /** Duration in milliseconds; for `enqueued` the delay. */
  readonly ms?: number;
  readonly error?: string;
  /** For `state`: type of the machine's event, such as `xstate.done.actor.observe`. */
  readonly event?: string;
  /** For `enqueued`: the watch event, if there was one. */
  readonly cause?: JournalCause;
  /** For `request`. */
  readonly request?: JournalRequest;
  /** For `pass.started`: failures in a row before it. */
  readonly retries?: number;
  /** For `pass.finished`: time of the requeue, in milliseconds since the epoch. */
  readonly nextMs?: number;
}

/** A recorded event. */
export interface JournalEntry extends JournalEvent {
  /** Consecutive number, from 1. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

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

/** Options of `createJournal`. */
export interface JournalOptions {
  readonly clock: Clock;
  /** Maximum number of entries. Default 20,000. */
  readonly maxEntries?: number;
  /** Maximum estimated size in bytes. Default 8 MiB. */
  readonly maxBytes?: number;
}

/** Maximum length of a reason or error in characters. */
const MAX_TEXT = 512;
/** Estimated size of an entry without its texts. */
const ENTRY_BYTES = 160;

const clip = (text: string): string => (text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`);

/** Estimated size of a cause or request without the object's name. */
const DETAIL_BYTES = 120;

const sizeOf = ({ error, reason, key, cause, request }: JournalEvent): number => {
  const details = cause ?? request;
  const named = details === undefined ? 0 : DETAIL_BYTES + 2 * details.object.length;
  return ENTRY_BYTES + 2 * ((error?.length ?? 0) + (reason?.length ?? 0) + key.length) + named;
};

type Draft = { -readonly [Field in keyof JournalEntry]: JournalEntry[Field] };

/** Turns an event into an entry, in place because one reconcile has more than ten. */
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

/** A journal that records nothing. */
export const offJournal: Journal = {
  enabled: false,
  record: () => {},
  read: () => [],
  subscribe: () => () => {},
  size: 0,
  bytes: 0,
};
