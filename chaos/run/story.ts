import { keyOf } from '../../api/kinds/index.ts';
import { createJournal, type Journal, type JournalEntry, type JournalEvent } from '../../runtime/index.ts';
import type { Commit } from '../invariants/invariant.ts';
import type { Strike } from '../world/faults.ts';
import { describeAction } from '../world/user.ts';
import type { Belief } from './belief.ts';
import type { Failure } from './judge.ts';
import type { Outcome, Subject } from './run.ts';
import { type Notification, arrivalsOf } from './arrivals.ts';
import { describeDeviation, describeStrike, describeTimedStrike } from './fault-text.ts';
import { concernedBy, sliceOf } from './slice.ts';
import type { StoryLine } from './story-line.ts';
import { type Trace, readTape, replay } from './trace.ts';

/** A run as a readable story: user actions, faults, and the controllers' states. */
export interface Story {
  readonly verdict: Outcome['verdict'];
  readonly steps: number;
  readonly hash: string;
  readonly failure?: Failure;
  readonly beliefs: readonly Belief[];
  /** Indexes that did not equal their recomputation when the run failed. */
  readonly wrongIndexes: readonly string[];
  /** Events in order; those of a failed run are limited to the ones that explain the violation. */
  readonly lines: readonly StoryLine[];
  /** Number of lines about the same objects that were omitted. */
  readonly omitted: number;
  /** Actions and deviations that remain in a shrunk trace. */
  readonly left: readonly string[];
  /** True if each of them is necessary: without it, the run passes. */
  readonly minimal: boolean;
  readonly journal: readonly JournalEntry[];
}

/**
 * Replays a run and records its events. @param shrunk present if the trace was shrunk; `minimal` is the
 * result of shrinking
 */
export async function narrate(
  trace: Trace,
  subject: Subject,
  shrunk?: { readonly minimal: boolean },
): Promise<Story> {
  const { startMs } = trace.scenario;
  const { outcome, lines, commits, notifications, journal } = await record(trace, subject);
  const { verdict, failure, wrongIndexes, steps, hash } = outcome;
  const struck = outcome.strikes.map((strike) => ({
    ...strike,
    object: createdBy(strike, commits, startMs),
  }));
  const faults = struck.map((strike): StoryLine => {
    const { step, atMs, object, name, where } = strike;
    return { step, atMs, lane: 'fault', text: describeStrike(strike, object), fault: { name, where } };
  });
  const all = [...lines, ...faults].toSorted((a, b) => a.step - b.step);
  const slice = sliceOf(all, failure);
  const left = [
    ...actionsOf(trace),
    ...struck.map((strike) => describeTimedStrike(strike, strike.object)),
    ...readTape(trace.tape).flatMap((deviation) => describeDeviation(deviation) ?? []),
  ];
  return {
    verdict,
    steps,
    hash,
    ...(failure && { failure: { ...failure, broken: withShortUids(failure.broken) } }),
    beliefs: failure ? concernedBeliefs(outcome.beliefs, all, failure) : outcome.beliefs,
    wrongIndexes: wrongIndexes.filter((each) => each !== failure?.broken).map(withShortUids),
    lines: failure
      ? slice.lines.map((line) => ({ ...line, ...arrivalsOf(line, notifications) }))
      : slice.lines,
    omitted: slice.omitted,
    left: shrunk ? left : [],
    minimal: shrunk?.minimal ?? false,
    journal,
  };
}

