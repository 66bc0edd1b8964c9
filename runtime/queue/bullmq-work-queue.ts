import type { Job, Queue, Worker } from 'bullmq';
import { sleep, type Timer } from '../../base/clock/clock.ts';
import { messageOf } from '../../base/errors/coded.ts';
import { Outbox } from './outbox.ts';
import type { RedisLink } from './redis-link.ts';
import { createRedisTimers, type RedisTimers } from './redis-timers.ts';
import { createRetries, type Retries } from './retries.ts';
import { within } from './within.ts';
import type { PassInfo, QueueStats, WorkQueue, WorkQueueOptions } from './work-queue.ts';

interface KeyJob {
  /** Encoded: BullMQ refuses some texts as ids. */
  readonly key: string;
  readonly retries: number;
}

/** A worker's lock on a key. A replica that dies gives its keys up after this, plus one check for such keys. */
const LOCK_MS = 3_000;
const STALLED_CHECK_MS = 1_500;
/** How often a key may outlive its worker: always. A key that BullMQ declared failed would be lost. */
const MAX_STALLED = 1_000_000;
const COMMAND_MS = 2_000;
const RETRY_MS = 500;
/** Longest pause between two looks at the timers: another replica may have added an earlier one. */
const TIMER_POLL_MS = 1_000;
const BATCH = 500;
const STATS_MS = 2_000;
const CLOSE_MS = 500;

/** The letter before it makes an id of the empty key too. */
const encode = (key: string): string => `k${Buffer.from(key).toString('base64url')}`;
const decode = (id: string): string => Buffer.from(id.slice(1), 'base64url').toString();

/**
 * A queue whose keys are shared by the processes of a controller manager, all of them active. What is to run now is in
 * a BullMQ queue, where an add during a run is kept for one more; what is to run later is in `RedisTimers`. Adds are
 * sent in the background, and held in process while Redis is away.
 */
export class BullmqQueue implements WorkQueue {
  readonly name: string;
  readonly #link: RedisLink;
  readonly #concurrency: number;
  readonly #graceMs: number;
  readonly #prefix: string;
  readonly #retries: Retries;
  readonly #outbox: Outbox;
  readonly #active = new Map<string, AbortController>();
  readonly #ended = new AbortController();
  #process: ((key: string, pass: PassInfo) => Promise<void>) | undefined;
  #connected: Promise<void> | undefined;
  #now: Queue<KeyJob> | undefined;
  #timers: RedisTimers | undefined;
  #worker: Worker<KeyJob> | undefined;
  #sending: Promise<void> | undefined;
  #nextTimer: Timer | undefined;
  #nextTimerMs = Infinity;
  #added = 0;
  #stopping: Promise<void> | undefined;
  #sampled = { ready: 0, delayed: 0, oldestAtMs: 0, atMs: -Infinity };

  constructor(
    name: string,
    link: RedisLink,
    options: WorkQueueOptions & { readonly prefix: string; readonly graceMs: number },
  ) {
    this.name = name;
    this.#link = link;
    this.#concurrency = Math.max(1, options.concurrency ?? 1);
    this.#graceMs = options.graceMs;
    this.#prefix = `{${options.prefix}:${name}}`;
    this.#retries = createRetries(link.random, options);
    this.#outbox = new Outbox(name, link);
  }

  add(key: string): void {
    this.addAfter(key, 0);
  }

  addAfter(key: string, delayMs: number): void {
    this.#hold(key, delayMs, 0);
  }

  addRateLimited(key: string): number {
    const delayMs = this.#retries.next(key);
    this.#hold(key, delayMs, this.#retries.of(key));
    return delayMs;
  }

  forget(key: string): void {
    this.#retries.forget(key);
  }

  retries(key: string): number {
    return this.#retries.of(key);
  }

