/** Names of the supported Lua scripts of BullMQ, by file name. */
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

/** Names of the supported Redis commands. */
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

/** Names of the commands of `KeyTimers`, `KeyChanges` and `QueueServer.clear`. */
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
 * Name of a command. `pipeline` contains other commands. `waitForJob` is BullMQ's wait for a marker, the only
 * command with a delayed reply.
 */
export type CommandName = ScriptName | DirectName | KeysName | 'pipeline' | 'waitForJob';

/** One atomic operation of the server. Commands and replies are plain data. */
export interface Command {
  readonly name: CommandName;
  /** Key prefix of the queue. */
  readonly prefix: string;
  /** Arguments. Those of a script are the list of keys, followed by the script's arguments. */
  readonly args: readonly unknown[];
}

/** Reply of a pipeline: an error message or null, and a result, for each command. */
export type PiecewiseAnswer = readonly (readonly [message: string | null, answer: unknown])[];

/**
 * Sends a command. Resolves with the reply or rejects like a broken connection. `signal` cancels a blocking
 * command.
 */
export type Send = (command: Command, signal?: AbortSignal) => Promise<unknown>;

/** Message by which BullMQ recognizes a broken connection. */
export const CONNECTION_CLOSED = 'Connection is closed.';

/** Creates the error of a broken or cancelled connection. */
export const connectionClosed = (): Error => new Error(CONNECTION_CLOSED);
