import type { JournalEntry, JournalEvent } from './entry.ts';

/** A reconcile to write into a history. */
export interface WrittenReconcile {
  readonly key: string;
  readonly controller?: string;
  readonly outcome?: 'settled' | 'requeue' | 'failed';
  readonly error?: string;
  readonly reason?: string;
  /** Object that the reconcile creates. */
  readonly creates?: string;
  readonly cause?: JournalEvent['cause'];
  /** User who requests the reconcile, before ten other events enqueue the key. */
  readonly requester?: string;
  /** Final state. Default `waiting`. */
  readonly state?: string;
}

/** Source of the entries of reconciles, numbered and dated. */
export interface ReconcileWriter {
  atMs: number;
  /** Returns the entries of one reconcile. */
  write(reconcile: WrittenReconcile): readonly JournalEntry[];
}

/** Creates a source of entries, from a time in milliseconds. */
export function createReconcileWriter(fromMs = 0): ReconcileWriter {
  let seq = 0;
  const writer: ReconcileWriter = {
    atMs: fromMs,
    write: ({
      key,
      controller = 'cronjob',
      outcome = 'settled',
      creates,
      cause,
      requester,
      state,
      ...texts
    }) => {
      const entries: JournalEntry[] = [];
      const reconcileId = `${controller}-${seq}`;
      const add = (event: Omit<JournalEvent, 'controller' | 'key'>): void =>
        void entries.push({ ...event, controller, key, seq: ++seq, atMs: writer.atMs });
      if (requester !== undefined) {
        add({ kind: 'enqueued', reason: `requested by ${requester}` });
        for (let i = 0; i < 10; i++) add({ kind: 'enqueued', ms: 0 });
      }
      add({ kind: 'enqueued', ...(cause === undefined ? { ms: 0 } : { cause }) });
      add({ kind: 'reconcile.started', reconcileId, retries: 0 });
      add({ kind: 'state', reconcileId, state: 'observing', event: 'xstate.init' });
      add({ kind: 'effect.started', reconcileId, state: 'observe' });
      add({ kind: 'effect.done', reconcileId, state: 'observe', ms: 1.5 });
      add({ kind: 'state', reconcileId, state: 'deciding', event: 'xstate.done.actor.observe' });
      if (creates !== undefined) {
        const request = { verb: 'create', resource: 'jobs.batch', object: creates, code: '201' };
        add({ kind: 'request', reconcileId, state: 'create', ms: 3.25, request });
      }
      add({ kind: 'state', reconcileId, state: state ?? 'waiting', event: '' });
      const next = outcome === 'settled' ? {} : { nextMs: writer.atMs + 1_000 };
      add({ kind: 'reconcile.finished', reconcileId, outcome, ms: 4, ...next, ...texts });
      return entries;
    },
  };
  return writer;
}