  run(process: (key: string, pass: PassInfo) => Promise<void>): Promise<void> {
    if (this.#process !== undefined) throw new Error(`queue ${this.name} runs already`);
    this.#process = process;
    void this.#connect();
    return Promise.resolve();
  }

  /** Of the whole queue as it was seen last, at most 2 s before unless Redis is away; `active` of this process. */
  stats(): QueueStats {
    const { ready, delayed, oldestAtMs, atMs } = this.#sampled;
    const nowMs = this.#link.clock.monotonic();
    if (nowMs - atMs > STATS_MS && this.#now !== undefined) void this.#sample(nowMs);
    return {
      added: this.#added,
      ready: ready + this.#outbox.now,
      delayed: delayed + this.#outbox.later,
      active: this.#active.size,
      oldestMs: oldestAtMs === 0 ? 0 : Math.max(0, this.#link.clock.now() - oldestAtMs),
    };
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  #hold(key: string, delayMs: number, retries: number): void {
    if (this.#ended.signal.aborted) return;
    this.#added += 1;
    this.#outbox.hold(key, delayMs, retries);
    if (delayMs > 0) this.#armTimers(delayMs);
    void this.#connect();
    this.#send();
  }

  /** Once Redis has been reached, the parts that need it are made; until then nothing of BullMQ exists. */
  #connect(): Promise<void> {
    this.#connected ??= (async () => {
      const { signal } = this.#ended;
      while (!signal.aborted) {
        try {
          await this.#link.ready(signal);
          if (!signal.aborted) await this.#open();
          return;
        } catch (thrown) {
          if (signal.aborted) return;
          this.#link.log.warn({ queue: this.name, err: messageOf(thrown) }, 'queue cannot use redis yet');
          await sleep(this.#link.clock, RETRY_MS, signal).catch(() => {});
        }
      }
    })().then(() => this.#startWork());
    if (this.#now !== undefined) this.#startWork();
    return this.#connected;
  }

  async #open(): Promise<void> {
    const { bullmq, producer } = await this.#link.open();
    const now = new bullmq.Queue<KeyJob>('now', {
      connection: producer,
      prefix: this.#prefix,
      streams: { events: { maxLen: 100 } },
    });
    now.on('error', (error: Error) => this.#report(error));
    await within(this.#link.clock, COMMAND_MS, now.waitUntilReady());
    this.#now = now;
    this.#timers = createRedisTimers(producer, this.#prefix);
  }

  #startWork(): void {
    this.#send();
    if (this.#process === undefined || this.#worker !== undefined || this.#stopping !== undefined) return;
    void this.#startWorker().catch((thrown: unknown) => this.#report(thrown));
  }

  async #startWorker(): Promise<void> {
    const { bullmq, consumer } = await this.#link.open();
    if (this.#now === undefined || this.#worker !== undefined || this.#stopping !== undefined) return;
    const worker = new bullmq.Worker<KeyJob>('now', (job) => this.#pass(job), {
      connection: consumer,
      prefix: this.#prefix,
      concurrency: this.#concurrency,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_CHECK_MS,
      maxStalledCount: MAX_STALLED,
      drainDelay: 2,
      runRetryDelay: RETRY_MS,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    worker.on('error', (error) => this.#report(error));
    worker.on('lockRenewalFailed', (ids) => {
      for (const id of ids)
        this.#active.get(id)?.abort(new Error('the key was taken over by another worker'));
    });
    this.#worker = worker;
    this.#armTimers(0);
  }

  async #pass(job: Job<KeyJob>): Promise<void> {
    const process = this.#process;
    const id = job.id ?? job.data.key;
    if (process === undefined) return;
    const key = decode(job.data.key);
    const controller = new AbortController();
    this.#active.set(id, controller);
    this.#retries.learn(key, job.data.retries);
    const waitedMs = Math.max(0, this.#link.clock.now() - job.timestamp);
    try {
      await process(key, { waitedMs, signal: controller.signal });
    } catch (thrown) {
      this.#link.log.error({ queue: this.name, ref: key, err: messageOf(thrown) }, 'pass rejected');
      this.addRateLimited(key);
    }
    this.#active.delete(id);
  }

  /** Sends what is held, in batches, one sender at a time; on a failure keeps it and tries again. */
  #send(): void {
    if (this.#sending !== undefined || this.#now === undefined || this.#outbox.size === 0) return;
    this.#sending = this.#sendAll().finally(() => {
      this.#sending = undefined;
      if (!this.#ended.signal.aborted) this.#send();
    });
  }

  async #sendAll(): Promise<void> {
    await Promise.resolve();
    while (this.#outbox.size > 0) {
      const batch = this.#outbox.take(BATCH);
      try {
        await this.#enqueue(batch.now);
        const laterEncoded = batch.later.map((timer) => ({ ...timer, key: encode(timer.key) }));
        if (laterEncoded.length > 0)
          await within(this.#link.clock, COMMAND_MS, this.#timersOrThrow().add(laterEncoded));
      } catch (thrown) {
        this.#outbox.putBack(batch);
        this.#report(thrown);
        if (this.#ended.signal.aborted) return;
        await sleep(this.#link.clock, RETRY_MS, this.#ended.signal).catch(() => {});
      }
    }
  }

  /** What was added before the stop belongs to the next process. */
  async #sendLast(): Promise<void> {
    await this.#connect();
    this.#send();
    await this.#sending;
  }

  #timersOrThrow(): RedisTimers {
    if (this.#timers === undefined) throw new Error('redis has not been reached');
    return this.#timers;
  }

  async #enqueue(keys: readonly { readonly key: string; readonly retries: number }[]): Promise<void> {
    if (keys.length === 0 || this.#now === undefined) return;
    const jobs = keys.map(({ key, retries }) => {
      const id = encode(key);
      return {
        name: 'key',
        data: { key: id, retries },
        opts: {
          deduplication: { id, keepLastIfActive: true },
          removeOnComplete: true,
          removeOnFail: true,
          timestamp: this.#link.clock.now(),
        },
      };
    });
    await within(this.#link.clock, COMMAND_MS, this.#now.addBulk(jobs));
  }

  #armTimers(inMs: number): void {
    const { clock } = this.#link;
    const dueMs = clock.monotonic() + Math.min(inMs, TIMER_POLL_MS);
    if (this.#worker === undefined || this.#ended.signal.aborted || dueMs >= this.#nextTimerMs) return;
    clock.clearTimeout(this.#nextTimer);
    this.#nextTimerMs = dueMs;
    this.#nextTimer = clock.setTimeout(() => {
      this.#nextTimerMs = Infinity;
      void this.#fireTimers();
    }, dueMs - clock.monotonic());
  }

  async #fireTimers(): Promise<void> {
    try {
      const timers = this.#timersOrThrow();
      const { due, nextMs } = await within(this.#link.clock, COMMAND_MS, timers.take(BATCH));
      await this.#enqueue(due.map(({ key, retries }) => ({ key: decode(key), retries })));
      await within(this.#link.clock, COMMAND_MS, timers.done(due.map(({ key }) => key)));
      this.#armTimers(due.length === BATCH ? 0 : (nextMs ?? TIMER_POLL_MS));
    } catch (thrown) {
      this.#report(thrown);
      this.#armTimers(RETRY_MS);
    }
  }

  async #sample(atMs: number): Promise<void> {
    this.#sampled = { ...this.#sampled, atMs };
    try {
      const [waiting = 0, delayed, oldest] = await within(
        this.#link.clock,
        COMMAND_MS,
        Promise.all([
          this.#now?.getWaitingCount(),
          this.#timersOrThrow().size(),
          this.#now?.getWaiting(0, 0),
        ]),
      );
      this.#sampled = { ready: waiting, delayed, oldestAtMs: oldest?.[0]?.timestamp ?? 0, atMs };
    } catch (thrown) {
      this.#report(thrown);
    }
  }

  #report(thrown: unknown): void {
    if (!this.#ended.signal.aborted) this.#link.report(this.name, thrown);
  }

  async #stop(): Promise<void> {
    const { clock } = this.#link;
    const worker = this.#worker;
    clock.clearTimeout(this.#nextTimer);
    const closed = worker?.close().catch(() => {});
    if (closed !== undefined && this.#active.size > 0) {
      await within(clock, this.#graceMs, closed).catch(() => {});
      for (const controller of this.#active.values())
        controller.abort(new Error(`queue ${this.name} is stopping`));
    }
    if (closed !== undefined) await within(clock, CLOSE_MS, closed).catch(() => {});
    if (this.#outbox.size > 0) await within(clock, CLOSE_MS, this.#sendLast()).catch(() => {});
    this.#ended.abort(new Error(`queue ${this.name} has stopped`));
    const left = [worker?.close(true), this.#now?.close()].map((part) => part?.catch(() => {}));
    await within(clock, CLOSE_MS, Promise.all(left)).catch(() => {});
  }
}
