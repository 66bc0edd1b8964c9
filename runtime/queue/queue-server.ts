import type { Queue, Worker } from 'bullmq';
import type { Environment } from '../../base/environment.ts';

/** Data of a job in the queue `now`. */
export interface KeyJob {
  /** Key, encoded by `encodeKey`. */
  readonly key: string;
  readonly retries: number;
  /** First change for which the key was enqueued. */
  readonly change?: string;
}

/** Subset of BullMQ's `Queue` that a queue uses. */
export type KeyQueue = Pick<
  Queue<KeyJob>,
  'addBulk' | 'close' | 'getDeduplicationJobId' | 'getWaiting' | 'getWaitingCount' | 'on' | 'waitUntilReady'
>;

/** Subset of BullMQ's `Worker` that a queue uses. */
export type KeyJobWorker = Pick<Worker<KeyJob>, 'close' | 'extendJobLocks' | 'on'>;
/** Function that processes a job, in BullMQ's form. */
export type KeyJobProcessor = ConstructorParameters<typeof Worker<KeyJob>>[1];
/** Options of BullMQ's `Worker` without the connection. */
export type KeyJobWorkerOptions = Omit<
  ConstructorParameters<typeof Worker<KeyJob>>[2],
  'connection' | 'prefix'
>;

/**
 * Shared state of queues: Redis, or a simulation of Redis. Each process has its own `QueueServer` object;
 * queues with the same `prefix` share their keys.
 */
export interface QueueServer {
  /** Returns BullMQ's queue of keys to process now. */
  queue(prefix: string): KeyQueue;
  /** Creates a worker on the queue of keys to process now. The worker starts at once. */
  worker(prefix: string, process: KeyJobProcessor, options: KeyJobWorkerOptions): KeyJobWorker;
  /** Returns the error that a job throws to leave its key in Redis for another worker. */
  waiting(): Error;
  timers(prefix: string): KeyTimers;
  changes(prefix: string): KeyChanges;
  /** Deletes every key with the prefix. */
  clear(prefix: string): Promise<void>;
}

/** Connection of one process to the queue server. */
export interface QueueLink extends Environment {
  /**
   * Resolves once the server responds and is suitable. Rejects if the server is unsuitable, or with the
   * signal's reason.
   */
  ready(signal: AbortSignal): Promise<void>;
  open(): Promise<QueueServer>;
  /** Logs an error. The same message is logged at most once in 10 s. */
  report(queue: string, thrown: unknown): void;
  /** Closes all connections at once. */
  close(): void;
}

/**
 * Delayed keys in the shared state. Each key has one due time, the earliest requested.
 *
 * Times are times of the server, so replicas need no common clock. `take` moves a due key to a second set,
 * where it stays until `done` confirms that the key is in the queue. A replica that crashes between the two
 * calls therefore loses no key.
 */
export interface KeyTimers {
  add(
    timers: readonly { readonly key: string; readonly delayMs: number; readonly retries: number }[],
  ): Promise<void>;
  take(limit: number): Promise<TakenTimers>;
  /** Removes taken keys, which are in the queue by now. */
  done(keys: readonly string[]): Promise<void>;
  size(): Promise<number>;
}

/** Due keys, returned by `KeyTimers.take`. */
export interface TakenTimers {
  /**
   * Taken keys. `isAgain` is true if an earlier replica took the key and did not confirm that it is in the
   * queue; it may be there.
   */
  readonly due: readonly { readonly key: string; readonly retries: number; readonly isAgain: boolean }[];
  /** Milliseconds until the next key is due; undefined if no key has a due time. */
  readonly nextMs: number | undefined;
  /**
   * Identifier of the server's content. It changes if the server was restarted, emptied or replaced, and may
   * have lost keys.
   */
  readonly generation: string;
}

/** Time in milliseconds after which a taken key that is not confirmed is taken again. */
export const TAKE_LEASE_MS = 1_500;

/**
 * Decides which process enqueues a change. Each process offers each change that it observes. The first
 * process claims the change and enqueues it. The other processes remember the change until a reconcile has
 * covered it: a reconcile covers a change if it started in a process that had observed the change.
 *
 * Two reconciles of a key may each have seen a change that the other had not. The process of the later
 * reconcile then claims the changes that it observes after the start, although the earlier reconcile covered
 * them. The last reconcile of a key has therefore seen all changes.
 */
export interface KeyChanges {
  offer(names: readonly string[]): Promise<readonly Claim[]>;
  /** Claims the changes for the calling process even if they are covered. */
  claim(names: readonly string[]): Promise<void>;
  /** Records that a reconcile has covered the changes. */
  covered(names: readonly string[]): Promise<void>;
}

/**
 * Result of an offer. `yours` if the calling process has to enqueue the change. Otherwise `ageMs` is the time
 * since another process claimed the change, or `REMEMBERED_MS` if the claim is forgotten. `covered` is true
 * if a reconcile has covered the change since.
 */
export type Claim = 'yours' | { readonly ageMs: number; readonly covered: boolean };

/**
 * Decodes a claim from a number: -1 is `yours`; n ≥ 0 was claimed n ms ago; -2 - n was claimed n ms ago and
 * is covered.
 */
export const claimOf = (answer: number): Claim =>
  answer === -1
    ? 'yours'
    : answer < 0
      ? { ageMs: -2 - answer, covered: true }
      : { ageMs: answer, covered: false };

/** Duration of a claim in milliseconds. Afterwards the next process that offers the change claims it. */
export const CLAIM_MS = 2_000;
/**
 * Time in milliseconds for which changes are remembered. A process that observes a change later enqueues its
 * keys again.
 */
export const REMEMBERED_MS = 15_000;
