/** The Lua scripts of BullMQ that are served, by the names of their files. */
export type ScriptName =
  | 'addDelayedJob'
  | 'addPrioritizedJob'
  | 'addStandardJob'
  | 'changeDelay'
  | 'drain'
  | 'extendLock'
  | 'extendLocks'
  | 'getCounts'
  | 'getJobs'
  | 'getRanges'
  | 'getStateV2'
  | 'isFinished'
  | 'isMaxed'
  | 'moveJobFromActiveToWait'
  | 'moveStalledJobsToWait'
  | 'moveToActive'
  | 'moveToDelayed'
  | 'moveToFinished'
  | 'pause'
  | 'promote'
  | 'removeDeduplicationKey'
  | 'removeJob'
  | 'retryJob'
  | 'updateData';

/** Redis's own commands that are served. */
export type DirectName =
  | 'del'
  | 'get'
  | 'hdel'
  | 'hexists'
  | 'hget'
  | 'hgetall'
  | 'hmget'
  | 'hset'
  | 'llen'
  | 'lpos'
  | 'lrange'
  | 'set'
  | 'zcard'
  | 'zrange'
  | 'zscore';

/** What `KeyTimers`, `KeyChanges` and `QueueServer.clear` ask. */
export type KeysName =
  | 'timers.add'
  | 'timers.take'
  | 'timers.done'
  | 'timers.size'
  | 'changes.offer'
  | 'changes.claim'
  | 'changes.covered'
  | 'clear';

/**
 * `pipeline` holds others that are sent at once, and `waitForJob` is BullMQ's wait for a marker; it alone may be answered
 * later.
 */
export type CommandName = ScriptName | DirectName | KeysName | 'pipeline' | 'waitForJob';

/** One step that the server carries out whole. Plain data, as are the answers. */
export interface Command {
  readonly name: CommandName;
  /** Of the queue that the command is about; all keys of the queue begin with it. */
  readonly prefix: string;
  /** Of a script its keys, as one list, then its arguments. */
  readonly args: readonly unknown[];
}

/** What a pipeline answers for each of its commands: why it failed, and what it gave. */
export type PiecewiseAnswer = readonly (readonly [message: string | null, answer: unknown])[];

/**
 * Brings a command to the server and its answer back; rejects as a connection that breaks does. `signal` gives up one that
 * blocks.
 */
export type Send = (command: Command, signal?: AbortSignal) => Promise<unknown>;

/** By this text BullMQ knows that a connection broke, and that it was not refused. */
export const CONNECTION_CLOSED = 'Connection is closed.';

/** What a client or server says of a connection that breaks, or that is given up. */
export const connectionClosed = (): Error => new Error(CONNECTION_CLOSED);