/** Replays a run; returns its commits, notifications, journal, and all lines except those of faults. */
async function record(trace: Trace, subject: Subject) {
  const { startMs, managers } = trace.scenario;
  const lines: StoryLine[] = [];
  const commits: Commit[] = [];
  const notifications: Notification[] = [];
  let step = 0;
  let nowMs = startMs;
  const clock = {
    now: () => nowMs,
    monotonic: () => nowMs,
    setTimeout: () => ({ dueMs: 0 }),
    clearTimeout: () => {},
  };
  const journal: Journal = createJournal({ clock, maxEntries: 200_000, maxBytes: 1 << 28 });
  const when = () => ({ step, atMs: nowMs - startMs });
  const outcome = await replay(trace, subject, {
    journal,
    onEntry(process, event) {
      const told = describeEntry(event, process);
      if (told) lines.push({ ...when(), ...told, ...(managers > 1 && { process }) });
    },
    onStep: (_, { step: done, atMs }) => {
      step = done;
      nowMs = startMs + atMs;
    },
    onCommit(commit) {
      commits.push(commit);
      lines.push({
        ...when(),
        lane: 'store',
        ...describeCommit(commit),
        ...sendingOf(commit, when().atMs),
        ...(managers > 1 && commit.node !== undefined && { node: commit.node }),
      });
    },
    onHappening(process, happening) {
      if (happening.type !== 'notified') return;
      const { version, change } = happening;
      const own = managers > 1 && { process };
      notifications.push({ ...when(), ...own, version, isDeletion: change === 'delete' });
    },
  });
  return { outcome, lines, commits, notifications, journal: journal.read({ since: 0, limit: 200_000 }) };
}

/** Returns the time at which the request of a commit was sent, if it arrived later. */
const sendingOf = ({ atMs, sentMs }: Commit, nowMs: number): Pick<StoryLine, 'sentAtMs'> =>
  sentMs === undefined || atMs - sentMs < 1 ? {} : { sentAtMs: nowMs - (atMs - sentMs) };

/** Formats a journal entry. Undefined for entries that the story leaves out. */
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
  const hasFailed = kind === 'effect.failed' || event.error !== undefined;
  const course = { reconcile: `${process} ${reconcileId}`, said, ...(hasFailed && { hasFailed }) };
  return { lane: controller, text, course };
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
  before,
  after,
  uid,
}: Commit): Pick<StoryLine, 'text' | 'by' | 'revision' | 'object'> => {
  const key = keyOf({ metadata: { name, ...(namespace === '' ? {} : { namespace }) } });
  const change = `${verb} ${resource.replace(/^\//, '')}${subresource === undefined ? '' : `/${subresource}`}`;
  const { ownerReferences: owners = [] } = (after ?? before)?.metadata ?? {};
  const revision = after?.metadata?.resourceVersion;
  return {
    object: { key, uid, owners: owners.map((owner) => owner.uid), change },
    text: `${actor} ${change} ${key} (uid ${uid.slice(0, 8)}${revision === undefined ? ', gone' : `, revision ${revision}`})`,
    by: actor,
    ...(revision !== undefined && { revision }),
  };
};

/** Returns the beliefs about the objects that a violation is about; all if there are none about these. */
function concernedBeliefs(
  beliefs: readonly Belief[],
  lines: readonly StoryLine[],
  failure: Failure,
): readonly Belief[] {
  const concerned = concernedBy(lines, failure);
  const own = beliefs.filter(({ object }) => concerned.isMentionedIn(object));
  return own.length > 0 ? own : beliefs;
}

/** Returns the object that a faulty request created; undefined if it created none. */
function createdBy(
  { where, atMs }: Pick<Strike, 'where' | 'atMs'>,
  commits: readonly Commit[],
  startMs: number,
): string | undefined {
  if (!where.endsWith('/')) return undefined;
  const [actor = '', verb = '', target = ''] = where.split(' ');
  const made = commits.find(
    (commit) =>
      commit.actor === actor &&
      commit.verb === verb &&
      commit.resource.endsWith(`/${target}`) &&
      Math.abs((commit.sentMs ?? NaN) - startMs - atMs) < 1,
  );
  return made && keyOf({ metadata: { namespace: made.namespace, name: made.name } });
}

/** Shortens uids to the digits that the lines of a story show. */
const withShortUids = (text: string): string =>
  text.replace(/\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '$1');

const actionsOf = (trace: Trace): readonly string[] =>
  trace.scenario.workload.map(
    (action) => `${(action.atMs / 1_000).toFixed(3)} s: user ${describeAction(action)}`,
  );
