/**
 * A queue of keys with the semantics controllers rely on, the same in process and over Redis:
 *
 * - a key is processed by one worker at a time;
 * - added again while it waits, it is processed once; added while it is processed, once more afterwards; never lost;
 * - of several delayed adds the earliest time wins, and an immediate add beats a delayed one;
 * - retries back off per key until `forget`.
 *
 * The queue is a hint. Correctness rests on the API: a queue that is emptied heals within one resync.
 */
export interface WorkQueue {
  readonly name: string;
  /**
   * `change` names what was seen, the same in every process that sees it. Processes that share keys see it to it that a
   * change is covered by a pass of one of them that had seen it, and not by one each.
   */
  add(key: string, change?: string): void;
  /** Not before `delayMs` from now (0 or less: at once). Long delays are honoured. */
  addAfter(key: string, delayMs: number): void;
  /** After the key's next backoff delay, which it returns, in milliseconds. */
  addRateLimited(key: string): number;
  /** The key's next retry starts with the shortest delay again. */
  forget(key: string): void;
  /** Retries since the last `forget`. */
  retries(key: string): number;
  /**
   * Starts taking keys, at most `concurrency` at a time. `process` must not reject: an outcome is expressed by what it
   * adds. Called once. Resolves when keys are taken, or will be as soon as the queue's server is there.
   *
   * `refill` is called when the queue's server may have lost keys; it adds all there are, as seen by `change`.
   */
  run(process: Process, refill?: (change: string) => void): Promise<void>;
  stats(): QueueStats;
  /** What keeps keys from being taken, in words; undefined while nothing does. */
  problem(): string | undefined;
  /** Takes no more keys and waits for those in work. What waits is dropped in process, and kept in Redis. */
  stop(): Promise<void>;
}

export type Process = (key: string, pass: PassInfo) => Promise<void>;

export interface PassInfo {
  /** Milliseconds between the add and the start of the pass. */
  readonly waitedMs: number;
  /** Aborts when the pass must end: the queue stops past its grace, or another worker has taken the key over. */
  readonly signal: AbortSignal;
  /** Throws when another worker may have the key by now, by the clock and not by what was heard: for every effect to ask. */
  check(): void;
}

export interface QueueStats {
  /** Keys this process has taken in; in process, one that waits already is not taken in again. */
  readonly added: number;
  readonly ready: number;
  readonly delayed: number;
  readonly active: number;
  /** Age of the key that has waited longest, milliseconds; 0 when none waits. */
  readonly oldestMs: number;
}

export interface WorkQueueOptions {
  /** Keys in work at one time. Default 1. */
  readonly concurrency?: number;
  /** First retry delay, milliseconds. Default 5. */
  readonly baseDelayMs?: number;
  /** Longest retry delay, milliseconds. Default 1 000 000, as client-go has it. */
  readonly maxDelayMs?: number;
  /** Whether this process alone takes its keys for as long as it does: what others cover is nothing to it. Default false. */
  readonly alone?: boolean;
  /** Told of a key that brings no pass here: earlier ones, or those of other processes, cover all it was added for. */
  readonly onCovered?: (key: string) => void;
  /** Told of a key that is brought up again, as nobody knows whether it has been: it may have one pass more for it. */
  readonly onRepeated?: (key: string) => void;
}

/** Makes the queues of one process; every controller asks it for its own. */
export interface WorkQueueFactory {
  create(name: string, options?: WorkQueueOptions): WorkQueue;
  /** Where the processes that share the keys know each other from; there is none in process. */
  readonly notices?: NoticeBoard;
  close(): Promise<void>;
}

/** Where processes tell each other of themselves. A notice is there for as long as its author renews it. */
export interface NoticeBoard {
  /** How long a notice that is not renewed stays, milliseconds. */
  readonly lastsMs: number;
  /** Puts up or renews the author's notice, and gives all there are. */
  exchange(author: string, text: string): Promise<readonly Notice[]>;
  remove(author: string): Promise<void>;
}

export interface Notice {
  readonly author: string;
  readonly text: string;
  /** How long ago it was put up or renewed, milliseconds. */
  readonly ageMs: number;
}
