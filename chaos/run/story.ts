import { keyOf } from '../../api/kinds/index.ts';
import { createJournal, type Journal, type JournalEntry, type JournalEvent } from '../../runtime/index.ts';
import type { Commit } from '../invariants/invariant.ts';
import { describeAction } from '../world/user.ts';
import type { Belief } from './belief.ts';
import type { Failure } from './judge.ts';
import type { Outcome, Subject } from './run.ts';
import { type Trace, readTape, replay } from './trace.ts';

/** An event of a run, in the lane of its actor. */
export interface StoryLine {
  readonly step: number;
  /** Virtual milliseconds since the start. */
  readonly atMs: number;
  /** Lane: a controller, `store`, `queue` or `fault`. */
  readonly lane: string;
  /** Process of a controller or queue, if there are several. */
  readonly process?: string;
  /**
   * The reconcile that the line belongs to, and its text without the key: `deleting` in `team/a in deleting`.
   */
  readonly course?: { readonly pass: string; readonly said: string };
  /** Author of a store change, and the object's revision afterwards; no revision for a deletion. */
  readonly by?: string;
  readonly revision?: string;
  readonly text: string;
}

/** A run as a readable story: user actions, faults, and the controllers' states. */
export interface Story {
  readonly verdict: Outcome['verdict'];
  readonly steps: number;
  readonly hash: string;
  readonly failure?: Failure;
  readonly beliefs: readonly Belief[];
  readonly lines: readonly StoryLine[];
  /** Actions and deviations that remain in a shrunk trace. */
  readonly left: readonly string[];
  /** True if the run passes without any single one of them. */
  readonly minimal: boolean;
  readonly journal: readonly JournalEntry[];
}

/** Replays a run and records what happens; `shrunk` says how far the trace was shrunk. */
export async function narrate(
  trace: Trace,
  subject: Subject,
  shrunk?: { readonly minimal: boolean },
): Promise<Story> {
  const { startMs } = trace.scenario;
  const lines: StoryLine[] = [];
  let step = 0;
  let nowMs = startMs;
  const clock = {
    now: () => nowMs,
    monotonic: () => nowMs,
    setTimeout: () => ({ dueMs: 0 }),
    clearTimeout: () => {},
  };
  const journal: Journal = createJournal({ clock, maxEntries: 200_000, maxBytes: 1 << 28 });
  const areSeveral = trace.scenario.managers > 1;
  const outcome = await replay(trace, subject, {
    journal,
    onEntry(process, event) {
      const told = describeEntry(event, process);
      if (told) lines.push({ step, atMs: nowMs - startMs, ...told, ...(areSeveral && { process }) });
    },
    onStep: (_, { step: done, atMs }) => {
      step = done;
      nowMs = startMs + atMs;
    },
    onCommit: (commit) =>
      lines.push({ step, atMs: nowMs - startMs, lane: 'store', ...describeCommit(commit) }),
  });
  const strikes = outcome.strikes.map(({ name, where, step: at, atMs }) => ({
    step: at,
    atMs,
    lane: 'fault',
    text: `${name}: ${where}`,
  }));
  const { verdict, failure, beliefs, steps, hash } = outcome;
  return {
    verdict,
    steps,
    hash,
    ...(failure && { failure }),
    beliefs,
    lines: relevant(
      [...lines, ...strikes].toSorted((a, b) => a.step - b.step),
      failure,
    ),
    left: shrunk ? partsOf(trace) : [],
    minimal: shrunk?.minimal ?? false,
    journal: journal.read({ since: 0, limit: 200_000 }),
  };
}

/** Formats a journal entry; undefined for entries that add nothing. */
export function describeEntry(
  event: JournalEvent,
  process: string,
): Pick<StoryLine, 'lane' | 'text' | 'course'> | undefined {
  const { kind, controller, key, reconcileId = '', cause, ms } = event;
  if (kind === 'enqueued') {
    const why = cause ? `, for ${cause.type} ${cause.resource} ${cause.object}` : '';
    return { lane: 'queue', text: `${controller} ${key}${why}${ms ? ` in ${ms} ms` : ''}` };
  }
  const said = describeCourse(event);
  if (said === undefined) return undefined;
  const text = `${key} ${kind === 'state' ? 'in ' : ''}${said}`;
  return { lane: controller, text, course: { pass: `${process} ${reconcileId}`, said } };
}

const describeCourse = ({ kind, state = '', outcome, error }: JournalEvent): string | undefined => {
  switch (kind) {
    case 'state':
      return state;
    case 'effect.failed':
      return `${state} failed: ${error ?? ''}`;
    case 'reconcile.finished':
      return outcome === 'settled' ? undefined : `${outcome ?? ''}${error === undefined ? '' : `: ${error}`}`;
    default:
      return undefined;
  }
};

export const describeCommit = ({
  actor,
  verb,
  resource,
  subresource,
  namespace,
  name,
  after,
  uid,
}: Commit): Pick<StoryLine, 'text' | 'by' | 'revision'> => {
  const key = keyOf({ metadata: { name, ...(namespace === '' ? {} : { namespace }) } });
  const what = `${resource.replace(/^\//, '')}${subresource === undefined ? '' : `/${subresource}`} ${key}`;
  const revision = after?.metadata?.resourceVersion;
  return {
    text: `${actor} ${verb} ${what} (uid ${uid.slice(0, 8)}${revision === undefined ? ', gone' : `, revision ${revision}`})`,
    by: actor,
    ...(revision !== undefined && { revision }),
  };
};

/**
 * Filters the lines of a failed run: faults, user actions, and everything about the failing controller and
 * object.
 */
export function relevant(lines: readonly StoryLine[], failure: Failure | undefined): readonly StoryLine[] {
  const { commit } = failure ?? {};
  if (commit === undefined) return lines;
  const about = [
    commit.name,
    ...((commit.after ?? commit.before)?.metadata?.ownerReferences?.map(({ name }) => name) ?? []),
  ];
  return lines.filter(
    ({ lane, text }) =>
      lane === 'fault' ||
      about.some((name) => text.includes(name)) ||
      (lane === commit.actor && lane !== 'user'),
  );
}

const partsOf = (trace: Trace): readonly string[] => [
  ...trace.scenario.workload.map(
    (action) => `${(action.atMs / 1_000).toFixed(3)} s: user ${describeAction(action)}`,
  ),
  ...readTape(trace.tape).map(({ label, took }) => `${label}: choice ${took}`),
];
