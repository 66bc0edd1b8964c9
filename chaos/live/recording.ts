import { createHash } from 'node:crypto';
import type { ApiObject, DeepReadonly, Scheme } from '../../api/kinds/index.ts';
import type { JournalEntry } from '../../runtime/index.ts';
import type { Commit, Invariant, ProcessEntry } from '../invariants/invariant.ts';
import type { SeedResult } from '../run/campaign.ts';
import { type Judge, createJudge } from '../run/judge.ts';
import type { StoryLine } from '../run/story-line.ts';
import { type Story, describeCommit, describeEntry } from '../run/story.ts';
import { describeStrike } from '../run/fault-text.ts';
import { sliceOf } from '../run/slice.ts';
import { liveViewOf } from '../world/history.ts';
import type { CarriedWrite } from './carried.ts';
import type { StoredChange } from './changes.ts';
import { commitsOf } from './commits.ts';
import type { LiveStrike } from './disturber.ts';

/** Everything that was observed in a live run. */
export interface Recording {
  readonly seed: number;
  /** Wall time in milliseconds since the epoch. */
  readonly startMs: number;
  /**
   * Time at which the system was quiescent and the controllers were restarted. Undefined if the system did
   * not converge; then no invariant of kind `eventually` is evaluated.
   */
  readonly restMs?: number;
  readonly initial: readonly StoredChange[];
  readonly changes: readonly StoredChange[];
  readonly writes: readonly CarriedWrite[];
  readonly entries: readonly ProcessEntry[];
  readonly strikes: readonly LiveStrike[];
  /** Reasons why the recording cannot be evaluated completely. */
  readonly flaws: readonly string[];
}

/** Recording of a live run with the result of its invariants. */
export interface JudgedRecording {
  readonly result: SeedResult;
  readonly story: Omit<Story, 'journal'>;
  /** Journals by process, with true times. */
  readonly journals: ReadonlyMap<string, readonly JournalEntry[]>;
}

type Moment =
  | { readonly atMs: number; readonly commit: Commit }
  | { readonly atMs: number; readonly entry: ProcessEntry }
  | { readonly atMs: number; readonly rest: true };

/** Evaluates the invariants on a recorded history, commit by commit as in a simulated run. */
export function judgeRecording(
  recording: Recording,
  invariants: readonly Invariant[],
  scheme: Scheme,
): JudgedRecording {
  const { initial, changes, writes, startMs } = recording;
  const commits = commitsOf(initial, changes, writes, scheme);
  const moments = inOrder(recording, commits);
  let step = 0;
  // Initial objects may be days old.
  let nowMs = Math.min(startMs, moments[0]?.atMs ?? startMs);
  const judge = createJudge(invariants, () => ({ step, atMs: nowMs - startMs }));
  const replay = createReplay(initial, () => nowMs);
  let isAtRest = false;
  for (const moment of moments) {
    step++;
    nowMs = Math.max(nowMs, moment.atMs);
    // Violations after the first one may be its consequences.
    if (judge.failure !== undefined) break;
    if ('rest' in moment) {
      isAtRest = true;
      judge.atRest(replay.live);
    } else if ('entry' in moment) {
      if (!isAtRest) judge.onEntry(moment.entry);
    } else {
      replay.apply(moment.commit);
      if (isAtRest) judge.onRestart(moment.commit, replay.live);
      else judge.onCommit(moment.commit, replay.live);
    }
  }
  const result = resultOf(recording, judge, commits, moments.length);
  const { verdict, hash } = result;
  const { failure } = judge;
  return {
    result,
    story: {
      verdict,
      steps: moments.length,
      hash,
      ...(failure && { failure }),
      beliefs: [],
      wrongIndexes: [],
      ...sliceOf(linesOf(recording, moments), failure),
      left: [],
      minimal: false,
    },
    journals: journalsOf(recording.entries),
  };
}

/** Returns one journal for each process. It spans the restarts of the process. */
function journalsOf(entries: readonly ProcessEntry[]): ReadonlyMap<string, readonly JournalEntry[]> {
  const journals = new Map<string, JournalEntry[]>();
  for (const { process, atMs, event } of entries) {
    if (event === 'started') continue;
    const journal = journals.get(process) ?? [];
    journals.set(process, journal);
    journal.push({ ...event, seq: journal.length + 1, atMs });
  }
  return journals;
}

