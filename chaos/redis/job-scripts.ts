import { addDelayedJob, addPrioritizedJob, addStandardJob } from './adding-jobs.ts';
import {
  changeDelay,
  drain,
  pause,
  promote,
  removeDeduplicationKey,
  removeJob,
  updateData,
} from './changing-jobs.ts';
import type { ScriptName } from './command.ts';
import { moveToDelayed, moveToFinished, retryJob } from './ending-jobs.ts';
import { extendLock, extendLocks, moveJobFromActiveToWait, moveStalledJobsToWait } from './job-locks.ts';
import { type JobQueue, type Script, jobQueue } from './job-queue.ts';
import type { Keyspace } from './keyspace.ts';
import { getCounts, getJobs, getRanges, getStateV2, isFinished, isMaxed } from './reading-jobs.ts';
import { moveToActive } from './taking-jobs.ts';

const scripts: { readonly [name in ScriptName]: Script } = {
  addDelayedJob,
  addPrioritizedJob,
  addStandardJob,
  changeDelay,
  drain,
  extendLock,
  extendLocks,
  getCounts,
  getJobs,
  getRanges,
  getStateV2,
  isFinished,
  isMaxed,
  moveJobFromActiveToWait,
  moveStalledJobsToWait,
  moveToActive,
  moveToDelayed,
  moveToFinished,
  pause,
  promote,
  removeDeduplicationKey,
  removeJob,
  retryJob,
  updateData,
};

/** Scripts whose first key need not belong to the queue. A second key always belongs to the queue. */
const OWN_KEY_SECOND: ReadonlySet<string> = new Set(['extendLock', 'removeJob']);

export const isScript = (name: string): name is ScriptName => Object.hasOwn(scripts, name);

/** Creates the executor of BullMQ's scripts on a keyspace. */
export function createJobScripts(space: Keyspace) {
  const queues = new Map<string, JobQueue>();
  const queueOf = (key: string): JobQueue => {
    const base = key.slice(0, key.lastIndexOf(':') + 1);
    const known = queues.get(base) ?? jobQueue(space, base);
    queues.set(base, known);
    return known;
  };
  return (name: ScriptName, args: readonly unknown[]): unknown => {
    const [keys, ...argv] = args as [readonly string[], ...unknown[]];
    const key = keys[OWN_KEY_SECOND.has(name) ? 1 : 0] ?? '';
    return scripts[name](queueOf(key), argv, keys);
  };
}
