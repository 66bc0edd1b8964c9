import { CodedError } from '../../base/errors/index.ts';
import type { Keyspace } from './keyspace.ts';

/** Throws `ERR_NOT_SERVED` for an unsupported feature, so that its use does not go unnoticed. */
export function notServed(what: string): never {
  throw new CodedError('ERR_NOT_SERVED', `the simulated redis does not serve ${what}`);
}

/** A BullMQ queue: the keys that its scripts use. */
export interface JobQueue {
  readonly space: Keyspace;
  /** Common prefix of the keys, including the last colon. */
  readonly base: string;
  readonly wait: string;
  readonly active: string;
  readonly prioritized: string;
  readonly stalled: string;
  readonly stalledCheck: string;
  readonly delayed: string;
  readonly paused: string;
  readonly meta: string;
  readonly priorities: string;
  readonly marker: string;
  readonly id: string;
}

export const jobQueue = (space: Keyspace, base: string): JobQueue => ({
  space,
  base,
  wait: `${base}wait`,
  active: `${base}active`,
  prioritized: `${base}prioritized`,
  stalled: `${base}stalled`,
  stalledCheck: `${base}stalled-check`,
  delayed: `${base}delayed`,
  paused: `${base}paused`,
  meta: `${base}meta`,
  priorities: `${base}pc`,
  marker: `${base}marker`,
  id: `${base}id`,
});

/** A BullMQ script, which changes a queue and returns a reply. Negative codes are those of BullMQ. */
export type Script = (queue: JobQueue, argv: readonly unknown[], keys: readonly string[]) => unknown;

export const MISSING_KEY = -1;
export const MISSING_LOCK = -2;
export const NOT_IN_STATE = -3;
export const LOCK_OF_ANOTHER = -6;

/** Options of a job. A null field counts as missing, because Lua has no null in tables. */
export interface JobOptions {
  readonly delay?: number;
  readonly priority?: number;
  readonly lifo?: boolean;
  readonly de?: Deduplication;
}

export interface Deduplication {
  readonly id?: string;
  readonly ttl?: number;
  readonly extend?: boolean;
  readonly replace?: boolean;
  readonly reschedule?: boolean;
  readonly keepLastIfActive?: boolean;
}

/** Options of a worker that takes a job. */
export interface TakeOptions {
  readonly token: string;
  readonly lockDuration: number;
  readonly limiter?: unknown;
  readonly name?: string;
}

export const optionsText = (options: JobOptions): string =>
  JSON.stringify(options, (_name, value: unknown) => (value === null ? undefined : value));

export const deduplicationKey = ({ base }: JobQueue, id: string): string => `${base}de:${id}`;
/** Returns the key of the job that is stored to follow the active job. */
export const nextKey = ({ base }: JobQueue, id: string): string => `${base}dn:${id}`;
export const lockKey = (jobKey: string): string => `${jobKey}:lock`;

/** Sets the default number of retained events. BullMQ does so in every first operation. */
export function rememberMaxEvents({ space, meta }: JobQueue): void {
  if (space.field(meta, 'opts.maxLenEvents') === undefined)
    space.setFields(meta, 'opts.maxLenEvents', 10_000);
}

/** True if no job may be taken, because the queue is paused or its concurrency is used up. */
export function isHeldBack({ space, meta, active }: JobQueue): boolean {
  if (space.field(meta, 'paused') !== undefined) return true;
  return isMaxed({ space, meta, active });
}

export function isMaxed({ space, meta, active }: Pick<JobQueue, 'space' | 'meta' | 'active'>): boolean {
  const concurrency = space.field(meta, 'concurrency');
  return concurrency !== undefined && space.length(active) >= Number(concurrency);
}

/** Sets the marker, which wakes a waiting worker. */
export function mark({ space, marker }: JobQueue): void {
  space.setScore(marker, '0', 0);
}

export function markUnless(queue: JobQueue, heldBack: boolean): void {
  if (!heldBack) mark(queue);
}

/** Returns the due time of the first delayed job in milliseconds; undefined if there is none. */
export function nextDelayedMs({ space, delayed }: JobQueue): number | undefined {
  const [first] = space.sorted(delayed).members();
  return first === undefined ? undefined : (space.score(delayed, first) ?? 0) / 0x1000;
}

export function markDelayed(queue: JobQueue): void {
  const nextMs = nextDelayedMs(queue);
  if (nextMs !== undefined) queue.space.setScore(queue.marker, '1', nextMs);
}

/**
 * Returns the score of a delayed job. The score is the due time; its lowest 12 bits order the jobs within a
 * millisecond.
 */
export function delayedScore({ space, delayed }: JobQueue, timestamp: number, delay: number): number {
  const dueMs = delay > 0 ? timestamp + delay : timestamp;
  const min = dueMs * 0x1000;
  const max = (dueMs + 1) * 0x1000 - 1;
  const last = space.sorted(delayed).within(min, max).at(-1);
  return last === undefined ? min : Math.min(max, (space.score(delayed, last) ?? 0) + 1);
}

export function putDelayed(queue: JobQueue, jobId: string, timestamp: number, delay: number): void {
  queue.space.setScore(queue.delayed, jobId, delayedScore(queue, timestamp, delay));
  markDelayed(queue);
}

/** Returns the score of a prioritized job; jobs of equal priority keep their order. */
export function priorityScore({ space, priorities }: JobQueue, priority: number): number {
  return priority * 0x1_0000_0000 + (space.increment(priorities) % 0x1_0000_0000);
}

/**
 * Makes a job available to workers: among the prioritized jobs if its priority is above 0, otherwise among
 * the waiting jobs.
 */
export function putWaiting(
  queue: JobQueue,
  jobId: string,
  { priority, side, heldBack }: { priority: number; side: 'left' | 'right'; heldBack: boolean },
): void {
  if (priority > 0) queue.space.setScore(queue.prioritized, jobId, priorityScore(queue, priority));
  else queue.space.push(queue.wait, jobId, side);
  markUnless(queue, heldBack);
}

export const priorityOf = ({ space }: JobQueue, jobKey: string): number =>
  Number(space.field(jobKey, 'priority') ?? 0);

/** Sets the fields of a job that a worker sends along with an operation, as alternating names and values. */
export function updateFields({ space }: JobQueue, jobKey: string, fields: unknown): void {
  if (Array.isArray(fields) && fields.length > 0)
    space.setFields(jobKey, ...fields.map((field) => (typeof field === 'number' ? field : String(field))));
}

/**
 * Releases the lock of a job. Returns a negative code if `token` does not hold the lock. Token `0` matches
 * any lock.
 */
export function unlock(queue: JobQueue, jobId: string, token: string): number {
  if (token === '0') return 0;
  const { space, base, stalled } = queue;
  const key = lockKey(base + jobId);
  const holder = space.get(key);
  if (holder !== token) return holder === undefined ? MISSING_LOCK : LOCK_OF_ANOTHER;
  space.delete(key);
  space.removeFromSet(stalled, jobId);
  return 0;
}
