import { type Indexes, formatIndexes, parseIndexes } from './indexes.ts';
import type { JobCounts, ObservedJob, ObservedPod } from './observed.ts';

export const isActive = ({ phase, deleting }: ObservedPod): boolean =>
  phase !== 'Succeeded' && phase !== 'Failed' && !deleting;
/**
 * True if the pod has failed. A pod that is deleted before it succeeds counts as failed, because its kubelet
 * may no longer exist to report its result.
 */
const isFailed = ({ phase, deleting }: ObservedPod): boolean =>
  phase === 'Failed' || (deleting && phase !== 'Succeeded');

export interface Tally {
  readonly counts: JobCounts;
  /** Pods that need no finalizer once `counts` is written to the status. */
  readonly accounted: readonly ObservedPod[];
  readonly completed: Indexes;
  /** Number of successful pods, counted and not yet counted. */
  readonly successes: number;
  readonly failures: number;
}

/** Counts all pods of a Job. Of the pods that ended since the last count, counts at most `limit`. */
export const count = (job: ObservedJob, limit: number): Tally =>
  job.keepsUncounted === false ? countAsTheyAre(job) : countOnce(job, limit);

/**
 * Counts the existing pods, for a server that does not store `uncountedTerminatedPods`. Such a server does
 * not report ready pods either.
 */
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
    // Pods of an earlier controller may still have a finalizer, which is not needed for this way of counting.
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
 * Counts pods in two steps, so that no pod is counted twice or missed. First, the uid of a pod that has ended
 * is added to `uncounted`, and the pod's finalizer is removed. Once the pod is observed without its
 * finalizer, the uid is replaced by a higher count.
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
  const untrackedSince = (uids: readonly string[]): number => uids.length - kept(uids).length;
  const succeeded = job.indexed
    ? indexes.length
    : before.succeeded + untrackedSince(before.uncounted.succeeded);
  const failed = before.failed + untrackedSince(before.uncounted.failed);
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

/**
 * Returns the counts with their fields in the order that `count` produces, so that they can be compared as
 * JSON.
 */
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
