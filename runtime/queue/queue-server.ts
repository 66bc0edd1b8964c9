import type { Queue, Worker } from 'bullmq';
import type { Environment } from '../../base/environment.ts';

/** What a job of the queue `now` holds. */
export interface KeyJob {
  /** Encoded. */
  readonly key: string;
  readonly retries: number;
  /** The change that brought the key up first. */
  readonly change?: string;
}

/** As much of BullMQ's queue as is used. */
export type KeyQueue = Pick<
  Queue<KeyJob>,
  'addBulk' | 'close' | 'getDeduplicationJobId' | 'getWaiting' | 'getWaitingCount' | 'on' | 'waitUntilReady'
>;

/** As much of BullMQ's worker as is used. */
export type KeyJobWorker = Pick<Worker<KeyJob>, 'close' | 'extendJobLocks' | 'on'>;
export type KeyJobProcessor = ConstructorParameters<typeof Worker<KeyJob>>[1];
export type KeyJobWorkerOptions = Omit<
  ConstructorParameters<typeof Worker<KeyJob>>[2],
  'connection' | 'prefix'
>;

/**
 * What shared queues keep outside of their processes: in Redis, or in what stands for it where nothing is real. Each process
 * has one of its own; those with the same `prefix` share their keys.
 */
export interface QueueServer {
  /** BullMQ's queue of the keys that are to run now. */
  queue(prefix: string): KeyQueue;
  /** A worker on that queue, which starts at once. */
  worker(prefix: string, process: KeyJobProcessor, options: KeyJobWorkerOptions): KeyJobWorker;
  /** What a pass throws to leave its key where it is, for whoever finds that nobody works on it. */
  waiting(): Error;
  timers(prefix: string): KeyTimers;
  changes(prefix: string): KeyChanges;
  /** Takes away every key with the prefix. */
  clear(prefix: string): Promise<void>;
}

/** The way of one process to the server. */
export interface QueueLink extends Environment {
  /** Resolves when the server answers and is fit; rejects when it is not, or with the signal's reason. */
  ready(signal: AbortSignal): Promise<void>;
  open(): Promise<QueueServer>;
  /** Logs what went wrong; the same of one outage once in 10 s. */
  report(queue: string, thrown: unknown): void;
  /** Gives all connections up at once. */
  close(): void;
}

/**
 * Keys that come up later: one time for each, the earliest asked for. Times are those of the server, so replicas need not
 * agree on the clock. A key that is due moves to a second set until it has been added to the queue, so that a replica that
 * dies between the two loses nothing.
 */
export interface KeyTimers {
  add(
    timers: readonly { readonly key: string; readonly delayMs: number; readonly retries: number }[],
  ): Promise<void>;
  take(limit: number): Promise<TakenTimers>;
  /** The keys taken are in the queue. */
  done(keys: readonly string[]): Promise<void>;
  size(): Promise<number>;
}

export interface TakenTimers {
  /** `isAgain`: whoever took it before has not said that it is in the queue, where it may be all the same. */
  readonly due: readonly { readonly key: string; readonly retries: number; readonly isAgain: boolean }[];
  /** Milliseconds until the next is due; undefined when none waits. */
  readonly nextMs: number | undefined;
  /** Another one than before: the server was restarted, emptied or replaced, and may have lost keys. */
  readonly generation: string;
}

/** A key taken by a replica that has not been heard of for so long is taken again, milliseconds. */
export const TAKEN_FOR_MS = 1_500;

/**
 * Which process enqueues a change. Every process offers each change it sees; the first has the claim and enqueues it, the
 * others keep the change in mind until a pass covers it: one that began in a process that had seen it.
 *
 * Of two passes each may have seen what the other had not. The process of the later one then claims what it sees after it
 * has begun, though the earlier one has covered it: the last pass of a key has seen all there is.
 */
export interface KeyChanges {
  offer(names: readonly string[]): Promise<readonly Claim[]>;
  /** The caller's to enqueue from now on, whatever has covered them. */
  claim(names: readonly string[]): Promise<void>;
  covered(names: readonly string[]): Promise<void>;
}

/** `yours` to enqueue, or claimed so many milliseconds ago, `REMEMBERED_MS` where that is forgotten; `covered` by a pass since, or not. */
export type Claim = 'yours' | { readonly ageMs: number; readonly covered: boolean };

/** The answer about a change, as a server gives it in one number: -1 yours, n claimed for n ms, -2 - n claimed n ms ago and covered. */
export const claimOf = (answer: number): Claim =>
  answer === -1
    ? 'yours'
    : answer < 0
      ? { ageMs: -2 - answer, covered: true }
      : { ageMs: answer, covered: false };

/** A claim holds this long; then the next that asks has it, milliseconds. */
export const CLAIM_MS = 2_000;
/** A process that sees a change this much later than another brings its keys up a second time, milliseconds. */
export const REMEMBERED_MS = 15_000;
