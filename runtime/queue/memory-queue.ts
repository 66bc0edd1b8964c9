import { linkSignals } from '../../base/async/index.ts';
import type { Timer } from '../../base/clock/index.ts';
import type { Environment } from '../../base/environment.ts';
import { messageOf } from '../../base/errors/index.ts';
import { createDelayedKeys, type DelayedKeys } from './delayed-keys.ts';
import { createRetries, type Retries } from './retries.ts';
import type {
  ReconcileInfo,
  Process,
  QueueStats,
  WorkQueue,
  WorkQueueFactory,
  WorkQueueOptions,
} from './work-queue.ts';

/** Options of `createMemoryQueues`. */
export interface MemoryQueuesOptions extends Environment {
  /**
   * Time in milliseconds for which `stop` waits for running reconciles before it aborts them. Default 2,000.
   */
  readonly graceMs?: number;
}

/** Time in milliseconds for which `stop` waits for aborted reconciles. */
const ABORTED_GRACE_MS = 1_000;

/**
 * Maximum number of consecutive reconciles without an idle moment; afterwards, timers and sockets run.
 * Otherwise keys that requeue each other and read only caches would starve them.
 */
const RECONCILES_IN_A_ROW = 200;

const now = Promise.resolve();

/** Check that never throws, because no other process can take a key of this queue. */
const noCheck = (): void => {};

/** First-in-first-out list without duplicates. */
class Fifo {
  readonly #addedMs = new Map<string, number>();
  #keys: string[] = [];
  #head = 0;

  get size(): number {
    return this.#addedMs.size;
  }

  has(key: string): boolean {
    return this.#addedMs.has(key);
  }

  push(key: string, addedMs: number): void {
    this.#addedMs.set(key, addedMs);
    this.#keys.push(key);
  }

  shift(): { key: string; addedMs: number } | undefined {
    const key = this.#keys[this.#head];
    if (key === undefined) return undefined;
    this.#head++;
    if (this.#head > 1024 && this.#head * 2 > this.#keys.length) {
      this.#keys = this.#keys.slice(this.#head);
      this.#head = 0;
    }
    const addedMs = this.#addedMs.get(key) ?? 0;
    this.#addedMs.delete(key);
    return { key, addedMs };
  }

  get oldestMs(): number | undefined {
    const key = this.#keys[this.#head];
    return key === undefined ? undefined : this.#addedMs.get(key);
  }

  clear(): void {
    this.#addedMs.clear();
    this.#keys = [];
    this.#head = 0;
  }
}

/**
 * In-process queue with the semantics of client-go's workqueue, but without its global rate limit. Waiting
 * keys are lost at exit.
 */
class MemoryQueue implements WorkQueue {
  readonly name: string;
  readonly #environment: MemoryQueuesOptions;
  readonly #concurrency: number;
  readonly #retries: Retries;
  readonly #delayed: DelayedKeys;
  readonly #ready = new Fifo();
  /** Keys being reconciled. */
  readonly #active = new Set<string>();
  /** Signal that aborts all running reconciles. */
  readonly #ending = linkSignals();
  /** Keys added during their reconcile, with the time of the first such add in milliseconds. */
  readonly #addedDuring = new Map<string, number>();
  #process: Process | undefined;
  #added = 0;
  #inARow = 0;
  #stopping = false;
  #pumping = false;
  #onIdle: (() => void) | undefined;

  constructor(name: string, environment: MemoryQueuesOptions, options: WorkQueueOptions) {
    this.name = name;
    this.#environment = environment;
    this.#concurrency = Math.max(1, options.concurrency ?? 1);
    this.#retries = createRetries(environment.random, options);
    this.#delayed = createDelayedKeys(environment.clock, (key) => this.add(key));
  }

