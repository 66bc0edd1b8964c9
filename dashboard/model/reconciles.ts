import type { JournalCause, JournalEntry, JournalRequest } from '../../runtime/journal/index.ts';

/** One reconcile of a key, assembled from its entries. */
export interface Reconcile {
  readonly reconcileId: string;
  readonly startedMs: number;
  readonly retries: number;
  /** Duration in milliseconds. Absent while the reconcile runs. */
  readonly ms?: number;
  readonly outcome?: 'settled' | 'requeue' | 'failed';
  readonly reason?: string;
  readonly error?: string;
  readonly nextMs?: number;
  /** Number of equal reconciles directly before this one that the journal no longer has. */
  readonly repeats?: number;
  /** Events that enqueued the key since the previous reconcile. */
  readonly causes: readonly Enqueued[];
  readonly steps: readonly Step[];
}

/** One enqueueing of a key. */
export interface Enqueued {
  readonly atMs: number;
  readonly cause?: JournalCause;
  /** Delay of the requeue in milliseconds. Absent if an event enqueued the key. */
  readonly afterMs?: number;
  /** User who requested it, as a clause. Absent if an event or the controller enqueued the key. */
  readonly reason?: string;
}

/** One state that a reconcile entered. */
export interface Step {
  readonly state: string;
  readonly atMs: number;
  readonly seq: number;
  readonly event: string;
  /** Time until the next state in milliseconds. Absent for the last state. */
  readonly ms?: number;
  readonly requests: readonly (JournalRequest & { readonly ms: number })[];
  /** Error of the effect that failed in the state. */
  readonly error?: string;
}

type Open<T> = { -readonly [P in keyof T]: T[P] };
type OpenStep = Open<Omit<Step, 'requests'>> & { requests: (JournalRequest & { readonly ms: number })[] };
type OpenReconcile = Open<Omit<Reconcile, 'steps' | 'causes'>> & {
  steps: OpenStep[];
  causes: readonly Enqueued[];
};

/**
 * Returns the reconciles of one key, oldest first, and the events that enqueued the key since the last
 * reconcile started.
 */
export function reconcilesOf(entries: readonly JournalEntry[]): {
  readonly reconciles: readonly Reconcile[];
  readonly waiting: readonly Enqueued[];
} {
  const reconciles = new Map<string, OpenReconcile>();
  let waiting: Enqueued[] = [];
  for (const entry of entries) {
    if (entry.kind === 'enqueued') waiting.push(enqueuedBy(entry));
    // A covered change needs no reconcile, but delayed requeues remain.
    if (entry.kind === 'covered') waiting = waiting.filter(({ afterMs }) => afterMs !== undefined);
    if (entry.reconcileId === undefined) continue;
    if (entry.kind === 'reconcile.started') {
      reconciles.set(entry.reconcileId, opened(entry, entry.reconcileId, waiting));
      waiting = [];
    } else addTo(reconciles.get(entry.reconcileId), entry);
  }
  return { reconciles: [...reconciles.values()], waiting };
}

const enqueuedBy = ({ atMs, cause, ms, reason }: JournalEntry): Enqueued => ({
  atMs,
  ...(cause === undefined ? {} : { cause }),
  ...(ms === undefined ? {} : { afterMs: ms }),
  ...(reason === undefined ? {} : { reason }),
});

const opened = (
  { atMs, retries = 0 }: JournalEntry,
  reconcileId: string,
  causes: readonly Enqueued[],
): OpenReconcile => ({
  reconcileId,
  startedMs: atMs,
  retries,
  causes,
  steps: [],
});

function addTo(reconcile: OpenReconcile | undefined, entry: JournalEntry): void {
  const step = reconcile?.steps.at(-1);
  if (reconcile === undefined) return;
  switch (entry.kind) {
    case 'state':
      if (step !== undefined) step.ms = entry.atMs - step.atMs;
      reconcile.steps.push({
        state: entry.state ?? '',
        atMs: entry.atMs,
        seq: entry.seq,
        event: entry.event ?? '',
        requests: [],
      });
      break;
    case 'request':
      if (entry.request !== undefined) step?.requests.push({ ...entry.request, ms: entry.ms ?? 0 });
      break;
    case 'effect.failed':
      if (step !== undefined && entry.error !== undefined) step.error = entry.error;
      break;
    case 'reconcile.finished':
      for (const field of ['ms', 'outcome', 'reason', 'error', 'nextMs', 'repeats'] as const)
        if (entry[field] !== undefined) Object.assign(reconcile, { [field]: entry[field] });
      break;
    default:
  }
}
