import type { JournalCause, JournalEntry, JournalRequest } from '../../runtime/journal/index.ts';

/** One pass over a key, read off its entries. */
export interface Pass {
  readonly passId: string;
  readonly startedMs: number;
  readonly retries: number;
  /** Undefined while it runs. */
  readonly ms?: number;
  readonly outcome?: 'settled' | 'requeue' | 'failed';
  readonly reason?: string;
  readonly error?: string;
  readonly nextMs?: number;
  /** What brought the key up since the pass before. */
  readonly causes: readonly Brought[];
  readonly steps: readonly Step[];
}

export interface Brought {
  readonly atMs: number;
  readonly cause?: JournalCause;
  /** Brought up by an effect, after this time. */
  readonly afterMs?: number;
}

/** One state a pass went through. */
export interface Step {
  readonly state: string;
  readonly atMs: number;
  readonly seq: number;
  readonly event: string;
  /** Until the next state; undefined of the last one. */
  readonly ms?: number;
  readonly requests: readonly (JournalRequest & { readonly ms: number })[];
  /** Of the effect that ended badly in it. */
  readonly error?: string;
}

type Open<T> = { -readonly [P in keyof T]: T[P] };
type OpenStep = Open<Omit<Step, 'requests'>> & { requests: (JournalRequest & { readonly ms: number })[] };
type OpenPass = Open<Omit<Pass, 'steps' | 'causes'>> & { steps: OpenStep[]; causes: readonly Brought[] };

/** The passes of one key, oldest first, and what has brought it up since the last began. */
export function passesOf(entries: readonly JournalEntry[]): {
  readonly passes: readonly Pass[];
  readonly waiting: readonly Brought[];
} {
  const passes = new Map<string, OpenPass>();
  let waiting: Brought[] = [];
  for (const entry of entries) {
    if (entry.kind === 'enqueued') waiting.push(broughtBy(entry));
    // What is to come up later still does.
    if (entry.kind === 'covered') waiting = waiting.filter(({ afterMs }) => afterMs !== undefined);
    if (entry.passId === undefined) continue;
    if (entry.kind === 'pass.started') {
      passes.set(entry.passId, opened(entry, entry.passId, waiting));
      waiting = [];
    } else addTo(passes.get(entry.passId), entry);
  }
  return { passes: [...passes.values()], waiting };
}

const broughtBy = ({ atMs, cause, ms }: JournalEntry): Brought => ({
  atMs,
  ...(cause === undefined ? {} : { cause }),
  ...(ms === undefined ? {} : { afterMs: ms }),
});

const opened = (
  { atMs, retries = 0 }: JournalEntry,
  passId: string,
  causes: readonly Brought[],
): OpenPass => ({
  passId,
  startedMs: atMs,
  retries,
  causes,
  steps: [],
});

function addTo(pass: OpenPass | undefined, entry: JournalEntry): void {
  const step = pass?.steps.at(-1);
  if (pass === undefined) return;
  switch (entry.kind) {
    case 'state':
      if (step !== undefined) step.ms = entry.atMs - step.atMs;
      pass.steps.push({
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
    case 'pass.finished':
      for (const field of ['ms', 'outcome', 'reason', 'error', 'nextMs'] as const)
        if (entry[field] !== undefined) Object.assign(pass, { [field]: entry[field] });
      break;
    default:
  }
}
