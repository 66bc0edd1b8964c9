/**
 * Queue of keys. The semantics on which controllers rely are the same in process and over Redis:
 *
 * - a key is processed by one worker at a time;
 * - a key added while it waits is processed once; a key added while it is processed is processed once more;
 * - the earliest of several delayed adds wins, and an immediate add wins over a delayed one;
 * - retries of a key back off until `forget`.
 *
 * Correctness does not depend on the queue: the next resync enqueues keys that it lost.
 */
export interface WorkQueue {
  readonly name: string;
  /**
   * Adds a key. `change` names the observed change and is the same in all processes that observe it.
   * Processes that share keys ensure that one reconcile handles the change, in a process that had observed
   * it.
   */
  add(key: string, change?: string): void;
  /**
   * Adds a key after `delayMs` milliseconds, or at once if `delayMs` is 0 or less. The delay may have any
   * length.
   */
  addAfter(key: string, delayMs: number): void;
  /** Adds a key after its next backoff delay. Returns the delay in milliseconds. */
  addRateLimited(key: string): number;
  /** Resets the backoff of the key to its minimum. */
  forget(key: string): void;
  /** Returns the number of retries since the last `forget`. */
  retries(key: string): number;
  /**
   * Starts to take keys, at most `concurrency` at a time. May be called once. Resolves when the queue takes
   * keys, or will take keys once its server is reachable.
   * @param process must not reject; it reports its outcome by adding keys
   * @param refill called if the server may have lost keys; adds all known keys with the given `change`
   */
  run(process: Process, refill?: (change: string) => void): Promise<void>;
  stats(): QueueStats;
  /** Returns the problem that prevents the queue from taking keys, or undefined. */
  problem(): string | undefined;
  /** Takes no more keys and waits for active keys. Waiting keys of a queue in process are dropped; those of a shared queue stay in Redis. */
  stop(): Promise<void>;
}

/** Function that processes one key and must not reject. */
export type Process = (key: string, info: ReconcileInfo) => Promise<void>;

/** Context of one reconcile. */
export interface ReconcileInfo {
  /** Milliseconds between the add and the start of the reconcile. */
  readonly waitedMs: number;
  /**
   * Aborts if the reconcile must end, because the grace period of a stop has passed or another worker has the
   * key.
   */
  readonly signal: AbortSignal;
  /** Throws if the clock shows that another worker may have the key by now. Call it before each effect. */
  check(): void;
}

/** Counters of one queue. */
export interface QueueStats {
  /** Number of adds. In process, an add of a key that already waits is not counted. */
  readonly added: number;
  /** Number of keys that wait to be processed. */
  readonly ready: number;
  /** Number of keys with a due time in the future. */
  readonly delayed: number;
  /** Number of keys that this process reconciles. */
  readonly active: number;
  /** Age in milliseconds of the key that has waited the longest; 0 if no key waits. */
  readonly oldestMs: number;
}

/** Options of one queue. */
export interface WorkQueueOptions {
  /** Maximum number of keys processed at a time. Default 1. */
  readonly concurrency?: number;
  /** First retry delay in milliseconds. Default 5. */
  readonly baseDelayMs?: number;
  /** Maximum retry delay in milliseconds. Default 1,000,000, as in client-go. */
  readonly maxDelayMs?: number;
  /**
   * True if only one process runs the queue at a time, under leader election. Changes that other processes
   * handled are then enqueued again. Default false.
   */
  readonly alone?: boolean;
  /**
   * Called with a key that is not reconciled in this process, because other reconciles handle its changes.
   */
  readonly onCovered?: (key: string) => void;
  /** Called when a key may be delivered twice. */
  readonly onRepeated?: (key: string) => void;
}

/** Factory of the queues of one process; each controller has its own queue. */
export interface WorkQueueFactory {
  create(name: string, options?: WorkQueueOptions): WorkQueue;
  /** Notices by which the processes that share keys find each other. Undefined for in-process queues. */
  readonly notices?: NoticeBoard;
  close(): Promise<void>;
}

/** Notices that processes exchange. A notice lasts as long as its author renews it. */
export interface NoticeBoard {
  /** Lifetime of a notice that is not renewed, in milliseconds. */
  readonly lastsMs: number;
  /** Publishes or renews the author's notice and returns all notices. */
  exchange(author: string, text: string): Promise<readonly Notice[]>;
  remove(author: string): Promise<void>;
}

/** Notice of one process on the board. */
export interface Notice {
  readonly author: string;
  readonly text: string;
  /** Time since the last renewal, in milliseconds. */
  readonly ageMs: number;
}
