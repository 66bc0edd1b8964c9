import { type Indexes, formatIndexes, parseIndexes } from './indexes.ts';
import type { JobCounts, ObservedJob, ObservedPod } from './observed.ts';

export const isActive = ({ phase, deleting }: ObservedPod): boolean =>
  phase !== 'Succeeded' && phase !== 'Failed' && !deleting;
/** A pod that is deleted before it has succeeded has failed: nobody may be left to say so. */
const isFailed = ({ phase, deleting }: ObservedPod): boolean =>
  phase === 'Failed' || (deleting && phase !== 'Succeeded');

export interface Tally {
  readonly counts: JobCounts;
  /** Pods that are accounted for once `counts` are written. */
  readonly accounted: readonly ObservedPod[];
  readonly completed: Indexes;
  /** In the counts and not yet in them. */
  readonly successes: number;
  readonly failures: number;
}

/** All pods of a Job, but no more than `limit` of those that have ended since they were counted last. */
export const count = (job: ObservedJob, limit: number): Tally =>
  job.keepsUncounted === false ? countAsTheyAre(job) : countOnce(job, limit);

/** Where the server keeps no uids: the pods that are there count, and no others. It does not report who is ready either. */
function countAsTheyAre(job: ObservedJob): Tally {
  const valid = job.pods.filter((pod) => isValid(job, pod));
  const succeeded = valid.filter(({ phase }) => phase === 'Succeeded');
  const completed = sorted([
    ...completedBy(job, job.counts),
    ...(job.indexed ? succeeded.flatMap(({ index }) => index ?? []) : []),
  ]);
  const successes = job.indexed ? completed.length : succeeded.length;
  const failures = valid.filter(({ phase }) => phase === 'Failed').length;
  return {
    counts: {
      ...noCounts,
      active: job.pods.filter(isActive).length,
      succeeded: successes,
      failed: failures,
      completedIndexes: formatIndexes(completed),
    },
    // Pods of another time, which wait for nobody any more.
    accounted: job.pods.filter((pod) => pod.tracked && !isActive(pod)),
    completed,
    successes,
    failures,
  };
}

const isValid = ({ indexed, completions = 0 }: ObservedJob, { index }: ObservedPod): boolean =>
  !indexed || (index !== undefined && index < completions);

const completedBy = ({ indexed, completions = 0 }: ObservedJob, counts: JobCounts): Indexes =>
  indexed ? parseIndexes(counts.completedIndexes, completions) : [];
const sorted = (indexes: Iterable<number>): Indexes => [...new Set(indexes)].sort((a, b) => a - b);

/**
 * Counts pods in two steps, so that none is counted twice or never: a pod that has ended enters `uncounted`; its
 * finalizer is taken off; and when it is seen to have none any more, its uid becomes a number.
 */
function countOnce(job: ObservedJob, limit: number): Tally {
  const before = job.tracked ? job.counts : noCounts;
  const tracked = new Map(job.pods.filter((pod) => pod.tracked).map((pod) => [pod.uid, pod]));
  const kept = (uids: readonly string[]): string[] => uids.filter((uid) => tracked.has(uid));
  const uncounted = { succeeded: kept(before.uncounted.succeeded), failed: kept(before.uncounted.failed) };
  const completed = new Set(completedBy(job, before));
  const accounted: ObservedPod[] = [];
  for (const pod of tracked.values()) {
    if (accounted.length >= limit) break;
    if (pod.phase !== 'Succeeded' && !isFailed(pod)) continue;
    accounted.push(pod);
    const known = uncounted.succeeded.includes(pod.uid) || uncounted.failed.includes(pod.uid);
    if (known || !isValid(job, pod)) continue;
    if (isFailed(pod)) uncounted.failed.push(pod.uid);
    else if (pod.index !== undefined && job.indexed) completed.add(pod.index);
    else uncounted.succeeded.push(pod.uid);
  }
  const indexes = sorted(completed);
  const gone = (uids: readonly string[]): number => uids.length - kept(uids).length;
  const succeeded = job.indexed ? indexes.length : before.succeeded + gone(before.uncounted.succeeded);
  const failed = before.failed + gone(before.uncounted.failed);
  const active = job.pods.filter(isActive);
  return {
    counts: {
      active: active.length,
      ready: active.filter((pod) => pod.ready).length,
      succeeded,
      failed,
      completedIndexes: formatIndexes(indexes),
      uncounted,
    },
    accounted,
    completed: indexes,
    successes: succeeded + uncounted.succeeded.length,
    failures: failed + uncounted.failed.length,
  };
}

export const noCounts: JobCounts = {
  active: 0,
  ready: 0,
  succeeded: 0,
  failed: 0,
  completedIndexes: '',
  uncounted: { succeeded: [], failed: [] },
};

/** With the fields in the order in which `count` gives them. */
export const countsOf = ({
  active,
  ready,
  succeeded,
  failed,
  completedIndexes,
  uncounted,
}: JobCounts): JobCounts => ({
  active,
  ready,
  succeeded,
  failed,
  completedIndexes,
  uncounted: { succeeded: uncounted.succeeded, failed: uncounted.failed },
});
