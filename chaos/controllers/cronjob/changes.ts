import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { cronJobs } from '../../../api/groups/batch-v1.ts';
import { leases } from '../../../api/groups/coordination-v1.ts';
import type { DeepReadonly } from '../../../api/kinds/index.ts';
import type { CronJob } from '../../../api/types/batch-v1.ts';
import { fromTime } from '../../../base/clock/index.ts';
import { resourceName } from '../../../runtime/index.ts';
import { calendarOf } from './calendar.ts';
import { CONTROLLER } from './runs.ts';
import { type Commit, type ProcessEntry, isOf, objectOf } from '../../invariants/invariant.ts';
import { holderOf } from '../../invariants/leaderelection.ts';

const RESOURCE = resourceName(cronJobs.plural, cronJobs.group);

/** Time of the first observation in milliseconds since the epoch, by `namespace/name`. */
type Shown = { readonly [key: string]: number };

/**
 * Knowledge about schedule changes. It is necessary because the API does not record when a schedule changed.
 */
export interface Changes {
  /** Time of the last schedule change, by uid. */
  readonly changedMs: { readonly [uid: string]: number };
  /** Start of the term of the latest leader. */
  readonly termMs?: number;
  /** Time at which each process first observed each CronJob; undefined if no journal is available. */
  readonly shownMs?: { readonly [process: string]: Shown };
}

/**
 * True if the commit gives the controller's lease to another process. That process does not know earlier
 * changes.
 */
export const isTakeover = (commit: Commit): boolean =>
  isOf(commit, leases) &&
  commit.name.endsWith(`-${CONTROLLER}`) &&
  holderOf(objectOf(commit, leases, 'before')) !== holderOf(objectOf(commit, leases, 'after'));

export const asTakenOver = ({ changedMs, shownMs }: Changes, { atMs }: Commit): Changes => ({
  changedMs,
  termMs: atMs,
  ...(shownMs && { shownMs: {} }),
});

export const asChanged = (state: Changes, { uid, atMs }: Commit): Changes => ({
  ...state,
  changedMs: { ...state.changedMs, [uid]: atMs },
});

/** Drops observations of an earlier object with the name of the created object. */
export function asCreated(state: Changes, { namespace, name }: Commit): Changes {
  if (!state.shownMs) return state;
  const others = Object.entries(state.shownMs).map(
    ([process, shown]) => [process, without(shown, `${namespace}/${name}`)] as const,
  );
  return { ...state, shownMs: Object.fromEntries(others) };
}

const without = (shown: Shown, key: string): Shown =>
  Object.fromEntries(Object.entries(shown).filter(([each]) => each !== key));

export const asStarted = (state: Changes, { process }: ProcessEntry): Changes => ({
  ...state,
  shownMs: { ...state.shownMs, [process]: {} },
});

/** Records an observation: the cause of an enqueued key names the observed object. */
export function asShown(state: Changes, { process, atMs, event }: ProcessEntry): Changes {
  if (event === 'started' || event.controller !== CONTROLLER) return state;
  const { key, cause } = event;
  const shown = state.shownMs?.[process] ?? {};
  if (cause?.resource !== RESOURCE || cause.object !== key || shown[key] !== undefined) return state;
  return { ...state, shownMs: { ...state.shownMs, [process]: { ...shown, [key]: atMs } } };
}

/**
 * True if the process of a write can know that the schedule changed at a time.
 *
 * The process knows this if it observed the CronJob before the change, or if the last run does not fit the
 * schedule. Without journals, a leader is assumed to have observed all CronJobs at the start of its term.
 */
export function isKnown(
  changedMs: number,
  { termMs = -Infinity, shownMs }: Changes,
  { node = '', namespace, name }: Commit,
  cronJob: DeepReadonly<CronJob>,
  vocabulary: Vocabulary,
): boolean {
  const sinceMs = shownMs ? (shownMs[node]?.[`${namespace}/${name}`] ?? Infinity) : termMs;
  if (sinceMs < changedMs) return true;
  const lastMs = fromTime(cronJob.status?.lastScheduleTime);
  return lastMs !== undefined && !calendarOf(cronJob, vocabulary).has(lastMs);
}
