import {
  type JobQueue,
  type Script,
  type TakeOptions,
  isHeldBack,
  lockKey,
  mark,
  markUnless,
  nextDelayedMs,
  notServed,
  priorityOf,
  priorityScore,
} from './job-queue.ts';

/** Maximum number of delayed jobs that one step moves to waiting. */
const AT_ONCE = 1_000;

/**
 * Reply to a take. Either the fields of a job as alternating names and values, with its id; or a wait, for a
 * duration or until a time.
 */
type Taken = readonly [job: readonly string[] | 0, id: string | 0, limitMs: number, untilMs: number];

const NOTHING: Taken = [0, 0, 0, 0];

/** Moves delayed jobs to waiting if they are due by the caller's clock. */
export function promoteDue(queue: JobQueue, timestamp: number, heldBack: boolean): void {
  const { space, base, delayed, prioritized, wait } = queue;
  const due = space.sorted(delayed).within(0, (timestamp + 1) * 0x1000 - 1, AT_ONCE);
  if (due.length === 0) return;
  space.removeMembers(delayed, ...due);
  for (const jobId of due) {
    const priority = priorityOf(queue, base + jobId);
    if (priority === 0) space.push(wait, jobId, 'left');
    else space.setScore(prioritized, jobId, priorityScore(queue, priority));
    space.setFields(base + jobId, 'delay', 0);
  }
  markUnless(queue, heldBack);
}

/** Takes a job. Undefined if no job is waiting or delayed. */
export function takeJob(queue: JobQueue, timestamp: number, options: TakeOptions): Taken | undefined {
  const { space, meta, wait, active } = queue;
  if (Boolean(options.limiter) || space.field(meta, 'max') !== undefined) notServed('rate limits');
  const heldBack = isHeldBack(queue);
  promoteDue(queue, timestamp, heldBack);
  if (heldBack) return NOTHING;
  const jobId = space.shift(wait, active) ?? takePrioritized(queue);
  if (jobId !== undefined) return begin(queue, jobId, timestamp, options);
  const nextMs = nextDelayedMs(queue);
  // Redis truncates numbers in script replies.
  return nextMs === undefined ? undefined : [0, 0, 0, Math.trunc(nextMs)];
}

function takePrioritized({ space, prioritized, active, priorities }: JobQueue): string | undefined {
  const first = space.popFirst(prioritized);
  if (first === undefined) space.delete(priorities);
  else space.push(active, first[0], 'left');
  return first?.[0];
}

function begin(queue: JobQueue, jobId: string, timestamp: number, options: TakeOptions): Taken {
  const { space, base } = queue;
  const jobKey = base + jobId;
  if (options.token !== '0') space.set(lockKey(jobKey), options.token, options.lockDuration);
  if (options.name !== undefined && options.name !== null) space.setFields(jobKey, 'pb', options.name);
  space.setFields(jobKey, 'processedOn', timestamp);
  space.incrementField(jobKey, 'ats');
  // Each worker that takes a job wakes the next worker; the last one finds no job.
  mark(queue);
  return [[...space.hash(jobKey)].flat(), jobId, 0, 0];
}

export const moveToActive: Script = (queue, [, timestamp, options]) =>
  takeJob(queue, Number(timestamp), options as TakeOptions) ?? NOTHING;
