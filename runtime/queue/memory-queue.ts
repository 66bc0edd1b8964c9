import type { Timer } from '../../base/clock/clock.ts';
import type { Environment } from '../../base/environment.ts';
import { messageOf } from '../../base/errors/coded.ts';
import { linkSignals } from '../client/deadline.ts';
import { createDelayedKeys, type DelayedKeys } from './delayed-keys.ts';
import { createRetries, type Retries } from './retries.ts';
import type {
  PassInfo,
  Process,
  QueueStats,
  WorkQueue,
  WorkQueueFactory,
  WorkQueueOptions,
} from './work-queue.ts';

export interface MemoryQueuesOptions extends Environment {
  /** How long `stop` waits for the passes in work before it aborts them, milliseconds. Default 2 000. */
  readonly graceMs?: number;
}

/** How long passes that were told to abort are still waited for, milliseconds. */
const ABORTED_GRACE_MS = 1_000;

/**
 * After so many passes without a moment in which nothing was to do, timers and sockets get their turn: passes that ask only
 * caches, of keys that bring each other up, would never leave them one.
 */
const PASSES_IN_A_ROW = 200;

const now = Promise.resolve();

/** Nobody else can have a key of this process. */
const noCheck = (): void => {};

/** Keys in the order they were added, each once. */
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

/** A queue in process: client-go's semantics without its global rate. Nothing survives the process. */
class MemoryQueue implements WorkQueue {
  readonly name: string;
  readonly #environment: MemoryQueuesOptions;
  readonly #concurrency: number;
  readonly #retries: Retries;
  readonly #delayed: DelayedKeys;
  readonly #ready = new Fifo();
  /** Keys in work. */
  readonly #active = new Set<string>();
  /** Ends all passes in work. */
  readonly #ending = linkSignals();
  /** Keys in work that were added meanwhile, with the time of the first such add. */
  readonly #again = new Map<string, number>();
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
    if (this.#stopping || this.#ready.has(key) || this.#again.has(key)) return;
    const nowMs = this.#environment.clock.monotonic();
    this.#added += 1;
    if (this.#active.has(key)) {
      this.#again.set(key, nowMs);
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
    if (this.#process !== undefined) throw new Error(`queue ${this.name} runs already`);
    this.#process = process;
    this.#pumpSoon();
    return Promise.resolve();
  }

  stats(): QueueStats {
    const oldest = this.#ready.oldestMs;
    return {
      added: this.#added,
      ready: this.#ready.size + this.#again.size,
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
    this.#again.clear();
    if (await this.#idle(this.#environment.graceMs ?? 2_000)) return;
    this.#ending.abort(new Error(`queue ${this.name} is stopping`));
    if (await this.#idle(ABORTED_GRACE_MS)) return;
    this.#environment.log.warn(
      { queue: this.name, active: this.#active.size },
      'queue stopped with passes still in work',
    );
  }

  /** Whether no key is in work, now or within `withinMs`. */
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

  /** Not in the caller's stack: an informer's handler that adds a key must not run a pass. */
  #pumpSoon(): void {
    if (this.#pumping || this.#process === undefined) return;
    this.#pumping = true;
    const pump = (): void => {
      this.#pumping = false;
      this.#pump();
    };
    if (this.#inARow >= PASSES_IN_A_ROW) {
      this.#inARow = 0;
      this.#environment.clock.setTimeout(pump, 0);
    } else {
      // As `queueMicrotask`, which makes a resource for asynchronous hooks each time.
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
      void this.#pass(process, next.key, { waitedMs, signal: this.#ending.signal, check: noCheck });
    }
  }

  async #pass(process: Process, key: string, info: PassInfo): Promise<void> {
    try {
      await process(key, info);
    } catch (thrown) {
      // The contract forbids it; a key must not be lost by it all the same.
      this.#environment.log.error({ queue: this.name, ref: key, err: messageOf(thrown) }, 'pass rejected');
      this.addRateLimited(key);
    }
    this.#active.delete(key);
    const addedMs = this.#again.get(key);
    this.#again.delete(key);
    if (addedMs !== undefined) this.#ready.push(key, addedMs);
    this.#inARow = this.#active.size + this.#ready.size === 0 ? 0 : this.#inARow + 1;
    if (this.#active.size === 0) this.#onIdle?.();
    this.#pumpSoon();
  }
}

/** Queues of one process; the default when no Redis is given. */
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
