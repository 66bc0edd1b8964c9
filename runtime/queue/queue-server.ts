import type { Queue, Worker } from 'bullmq';
import type { Environment } from '../../base/environment.ts';

/** Data of a job in the queue `now`. */
export interface KeyJob {
  /** Encoded by `encodeKey`. */
  readonly key: string;
  readonly retries: number;
  /** The first change that the key was enqueued for. */
  readonly change?: string;
}

/** The used part of BullMQ's queue. */
export type KeyQueue = Pick<
  Queue<KeyJob>,
  'addBulk' | 'close' | 'getDeduplicationJobId' | 'getWaiting' | 'getWaitingCount' | 'on' | 'waitUntilReady'
>;

/** Subset of BullMQ's `Worker` that a queue uses. */
export type KeyJobWorker = Pick<Worker<KeyJob>, 'close' | 'extendJobLocks' | 'on'>;
/** Function that processes a job, in BullMQ's form. */
export type KeyJobProcessor = ConstructorParameters<typeof Worker<KeyJob>>[1];
/** Options of BullMQ's worker without the connection. */
export type KeyJobWorkerOptions = Omit<
  ConstructorParameters<typeof Worker<KeyJob>>[2],
  'connection' | 'prefix'
>;

/**
 * The shared state of queues: Redis, or a simulation of it. Each process has one; those with the same
 * `prefix` share their keys.
 */
export interface QueueServer {
  /** BullMQ's queue of keys to process now. */
  queue(prefix: string): KeyQueue;
  /** Creates a worker on that queue, which starts at once. */
  worker(prefix: string, process: KeyJobProcessor, options: KeyJobWorkerOptions): KeyJobWorker;
  /** The error that a job throws to leave its key in Redis for another worker. */
  waiting(): Error;
  timers(prefix: string): KeyTimers;
  changes(prefix: string): KeyChanges;
  /** Deletes every key with the prefix. */
  clear(prefix: string): Promise<void>;
}

/** Connection of one process to the queue server. */
export interface QueueLink extends Environment {
  /**
   * Resolves once the server answers and is suitable; rejects if it is unsuitable, or with the signal's
   * reason.
   */
  ready(signal: AbortSignal): Promise<void>;
  open(): Promise<QueueServer>;
  /** Logs an error; the same text at most once in 10 s. */
  report(queue: string, thrown: unknown): void;
  /** Closes all connections at once. */
  close(): void;
}

/**
 * Delayed keys; each has one due time, the earliest requested.
 *
 * Times are those of the server, so replicas need no common clock. A due key moves to a second set until it
 * is in the queue. A replica that crashes between the two steps therefore loses nothing.
 */
export interface KeyTimers {
  add(
    timers: readonly { readonly key: string; readonly delayMs: number; readonly retries: number }[],
  ): Promise<void>;
  take(limit: number): Promise<TakenTimers>;
  /** Removes taken keys, which are now in the queue. */
  done(keys: readonly string[]): Promise<void>;
  size(): Promise<number>;
}

/** Due keys, returned by `KeyTimers.take`. */
export interface TakenTimers {
  /** `isAgain`: an earlier taker has not confirmed that the key is in the queue. It may be there. */
  readonly due: readonly { readonly key: string; readonly retries: number; readonly isAgain: boolean }[];
  /** Milliseconds until the next key is due; undefined if none waits. */
  readonly nextMs: number | undefined;
  /** Changes if the server was restarted, emptied or replaced, and may have lost keys. */
  readonly generation: string;
}

/** A taken key that is not confirmed for this long is taken again. Milliseconds. */
export const TAKE_LEASE_MS = 1_500;

/**
 * Decides which process enqueues a change. Each process offers each change that it observes. The first one
 * gets the claim and enqueues it. The others remember the change until a reconcile covers it, one that
 * started in a process which had observed it.
 *
 * Two reconciles may each have seen a change that the other had not. The process of the later one then claims
 * changes that it observes after its start, although the earlier one covered them. The last reconcile of a
 * key has therefore seen all changes.
 */
export interface KeyChanges {
  offer(names: readonly string[]): Promise<readonly Claim[]>;
  /** Claims the changes for the caller even if they are covered. */
  claim(names: readonly string[]): Promise<void>;
  /** Records that a reconcile covered the changes. */
  covered(names: readonly string[]): Promise<void>;
}

/**
 * `yours`: the caller enqueues the change. Otherwise its age is the time since the claim, `REMEMBERED_MS` if
 * that is forgotten. `covered` is true if a reconcile has covered it since.
 */
export type Claim = 'yours' | { readonly ageMs: number; readonly covered: boolean };

/**
 * Decodes a claim from one number: -1 is yours, n ≥ 0 is claimed n ms ago, -2 - n is claimed n ms ago and
 * covered.
 */
export const claimOf = (answer: number): Claim =>
  answer === -1
    ? 'yours'
    : answer < 0
      ? { ageMs: -2 - answer, covered: true }
      : { ageMs: answer, covered: false };

/** Duration of a claim in milliseconds; after it the next process that offers the change gets it. */
export const CLAIM_MS = 2_000;
/**
 * How long changes are remembered, in milliseconds. A process that observes a change later than that enqueues
 * its keys again.
 */
export const REMEMBERED_MS = 15_000;
