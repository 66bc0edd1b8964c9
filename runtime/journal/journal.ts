import type { Clock } from '../../base/clock/clock.ts';
import { JournalRing } from './ring.ts';

export type JournalKind =
  | 'pass.started'
  | 'state'
  | 'effect.started'
  | 'effect.done'
  | 'effect.failed'
  | 'request'
  | 'pass.finished'
  | 'enqueued'
  /** An earlier pass, or one of another process, has seen all that brought the key up: none of this one need. */
  | 'covered'
  /** The key is brought up once more where a shared queue may have it already: it may have one pass more than it needs. */
  | 'repeated'
  /** The controller cannot begin, for the reason given; its key is ''. */
  | 'waiting'
  /** The controller has stopped, as at the end of a term: what it had still to do is another's. Its key is ''. */
  | 'stopped';

/** The change that brought a key up. */
export interface JournalCause {
  /** As a watch has it; `RESYNC` for the round that brings up everything now and then. */
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'RESYNC';
  /** `jobs.batch`. */
  readonly resource: string;
  /** `namespace/name`, or `name`. */
  readonly object: string;
  /** Opaque; the state of the object that was seen. */
  readonly resourceVersion?: string;
}

/** A request that an effect made: what for and how it was answered, never what was in it. */
export interface JournalRequest {
  /** As authorization has it: `get`, `list`, `create`, …; for paths that are no resource the method in lower case. */
  readonly verb: string;
  /** `jobs.batch`, `cronjobs.batch/status`; the path where it is no resource. */
  readonly resource: string;
  /** `namespace/name`, `namespace/` for a collection in one; '' where the path has neither. */
  readonly object: string;
  /** The status, or the code of a `ClientError`. */
  readonly code: string;
}

/**
 * What happened to one key of one controller. No input or output of an effect and no body of a request is in it: those
 * may hold secrets.
 */
export interface JournalEvent {
  readonly kind: JournalKind;
  readonly controller: string;
  readonly key: string;
  /** Which pass of this process it belongs to; not for `enqueued`. */
  readonly passId?: string;
  /** Of the machine, dotted: `deleting`, `signing.loading`; the effect's name for `effect.*`. */
  readonly state?: string;
  readonly outcome?: 'settled' | 'requeue' | 'failed';
  readonly reason?: string;
  /** How long it took; of `enqueued` after which time the key comes up. */
  readonly ms?: number;
  readonly error?: string;
  /** Of `state`: type of the event that led there, such as `xstate.done.actor.observe`. */
  readonly event?: string;
  /** Of `enqueued`, where a change of an object did it. */
  readonly cause?: JournalCause;
  /** Of `request`. */
  readonly request?: JournalRequest;
  /** Of `pass.started`: failures in a row before it. */
  readonly retries?: number;
  /** Of `pass.finished`: when the key comes up again without any change, wall time. */
  readonly nextMs?: number;
}

export interface JournalEntry extends JournalEvent {
  /** Counts up from 1 without gaps. */
  readonly seq: number;
  /** Wall time, milliseconds since the epoch. */
  readonly atMs: number;
}

export interface JournalQuery {
  readonly controller?: string;
  readonly key?: string;
  /** Only entries after this `seq`. */
  readonly since?: number;
  /** Entries given at most: with `since` the oldest of those, else the newest. Default 1 000. */
  readonly limit?: number;
}

/** What passes did, in a ring that is bounded in count and size. Logs, dashboard and chaos report are views of it. */
export interface Journal {
  /** False: `record` does nothing, and callers spare themselves the making of events. */
  readonly enabled: boolean;
  /** The event becomes the entry, without a copy: who records makes an event of its own for each call. */
  record(event: JournalEvent): void;
  /** Oldest first. */
  read(query?: JournalQuery): readonly JournalEntry[];
  /** Calls `listener` for each entry from now on; what it throws is dropped. Returns what ends it. */
  subscribe(listener: (entry: JournalEntry) => void): () => void;
  readonly size: number;
  /** Bytes held, estimated. */
  readonly bytes: number;
}

export interface JournalOptions {
  readonly clock: Clock;
  /** Entries kept. Default 20 000. */
  readonly maxEntries?: number;
  /** Bytes kept, estimated. Default 8 MiB. */
  readonly maxBytes?: number;
}

/** Longest reason or error kept, characters. */
const MAX_TEXT = 512;
/** What an entry takes besides its texts, about. */
const ENTRY_BYTES = 160;

const clip = (text: string): string => (text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`);

/** What a cause or a request adds besides the object's name, about. */
const DETAIL_BYTES = 120;

const sizeOf = ({ error, reason, key, cause, request }: JournalEvent): number => {
  const details = cause ?? request;
  const named = details === undefined ? 0 : DETAIL_BYTES + 2 * details.object.length;
  return ENTRY_BYTES + 2 * ((error?.length ?? 0) + (reason?.length ?? 0) + key.length) + named;
};

type Draft = { -readonly [Field in keyof JournalEntry]: JournalEntry[Field] };

/** Gives an event its place. In place: a pass has ten of them and more. */
function entryOf(event: JournalEvent, seq: number, atMs: number): JournalEntry {
  const draft: JournalEvent & Partial<Pick<Draft, 'seq' | 'atMs'>> = event;
  draft.seq = seq;
  draft.atMs = atMs;
  const entry = draft as Draft;
  if (entry.reason !== undefined) entry.reason = clip(entry.reason);
  if (entry.error !== undefined) entry.error = clip(entry.error);
  return entry;
}

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
        // A view that fails must not disturb what it watches.
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

/** Keeps nothing and costs nothing. */
export const offJournal: Journal = {
  enabled: false,
  record: () => {},
  read: () => [],
  subscribe: () => () => {},
  size: 0,
  bytes: 0,
};
