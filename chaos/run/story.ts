import { keyOf } from '../../api/kinds/scheme.ts';
import { createJournal, type Journal, type JournalEntry, type JournalEvent } from '../../runtime/index.ts';
import type { Commit } from '../invariants/invariant.ts';
import { describeAction } from '../world/user.ts';
import type { Belief } from './belief.ts';
import type { Failure } from './judge.ts';
import type { Outcome, Subject } from './run.ts';
import { type Trace, readTape, replay } from './trace.ts';

/** One thing that happened, in the lane of whoever did it. */
export interface StoryLine {
  readonly step: number;
  /** Since the start, virtual milliseconds. */
  readonly atMs: number;
  /** A controller, `store`, `queue`, `fault`. */
  readonly lane: string;
  /** Of a controller or `queue`: in which process, where there are several. */
  readonly process?: string;
  /** Of a pass: which, and what of it this is without saying of which key, `deleting` of `team/a in deleting`. */
  readonly course?: { readonly pass: string; readonly said: string };
  /** Of `store`: whose change it was, and the revision of the object after it; none for one that is gone. */
  readonly by?: string;
  readonly revision?: string;
  readonly text: string;
}

/** A run told: what was done, what went wrong, what the controllers did about it, in their own states. */
export interface Story {
  readonly verdict: Outcome['verdict'];
  readonly steps: number;
  readonly hash: string;
  readonly failure?: Failure;
  readonly beliefs: readonly Belief[];
  readonly lines: readonly StoryLine[];
  /** The actions and deviations that are left of a trace that was shrunk. */
  readonly left: readonly string[];
  /** Whether the run passes without any single one of them. */
  readonly minimal: boolean;
  readonly journal: readonly JournalEntry[];
}

/** Does a run again and notes what happens. `shrunk`: how far the trace was, where it was. */
export async function tell(
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

/** An entry of a process's journal in one phrase; undefined for what goes without saying. */
export function describeEntry(
  event: JournalEvent,
  process: string,
): Pick<StoryLine, 'lane' | 'text' | 'course'> | undefined {
  const { kind, controller, key, passId = '', cause, ms } = event;
  if (kind === 'enqueued') {
    const why = cause ? `, for ${cause.type} ${cause.resource} ${cause.object}` : '';
    return { lane: 'queue', text: `${controller} ${key}${why}${ms ? ` in ${ms} ms` : ''}` };
  }
  const said = describeCourse(event);
  if (said === undefined) return undefined;
  const text = `${key} ${kind === 'state' ? 'in ' : ''}${said}`;
  return { lane: controller, text, course: { pass: `${process} ${passId}`, said } };
}

const describeCourse = ({ kind, state = '', outcome, error }: JournalEvent): string | undefined => {
  switch (kind) {
    case 'state':
      return state;
    case 'effect.failed':
      return `${state} failed: ${error ?? ''}`;
    case 'pass.finished':
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

/** Of a failed run: faults, what users did, and what concerns the namespace and the controller of the failure. */
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
