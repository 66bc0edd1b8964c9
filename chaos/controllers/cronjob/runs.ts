import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { cronJobs, jobs } from '../../../api/groups/batch-v1.ts';
import type { DeepReadonly } from '../../../api/kinds/index.ts';
import type { CronJob, Job } from '../../../api/types/batch-v1.ts';
import { controllerOf } from '../../../runtime/index.ts';
import { type Commit, type LiveView, liveObject, objectOf } from '../../invariants/invariant.ts';
import { calendarOf } from './calendar.ts';

export const CONTROLLER = 'cronjob';
export const MINUTE_MS = 60_000;
export const finishedAs = ({ status }: DeepReadonly<Job>): 'Complete' | 'Failed' | undefined => {
  const done = status?.conditions?.find(
    ({ type, status: is }) => is === 'True' && (type === 'Complete' || type === 'Failed'),
  );
  return done?.type as 'Complete' | 'Failed' | undefined;
};
export const ownedBy = (uid: string) => (job: DeepReadonly<Job>) => controllerOf(job)?.uid === uid;

/**
 * Minimum of a suffix in seconds. Minutes since the epoch stay below this number until the year 3871; seconds
 * exceeded it in 2001.
 */
const LEAST_SECONDS = 1e9;

/**
 * Returns the scheduled time in milliseconds from the suffix of a Job's name. The suffix has Unix minutes, or
 * Unix seconds if the time is not a whole minute.
 */
export function dueMsOf(jobName: string): number {
  const number = Number(jobName.slice(jobName.lastIndexOf('-') + 1));
  return number * (number < LEAST_SECONDS ? MINUTE_MS : 1_000);
}

/** A Job that the controller just created, with the current state of its CronJob. */
export interface Creation {
  readonly job: DeepReadonly<Job>;
  readonly owner: string;
  readonly cronJob: DeepReadonly<CronJob> | undefined;
}

export function creationIn(commit: Commit, live: LiveView): Creation | undefined {
  const job = objectOf(commit, jobs, 'after');
  const reference = job && controllerOf(job);
  if (commit.actor !== CONTROLLER || commit.verb !== 'create' || !job || !reference) return undefined;
  const found = liveObject(live, cronJobs, commit.namespace, reference.name);
  const isIt = found?.metadata?.uid === reference.uid;
  return { job, owner: reference.uid, cronJob: isIt ? found : undefined };
}

/**
 * Returns the claim that a write of the controller added: an entry of `status.active` without a uid.
 * Undefined if it added none.
 */
export function claimIn(
  commit: Commit,
): { readonly cronJob: DeepReadonly<CronJob>; readonly name: string } | undefined {
  const before = objectOf(commit, cronJobs, 'before');
  const after = objectOf(commit, cronJobs, 'after');
  if (commit.actor !== CONTROLLER || !before || !after) return undefined;
  const known = (before.status?.active ?? []).map(({ name }) => name);
  const claimed = after.status?.active?.find(({ name, uid }) => !uid && !known.includes(name));
  return claimed?.name === undefined ? undefined : { cronJob: before, name: claimed.name };
}

export const listOf = (names: readonly string[]): readonly string[] => [...new Set(names)].sort();

/**
 * Returns the latest scheduled time in an interval. Undefined if there is none, or if a suspension, a
 * deletion or a deadline may prevent the Job.
 */
export function dueOf(
  cronJob: DeepReadonly<CronJob>,
  vocabulary: Vocabulary,
  afterMs: number,
  nowMs: number,
): number | undefined {
  const { metadata, spec } = cronJob;
  const { suspend, startingDeadlineSeconds } = spec ?? {};
  if (suspend || metadata?.deletionTimestamp !== undefined || startingDeadlineSeconds !== undefined)
    return undefined;
  return calendarOf(cronJob, vocabulary).latest(afterMs, nowMs);
}

/** Returns the id of a scheduled run, by which invariants remember created Jobs. */
export const slotOf = (owner: string, dueMs: number): string => `${owner} ${dueMs / MINUTE_MS}`;
export const withCreation = (created: readonly string[], creation: Creation | undefined, name: string) =>
  creation ? listOf([...created, slotOf(creation.owner, dueMsOf(name))]) : created;
