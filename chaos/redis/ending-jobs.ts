import { addNext } from './adding-jobs.ts';
import { releaseEnded } from './deduplication.ts';
import {
  type JobQueue,
  MISSING_KEY,
  NOT_IN_STATE,
  type Script,
  type TakeOptions,
  delayedScore,
  isHeldBack,
  markDelayed,
  notServed,
  priorityOf,
  putWaiting,
  rememberMaxEvents,
  unlock,
  updateFields,
} from './job-queue.ts';
import { promoteDue, takeJob } from './taking-jobs.ts';

/** Default maximum number of expired jobs that are removed when a job ends. */
const TOO_OLD_AT_ONCE = 1_000;

interface EndOptions extends TakeOptions {
  readonly keepJobs: {
    readonly count?: number | null;
    readonly age?: number | null;
    readonly limit?: number | null;
  };
  readonly maxMetricsSize?: unknown;
}

export const moveToFinished: Script = (queue, argv) => {
  const [jobId, timestamp, property, value, target, fetchNext, , options, fields] = argv as [
    string,
    number,
    string,
    string,
    string,
    number,
    unknown,
    EndOptions,
    unknown,
  ];
  const { space, base, active } = queue;
  const jobKey = base + jobId;
  if (!space.exists(jobKey)) return MISSING_KEY;
  if (options.maxMetricsSize !== '') notServed('metrics');
  const code = unlock(queue, jobId, options.token);
  if (code < 0) return code;
  updateFields(queue, jobKey, fields);
  const deduplicationId = space.field(jobKey, 'deid');
  if (!space.removeItem(active, jobId, 'right')) return NOT_IN_STATE;
  rememberMaxEvents(queue);
  if (deduplicationId !== undefined) {
    releaseEnded(queue, deduplicationId, jobId);
    addNext(queue, deduplicationId, timestamp);
  }
  space.incrementField(jobKey, 'atm');
  if (options.keepJobs.count === 0) space.delete(jobKey);
  else {
    space.setScore(base + target, jobId, timestamp);
    space.setFields(jobKey, property, value, 'finishedOn', timestamp);
    if (target === 'failed') space.deleteFields(jobKey, 'defa');
    removeOlder(queue, base + target, timestamp, options);
  }
  return (fetchNext === 1 ? takeJob(queue, timestamp, options) : undefined) ?? 0;
};

/** Removes ended jobs that exceed the age or count to keep. */
function removeOlder(
  { space, base }: JobQueue,
  target: string,
  timestamp: number,
  { keepJobs }: EndOptions,
): void {
  const { age, count, limit } = keepJobs;
  if (age !== undefined && age !== null) {
    const old = space
      .sorted(target)
      .within(-Infinity, timestamp - age * 1_000)
      .toReversed();
    for (const jobId of old.slice(0, limit ?? TOO_OLD_AT_ONCE)) {
      space.delete(base + jobId);
      space.removeMembers(target, jobId);
    }
  }
  if (typeof count !== 'number' || count < 0) return;
  const members = space.sorted(target).members();
  for (const jobId of members.slice(0, Math.max(0, members.length - count))) {
    space.delete(base + jobId);
    space.removeMembers(target, jobId);
  }
}

/**
 * Releases the lock of an active job and takes the job from the active list. Returns a negative code if that
 * is not possible.
 */
function leaveActive(queue: JobQueue, jobId: string, token: string, fields: unknown): number {
  const { space, base, active } = queue;
  if (!space.exists(base + jobId)) return MISSING_KEY;
  const code = unlock(queue, jobId, token);
  if (code < 0) return code;
  updateFields(queue, base + jobId, fields);
  return space.removeItem(active, jobId, 'right') ? 0 : NOT_IN_STATE;
}

export const retryJob: Script = (queue, argv) => {
  const [, timestamp, push, jobId, token, fields] = argv as [
    unknown,
    number,
    string,
    string,
    string,
    unknown,
  ];
  promoteDue(queue, timestamp, isHeldBack(queue));
  const code = leaveActive(queue, jobId, token, fields);
  if (code < 0) return code;
  const jobKey = queue.base + jobId;
  const side = push === 'RPUSH' ? 'right' : 'left';
  putWaiting(queue, jobId, { priority: priorityOf(queue, jobKey), side, heldBack: isHeldBack(queue) });
  queue.space.incrementField(jobKey, 'atm');
  rememberMaxEvents(queue);
  return 0;
};

export const moveToDelayed: Script = (queue, argv) => {
  const [, timestamp, jobId, token, delay, skipAttempt, fields, fetchNext, options] = argv as [
    unknown,
    number,
    string,
    string,
    number,
    string,
    unknown,
    number,
    TakeOptions,
  ];
  const code = leaveActive(queue, jobId, token, fields);
  if (code < 0) return code;
  const { space, base, delayed } = queue;
  const score = delayedScore(queue, timestamp, delay);
  if (skipAttempt === '0') space.incrementField(base + jobId, 'atm');
  space.setFields(base + jobId, 'delay', delay);
  rememberMaxEvents(queue);
  space.setScore(delayed, jobId, score);
  const next = fetchNext === 1 ? takeJob(queue, timestamp, options) : undefined;
  if (next !== undefined && next[0] !== 0) return next;
  markDelayed(queue);
  return 0;
};
