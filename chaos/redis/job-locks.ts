import {
  type JobQueue,
  MISSING_KEY,
  type Script,
  isHeldBack,
  lockKey,
  priorityOf,
  putWaiting,
  rememberMaxEvents,
  unlock,
} from './job-queue.ts';

/** BullMQ's message for a job that stalled too often. */
const STALLED_TOO_OFTEN = 'job stalled more than allowable limit';

export const extendLock: Script = (queue, [token, duration, jobId], [key = '']) =>
  Number(extend(queue, key, String(jobId), String(token), Number(duration)));

/** Extends locks. Returns the ids of the jobs whose lock expired or is held by another worker. */
export const extendLocks: Script = (queue, argv) => {
  const [base, tokens, jobIds, duration] = argv as [string, readonly string[], readonly string[], number];
  return jobIds.filter((jobId, i) => !extend(queue, lockKey(base + jobId), jobId, tokens[i] ?? '', duration));
};

function extend(queue: JobQueue, key: string, jobId: string, token: string, duration: number): boolean {
  const { space, stalled } = queue;
  if (space.get(key) !== token) return false;
  space.set(key, token, duration);
  space.removeFromSet(stalled, jobId);
  return true;
}

/**
 * Moves active jobs back to waiting that had no lock at this check and at the previous one. Runs once per
 * interval, even if several workers check.
 */
export const moveStalledJobsToWait: Script = (queue, argv) => {
  const [maxStalled, , timestamp, interval] = argv as [number, string, number, number];
  const { space, stalledCheck, stalled, active } = queue;
  if (space.exists(stalledCheck)) return [];
  space.set(stalledCheck, timestamp, interval);
  rememberMaxEvents(queue);
  const suspects = space.setMembers(stalled);
  space.delete(stalled);
  const moved = suspects.filter((jobId) => moveStalled(queue, jobId, maxStalled));
  const left = space.range(active);
  if (left.length > 0) space.addToSet(stalled, left);
  return moved;
};

function moveStalled(queue: JobQueue, jobId: string, maxStalled: number): boolean {
  const { space, base, active } = queue;
  const jobKey = base + jobId;
  if (space.exists(lockKey(jobKey)) || !space.removeItem(active, jobId, 'left')) return false;
  if (space.incrementField(jobKey, 'stc') > maxStalled) space.setFields(jobKey, 'defa', STALLED_TOO_OFTEN);
  putWaiting(queue, jobId, { priority: 0, side: 'right', heldBack: isHeldBack(queue) });
  return true;
}

/** Puts back a job that a worker took too early. */
export const moveJobFromActiveToWait: Script = (queue, argv) => {
  const [jobId, token, jobKey] = argv as [string, string, string];
  const { space, active, prioritized } = queue;
  if (!space.exists(jobKey)) return MISSING_KEY;
  const code = unlock(queue, jobId, token);
  if (code < 0) return code;
  if (space.removeItem(active, jobId, 'left')) {
    const priority = priorityOf(queue, jobKey);
    // The job goes in front of jobs with the same priority, and no worker is woken. BullMQ does the same.
    if (priority > 0) space.setScore(prioritized, jobId, priority * 0x1_0000_0000);
    else putWaiting(queue, jobId, { priority: 0, side: 'right', heldBack: isHeldBack(queue) });
    rememberMaxEvents(queue);
  }
  return 0;
};
