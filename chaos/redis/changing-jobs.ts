import { releaseRemoved } from './deduplication.ts';
import {
  type JobQueue,
  MISSING_KEY,
  NOT_IN_STATE,
  type Script,
  delayedScore,
  isHeldBack,
  lockKey,
  mark,
  markDelayed,
  priorityOf,
  putWaiting,
  rememberMaxEvents,
} from './job-queue.ts';

/**
 * Pauses or resumes the queue. Returns 0, the number of jobs that are left to move: older versions of BullMQ
 * moved jobs in several steps, but this script moves all at once.
 */
export const pause: Script = (queue, [state]) => {
  const { space, meta, marker, paused, wait, prioritized } = queue;
  if (state === 'paused') {
    space.setFields(meta, 'paused', 1);
    space.delete(marker);
    return 0;
  }
  space.deleteFields(meta, 'paused');
  for (const jobId of space.range(paused)) space.push(wait, jobId, 'right');
  space.delete(paused);
  if (space.length(wait) + space.sorted(prioritized).size > 0) mark(queue);
  else markDelayed(queue);
  return 0;
};

/** Removes a job unless a worker holds it. */
export const removeJob: Script = (queue, [id]) => {
  const { space, base } = queue;
  const jobId = String(id);
  if (space.exists(lockKey(base + jobId))) return 0;
  removeFromItsState(queue, jobId);
  releaseRemoved(queue, space.field(base + jobId, 'deid'), jobId);
  if (space.delete(base + jobId)) rememberMaxEvents(queue);
  return 1;
};

function removeFromItsState({ space, base }: JobQueue, jobId: string): void {
  for (const state of ['completed', 'delayed', 'failed', 'prioritized'])
    if (space.removeMembers(base + state, jobId) > 0) return;
  for (const state of ['wait', 'paused', 'active']) if (space.removeItem(base + state, jobId, 'left')) return;
}

export const promote: Script = (queue, [, id]) => {
  const { space, base, delayed } = queue;
  const jobId = String(id);
  if (space.removeMembers(delayed, jobId) === 0) return NOT_IN_STATE;
  const priority = priorityOf(queue, base + jobId);
  putWaiting(queue, jobId, { priority, side: 'left', heldBack: isHeldBack(queue) });
  space.setFields(base + jobId, 'delay', 0);
  return 0;
};

export const changeDelay: Script = (queue, argv) => {
  const [delay, timestamp, jobId, jobKey] = argv as [number, string, string, string];
  const { space, delayed } = queue;
  if (!space.exists(jobKey)) return MISSING_KEY;
  const score = delayedScore(queue, Number(timestamp), delay);
  if (space.removeMembers(delayed, jobId) === 0) return NOT_IN_STATE;
  space.setFields(jobKey, 'delay', delay);
  space.setScore(delayed, jobId, score);
  rememberMaxEvents(queue);
  markDelayed(queue);
  return 0;
};

/** Removes waiting jobs, and also delayed ones if requested. */
export const drain: Script = (queue, [, withDelayed]) => {
  const { space, base, wait, paused, delayed, prioritized } = queue;
  const sets = withDelayed === '1' ? [delayed, prioritized] : [prioritized];
  const jobIds = [
    ...[wait, paused].flatMap((list) => space.range(list)),
    ...sets.flatMap((set) => space.sorted(set).members()),
  ];
  for (const jobId of jobIds) {
    releaseRemoved(queue, space.field(base + jobId, 'deid'), jobId);
    space.delete(base + jobId);
  }
  for (const key of [wait, paused, ...sets]) space.delete(key);
  return null;
};

export const updateData: Script = ({ space }, [data], [jobKey = '']) => {
  if (!space.exists(jobKey)) return MISSING_KEY;
  space.setFields(jobKey, 'data', String(data));
  return 0;
};

export const removeDeduplicationKey: Script = ({ space }, [jobId], [key = '']) =>
  space.get(key) === jobId ? Number(space.delete(key)) : 0;