  add(key: string): void {
    if (this.#stopping || this.#ready.has(key) || this.#addedDuring.has(key)) return;
    const nowMs = this.#environment.clock.monotonic();
    this.#added += 1;
    if (this.#active.has(key)) {
      this.#addedDuring.set(key, nowMs);
      return;
    }
    this.#ready.push(key, nowMs);
    this.#pumpSoon();
  }

  addAfter(key: string, delayMs: number): void {
    if (this.#stopping) return;
    if (delayMs > 0) this.#delayed.add(key, delayMs);
    else this.add(key);
  }

  addRateLimited(key: string): number {
    const delayMs = this.#retries.next(key);
    this.addAfter(key, delayMs);
    return delayMs;
  }

  forget(key: string): void {
    this.#retries.forget(key);
  }

  retries(key: string): number {
    return this.#retries.of(key);
  }

  run(process: Process): Promise<void> {
    if (this.#process !== undefined) throw new Error(`queue ${this.name} is already running`);
    this.#process = process;
    this.#pumpSoon();
    return Promise.resolve();
  }

  stats(): QueueStats {
    const oldest = this.#ready.oldestMs;
    return {
      added: this.#added,
      ready: this.#ready.size + this.#addedDuring.size,
      delayed: this.#delayed.size,
      active: this.#active.size,
      oldestMs: oldest === undefined ? 0 : this.#environment.clock.monotonic() - oldest,
    };
  }

  problem(): undefined {
    return undefined;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#delayed.clear();
    this.#ready.clear();
    this.#addedDuring.clear();
    if (await this.#idle(this.#environment.graceMs ?? 2_000)) return;
    this.#ending.abort(new Error(`queue ${this.name} is stopping`));
    if (await this.#idle(ABORTED_GRACE_MS)) return;
    this.#environment.log.warn(
      { queue: this.name, active: this.#active.size },
      'queue stopped while reconciles were still running',
    );
  }

  /** Resolves to true once no key is active, or to false after `withinMs` milliseconds. */
  #idle(withinMs: number): Promise<boolean> {
    if (this.#active.size === 0) return Promise.resolve(true);
    const { clock } = this.#environment;
    return new Promise((resolve) => {
      const timer: Timer = clock.setTimeout(() => resolve(false), withinMs);
      this.#onIdle = () => {
        clock.clearTimeout(timer);
        resolve(true);
      };
    });
  }

  /**
   * Schedules `#pump` outside the caller's stack: an informer handler that adds a key must not run a
   * reconcile.
   */
  #pumpSoon(): void {
    if (this.#pumping || this.#process === undefined) return;
    this.#pumping = true;
    const pump = (): void => {
      this.#pumping = false;
      this.#pump();
    };
    if (this.#inARow >= RECONCILES_IN_A_ROW) {
      this.#inARow = 0;
      this.#environment.clock.setTimeout(pump, 0);
    } else {
      // Equivalent to `queueMicrotask`, which would create an async resource at each call.
      void now.then(pump);
    }
  }

  #pump(): void {
    const process = this.#process;
    if (process === undefined) return;
    while (!this.#stopping && this.#active.size < this.#concurrency) {
      const next = this.#ready.shift();
      if (next === undefined) return;
      this.#active.add(next.key);
      const waitedMs = this.#environment.clock.monotonic() - next.addedMs;
      void this.#reconcile(process, next.key, { waitedMs, signal: this.#ending.signal, check: noCheck });
    }
  }

  async #reconcile(process: Process, key: string, info: ReconcileInfo): Promise<void> {
    try {
      await process(key, info);
    } catch (thrown) {
      // The contract forbids a rejection, but the key must not be lost if it occurs.
      this.#environment.log.error(
        { queue: this.name, ref: key, err: messageOf(thrown) },
        'reconcile rejected',
      );
      this.addRateLimited(key);
    }
    this.#active.delete(key);
    const addedMs = this.#addedDuring.get(key);
    this.#addedDuring.delete(key);
    if (addedMs !== undefined) this.#ready.push(key, addedMs);
    this.#inARow = this.#active.size + this.#ready.size === 0 ? 0 : this.#inARow + 1;
    if (this.#active.size === 0) this.#onIdle?.();
    this.#pumpSoon();
  }
}

/** Creates the queues of one process that shares no keys with other processes. */
export function createMemoryQueues(options: MemoryQueuesOptions): WorkQueueFactory {
  const queues: WorkQueue[] = [];
  return {
    create(name, queueOptions = {}) {
      const queue = new MemoryQueue(name, options, queueOptions);
      queues.push(queue);
      return queue;
    },
    async close() {
      await Promise.all(queues.splice(0).map((queue) => queue.stop()));
    },
  };
}
