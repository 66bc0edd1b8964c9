/**
 * A queue of keys with the semantics that controllers rely on, the same in process and over Redis:
 *
 * - a key is processed by one worker at a time;
 * - a key added while it waits is processed once; a key added while it is processed, once more afterwards;
 * - of several delayed adds the earliest wins, and an immediate add beats a delayed one;
 * - retries back off per key until `forget`.
 *
 * The queue is a hint. Correctness rests on the API: an emptied queue heals within one resync.
 */
export interface WorkQueue {
  readonly name: string;
  /**
   * Adds a key. `change` names the observed change, equal in all processes that observe it. Processes that
   * share keys ensure that one reconcile covers a change, in a process that had observed it.
   */
  add(key: string, change?: string): void;
  /**
   * Adds a key after `delayMs` milliseconds, at once if that is 0 or less. Delays of any length are honoured.
   */
  addAfter(key: string, delayMs: number): void;
  /** Adds a key after its next backoff delay; returns the delay in milliseconds. */
  addRateLimited(key: string): number;
  /** Resets the backoff of the key to the shortest delay. */
  forget(key: string): void;
  /** Retries since the last `forget`. */
  retries(key: string): number;
  /**
   * Starts taking keys, at most `concurrency` at a time. To be called once; resolves when keys are taken, or
   * will be once the server is reachable.
   * @param process must not reject; it expresses its outcome by adds
   * @param refill called if the server may have lost keys; it adds all known keys with the given `change`
   */
  run(process: Process, refill?: (change: string) => void): Promise<void>;
  stats(): QueueStats;
  /** Text of the condition that keeps the queue from taking keys; undefined if there is none. */
  problem(): string | undefined;
  /** Takes no more keys and waits for active ones. Waiting keys are dropped in process and kept in Redis. */
  stop(): Promise<void>;
}

/** Processes one key; must not reject. */
export type Process = (key: string, info: ReconcileInfo) => Promise<void>;

/** Context of one reconcile. */
export interface ReconcileInfo {
  /** Milliseconds between the add and the start of the reconcile. */
  readonly waitedMs: number;
  /**
   * Aborts if the reconcile must end: the queue stops and the grace period is over, or another worker has the
   * key.
   */
  readonly signal: AbortSignal;
  /**
   * Throws if another worker may have the key by now, judged by the clock. To be called before each effect.
   */
  check(): void;
}

/** Counters of one queue. */
export interface QueueStats {
  /** Number of adds. In process, the add of a key that already waits does not count. */
  readonly added: number;
  /** Keys waiting to be processed. */
  readonly ready: number;
  /** Keys with a due time in the future. */
  readonly delayed: number;
  /** Keys being processed in this process. */
  readonly active: number;
  /** Age of the key that has waited longest, in milliseconds; 0 if none waits. */
  readonly oldestMs: number;
}

/** Options of one queue. */
export interface WorkQueueOptions {
  /** Keys processed at a time. Default 1. */
  readonly concurrency?: number;
  /** First retry delay in milliseconds. Default 5. */
  readonly baseDelayMs?: number;
  /** Longest retry delay in milliseconds. Default 1,000,000, as in client-go. */
  readonly maxDelayMs?: number;
  /**
   * True if only one process runs the queue at a time, under a leader election. Changes covered by other
   * processes then count as uncovered. Default false.
   */
  readonly alone?: boolean;
  /** Called with a key that causes no reconcile here, because other reconciles cover its changes. */
  readonly onCovered?: (key: string) => void;
  /** Called when a key may be delivered twice. */
  readonly onRepeated?: (key: string) => void;
}

/** Creates the queues of one process; each controller has its own. */
export interface WorkQueueFactory {
  create(name: string, options?: WorkQueueOptions): WorkQueue;
  /** Board by which the processes that share keys find each other; undefined in process. */
  readonly notices?: NoticeBoard;
  close(): Promise<void>;
}

/**
 * A board of short texts by which processes find each other. A notice lasts as long as its author renews it.
 */
export interface NoticeBoard {
  /** Lifetime of a notice that is not renewed, in milliseconds. */
  readonly lastsMs: number;
  /** Publishes or renews the author's notice and returns all notices. */
  exchange(author: string, text: string): Promise<readonly Notice[]>;
  remove(author: string): Promise<void>;
}

/** One process's text on the board. */
export interface Notice {
  readonly author: string;
  readonly text: string;
  /** Time since the last renewal, in milliseconds. */
  readonly ageMs: number;
}