/** Merges commits and journal entries by time. Commits keep their order, and so do entries. */
function inOrder({ entries, restMs }: Recording, commits: readonly Commit[]): readonly Moment[] {
  const moments: Moment[] = [
    ...commits.map((commit) => ({ atMs: commit.atMs, commit })),
    ...entries.map((entry) => ({ atMs: entry.atMs, entry })),
    ...(restMs === undefined ? [] : [{ atMs: restMs, rest: true } as const]),
  ];
  return moments.toSorted((a, b) => a.atMs - b.atMs);
}

function createReplay(initial: readonly StoredChange[], nowMs: () => number) {
  const objects = new Map<string, Map<string, DeepReadonly<ApiObject>>>();
  const named = (resource: string): Map<string, DeepReadonly<ApiObject>> => {
    const found = objects.get(resource) ?? new Map<string, DeepReadonly<ApiObject>>();
    objects.set(resource, found);
    return found;
  };
  const keyIn = ({ namespace = '', name = '' }: { namespace?: string; name?: string }): string =>
    `${namespace}/${name}`;
  for (const { resource, object } of initial) named(resource).set(keyIn(object.metadata ?? {}), object);
  return {
    live: liveViewOf(objects, nowMs),
    apply({ resource, namespace, name, after }: Commit): void {
      if (after === undefined) named(resource).delete(keyIn({ namespace, name }));
      else named(resource).set(keyIn({ namespace, name }), after);
    },
  };
}

function resultOf(
  { seed, flaws, strikes }: Recording,
  judge: Judge,
  commits: readonly Commit[],
  steps: number,
): SeedResult {
  const { failure } = judge;
  const hash = createHash('sha256');
  for (const { actor, verb, resource, namespace, name } of commits)
    hash.update(`${actor} ${verb} ${resource} ${namespace}/${name}\n`);
  return {
    seed,
    verdict: failure !== undefined ? 'FAIL' : flaws.length > 0 ? 'UNKNOWN' : 'PASS',
    ...(flaws.length > 0 && { reason: flaws.join('; ') }),
    ...(failure && { failure: { id: failure.id, broken: failure.broken, step: failure.step } }),
    tallies: judge.tallies(),
    struck: strikes.map(({ name, where }) => `${name} ${where}`),
    steps,
    commits: commits.length,
    hash: hash.digest('hex').slice(0, 16),
  };
}

function linesOf({ startMs, strikes, entries }: Recording, moments: readonly Moment[]): readonly StoryLine[] {
  const areSeveral = new Set(entries.map(({ process }) => process)).size > 1;
  const lines = moments.flatMap((moment, at): readonly StoryLine[] => {
    const when = { step: at + 1, atMs: moment.atMs - startMs };
    if ('commit' in moment) return [{ ...when, lane: 'store', ...describeCommit(moment.commit) }];
    if (!('entry' in moment)) return [];
    const { event, process } = moment.entry;
    if (event === 'started') return [{ ...when, lane: process, text: 'starts' }];
    const described = describeEntry(event, process);
    return described ? [{ ...when, ...described, ...(areSeveral && { process }) }] : [];
  });
  const struck = strikes.map(({ atMs, name, where }): StoryLine => {
    const step = moments.findLastIndex((moment) => moment.atMs <= atMs) + 1;
    return { step, atMs: atMs - startMs, lane: 'fault', text: describeStrike({ name, where }) };
  });
  return [...lines, ...struck].toSorted((a, b) => a.atMs - b.atMs);
}

/** Creates a view of the current objects, for user actions. */
export function createPresent(clock: { now(): number }) {
  const replay = createReplay([], () => clock.now());
  return {
    live: replay.live,
    apply({ resource, type, object }: StoredChange): Commit {
      const { namespace = '', name = '', uid = '' } = object.metadata ?? {};
      const commit: Commit = {
        step: 0,
        atMs: clock.now(),
        actor: 'apiserver',
        verb: type === 'ADDED' ? 'create' : type === 'DELETED' ? 'delete' : 'update',
        resource,
        namespace,
        name,
        uid,
        ...(type !== 'DELETED' && { after: object }),
      };
      replay.apply(commit);
      return commit;
    },
  };
}
