import { sleep } from '../../base/clock/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import { ChangeClaims } from './change-claims.ts';
import { decodeKey, encodeKey } from './key-code.ts';
import { IDLE_PACE, type IdlePace, KeyWorker, type TakenKey } from './key-worker.ts';
import { type HeldAdds, type HeldKey, Outbox } from './outbox.ts';
import { Poll } from './poll.ts';
import { type KeyToSend, jobOf, timersOf } from './queue-jobs.ts';
import type { SharedQueueOptions } from './shared-queue-options.ts';
import type { KeyChanges, KeyQueue, KeyTimers, QueueLink } from './queue-server.ts';
import { isForeign } from './redis-clear.ts';
import { createRetries, type Retries } from './retries.ts';
import { within } from './within.ts';
import type { Process, QueueStats, WorkQueue, WorkQueueOptions } from './work-queue.ts';

const OPEN_MS = 2_000;
/**
 * Time limit of a response in milliseconds. It is long, because a command that is sent twice may run twice.
 */
const RESPONSE_MS = 6_000;
const RETRY_MS = 500;
const BATCH = 500;
const STATS_MS = 2_000;
const CLOSE_MS = 500;
/**
 * Minimum age in milliseconds of a key whose reconcile starts without waiting until this process has observed
 * its change.
 */
const ARRIVAL_MS = 250;
/**
 * Time in milliseconds without an accepted command after which Redis is reported as a problem. A restart of
 * Redis takes less.
 */
const SILENT_MS = 10_000;

/** Parts of the queue in Redis. */
interface Shared {
  readonly now: KeyQueue;
  readonly timers: KeyTimers;
  readonly changes: KeyChanges;
  /** Deletes all keys of the queue. */
  clear(): Promise<void>;
}

/**
 * Queue whose keys are shared by several active processes of a controller manager.
 *
 * Keys to process now are in a BullMQ queue, which retains an add during a reconcile for one further
 * reconcile. Delayed keys are in `KeyTimers`. One of the processes that observe a change enqueues it
 * (`KeyChanges`). Adds are sent in the background, and stored in process while Redis is unreachable.
 */
export class SharedQueue implements WorkQueue {
  readonly name: string;
  readonly #link: QueueLink;
  readonly #concurrency: number;
  readonly #graceMs: number;
  readonly #prefix: string;
  readonly #idle: IdlePace;
  readonly #onRepeated: (key: string) => void;
  readonly #retries: Retries;
  readonly #outbox: Outbox;
  readonly #changes: ChangeClaims;
  readonly #poll: Poll;
  readonly #ended = new AbortController();
  #process: Process | undefined;
  #refill: (change: string) => void = () => {};
  #connected: Promise<void> | undefined;
  #shared: Shared | undefined;
  #worker: KeyWorker | undefined;
  #sending: Promise<void> | undefined;
  #clearing = false;
  #generation: string | undefined;
  /** Time of the last successful command or of the first attempt, on the monotonic clock. */
  #respondedMs = Infinity;
  #added = 0;
  #stopping: Promise<void> | undefined;
  #sampled = { ready: 0, delayed: 0, oldestAtMs: 0, atMs: -Infinity };

  constructor(name: string, link: QueueLink, options: WorkQueueOptions & SharedQueueOptions) {
    this.name = name;
    this.#link = link;
    this.#concurrency = Math.max(1, options.concurrency ?? 1);
    this.#graceMs = options.graceMs;
    this.#prefix = `{${options.prefix}:${name}}`;
    this.#idle = options.idle ?? IDLE_PACE;
    this.#onRepeated = options.onRepeated ?? (() => {});
    this.#retries = createRetries(link.random, options);
    this.#outbox = new Outbox(name, link);
    this.#changes = new ChangeClaims({
      clock: link.clock,
      own: options.alone === true ? link.random.uuid() : undefined,
      onCovered: options.onCovered ?? (() => {}),
      ask: (answer) => this.#ask(answer),
    });
    this.#poll = new Poll(link.clock, this.#idle.pollMs, () => this.#pollServer());
  }

  add(key: string, change?: string): void {
    if (change === undefined) return this.addAfter(key, 0);
    if (this.#ended.signal.aborted) return;
    const named = this.#changes.saw(key, change);
    if (named === undefined) return;
    // Objects deleted before startup produced no event in this process. A reconcile that covered this change
    // may have run before such a deletion. So changes from the initial list are always enqueued.
    const isFirstSight = this.#process === undefined;
    this.#hold({ key, retries: 0, changes: [named], sure: isFirstSight });
  }

  addAfter(key: string, delayMs: number): void {
    this.#holdAfter(key, delayMs, 0);
  }

  addRateLimited(key: string): number {
    const delayMs = this.#retries.next(key);
    this.#holdAfter(key, delayMs, this.#retries.of(key));
    return delayMs;
  }

  forget(key: string): void {
    this.#retries.forget(key);
  }

  retries(key: string): number {
    return this.#retries.of(key);
  }

  run(process: Process, refill: (change: string) => void = () => {}): Promise<void> {
    if (this.#process !== undefined) throw new Error(`queue ${this.name} is already running`);
    this.#process = process;
    this.#refill = refill;
    this.#respondedMs = this.#link.clock.monotonic();
    void this.#connect();
    return Promise.resolve();
  }

  /**
   * Returns the last sampled statistics, at most 2 s old unless Redis is unreachable. `active` counts only
   * this process.
   */
  stats(): QueueStats {
    const { ready, delayed, oldestAtMs, atMs } = this.#sampled;
    const nowMs = this.#link.clock.monotonic();
    if (nowMs - atMs > STATS_MS && this.#shared !== undefined) void this.#sample(this.#shared, nowMs);
    return {
      added: this.#added,
      ready: ready + this.#outbox.now,
      delayed: delayed + this.#outbox.later,
      active: this.#worker?.active ?? 0,
      oldestMs: oldestAtMs === 0 ? 0 : Math.max(0, this.#link.clock.now() - oldestAtMs),
    };
  }

  problem(): string | undefined {
    const silentMs = this.#link.clock.monotonic() - this.#respondedMs;
    return silentMs < SILENT_MS
      ? undefined
      : `redis has accepted no command for ${Math.round(silentMs / 1_000)} s`;
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  #holdAfter(key: string, delayMs: number, retries: number): void {
    if (delayMs <= 0) return this.#hold({ key, retries, changes: [], sure: true });
    if (this.#ended.signal.aborted) return;
    this.#outbox.holdUntil({ key, dueMs: this.#link.clock.monotonic() + delayMs, retries });
    if (this.#worker !== undefined) this.#poll.within(delayMs);
    this.#sendSoon();
  }

  #hold(held: HeldKey): void {
    if (this.#ended.signal.aborted) return;
    this.#outbox.hold(held);
    this.#sendSoon();
  }

  #sendSoon(): void {
    this.#added += 1;
    void this.#connect();
    this.#send();
  }

  /** Waits for Redis, then creates the parts that need it. No BullMQ object is created before that. */
  #connect(): Promise<void> {
    this.#connected ??= (async () => {
      const { signal } = this.#ended;
      while (!signal.aborted) {
        try {
          await this.#link.ready(signal);
          if (!signal.aborted) this.#shared = await this.#open();
          return;
        } catch (thrown) {
          if (signal.aborted) return;
          this.#link.log.warn({ queue: this.name, err: messageOf(thrown) }, 'queue cannot use redis yet');
          await sleep(this.#link.clock, RETRY_MS, signal).catch(() => {});
        }
      }
    })().then(() => this.#startWork());
    if (this.#shared !== undefined) this.#startWork();
    return this.#connected;
  }

  async #open(): Promise<Shared> {
    const server = await this.#link.open();
    const now = server.queue(this.#prefix);
    now.on('error', (error: Error) => this.#report(error));
    await within(this.#link.clock, OPEN_MS, now.waitUntilReady());
    return {
      now,
      timers: server.timers(this.#prefix),
      changes: server.changes(this.#prefix),
      clear: () => server.clear(this.#prefix),
    };
  }

  #startWork(): void {
    this.#send();
    if (this.#process === undefined || this.#worker !== undefined || this.#stopping !== undefined) return;
    void this.#startWorker(this.#process).catch((thrown: unknown) => this.#report(thrown));
  }

  async #startWorker(process: Process): Promise<void> {
    const server = await this.#link.open();
    if (this.#shared === undefined || this.#worker !== undefined || this.#stopping !== undefined) return;
    this.#worker = new KeyWorker(server, {
      clock: this.#link.clock,
      prefix: this.#prefix,
      concurrency: this.#concurrency,
      idle: this.#idle,
      work: (taken) => this.#reconcile(process, taken),
      report: (thrown) => this.#report(thrown),
    });
    this.#poll.within(0);
  }

  async #reconcile(process: Process, { key, retries, change, waitedMs, lock }: TakenKey): Promise<void> {
    this.#retries.learn(key, retries);
    if (change !== undefined && waitedMs < ARRIVAL_MS)
      await this.#changes.arrival(key, change, ARRIVAL_MS - waitedMs);
    const covers = this.#changes.begin(key, change);
    try {
      await process(key, { waitedMs, signal: lock.signal, check: lock.check });
    } catch (thrown) {
      this.#link.log.error({ queue: this.name, ref: key, err: messageOf(thrown) }, 'reconcile rejected');
      this.addRateLimited(key);
    }
    // A key leaves Redis when its reconcile ends, so all adds of the key must be in Redis by then.
    if (!(await this.#outbox.delivered(key))) throw new Error(`queue ${this.name} has stopped`);
    if (lock.signal.aborted || covers.length === 0) return;
    this.#changes.cover(covers);
    this.#send();
  }

  /** Sends stored adds in batches, with one sender at a time. After a failure, stores and retries them. */
  #send(): void {
    const shared = this.#shared;
    if (this.#sending !== undefined || shared === undefined || !this.#hasToSend()) return;
    this.#sending = this.#sendAll(shared).finally(() => {
      this.#sending = undefined;
      if (!this.#ended.signal.aborted) this.#send();
    });
  }

  #hasToSend(): boolean {
    return this.#outbox.size > 0 || this.#changes.unreported > 0;
  }

  async #sendAll(shared: Shared): Promise<void> {
    await Promise.resolve();
    while (this.#hasToSend()) {
      let unsent: HeldAdds = this.#outbox.take(BATCH);
      let sent: readonly { readonly key: string }[] = [];
      try {
        await this.#changes.report(shared.changes, BATCH);
        unsent = { ...unsent, now: await this.#changes.claim(shared.changes, unsent.now) };
        sent = unsent.now;
        await this.#enqueue(shared, unsent.now);
        unsent = { ...unsent, now: [] };
        sent = unsent.later;
        await this.#ask(shared.timers.add(timersOf(unsent, this.#link.clock.monotonic())));
        this.#outbox.settle();
      } catch (thrown) {
        this.#outbox.settle(unsent);
        this.#report(thrown);
        if (this.#ended.signal.aborted) return;
        for (const { key } of sent) this.#onRepeated(key);
        await sleep(this.#link.clock, RETRY_MS, this.#ended.signal).catch(() => {});
      }
    }
  }

  async #enqueue({ now }: Shared, keys: readonly KeyToSend[]): Promise<void> {
    if (keys.length === 0) return;
    await this.#ask(now.addBulk(keys.map((key) => jobOf(key, this.#link.clock.now()))));
  }

  /** Enqueues due keys and checks uncovered changes. Returns the milliseconds until the next poll. */
  async #pollServer(): Promise<number> {
    const shared = this.#shared;
    if (shared === undefined) return this.#idle.pollMs;
    try {
      const { due, nextMs, generation } = await this.#ask(shared.timers.take(BATCH));
      this.#respondedMs = this.#link.clock.monotonic();
      for (const { key, isAgain } of due) if (isAgain) this.#onRepeated(decodeKey(key));
      await this.#enqueue(
        shared,
        due.map(({ key, retries }) => ({ key: decodeKey(key), retries })),
      );
      await this.#ask(shared.timers.done(due.map(({ key }) => key)));
      this.#compare(generation);
      await this.#checkUnhandled(shared);
      return due.length === BATCH ? 0 : (nextMs ?? this.#idle.pollMs);
    } catch (thrown) {
      this.#report(thrown);
      return RETRY_MS;
    }
  }

  #compare(generation: string): void {
    const before = this.#generation;
    this.#generation = generation;
    if (before === undefined || before === generation) return;
    this.#link.log.info({ queue: this.name }, 'redis may have lost keys; all keys are enqueued again');
    this.#refill(`refill ${generation}`);
  }

  async #checkUnhandled(shared: Shared): Promise<void> {
    for (const { key, change } of await this.#changes.checkUnhandled(shared.changes, BATCH))
      if ((await this.#ask(shared.now.getDeduplicationJobId(encodeKey(key)))) === null)
        this.#hold({ key, retries: 0, changes: [change], sure: true });
  }

  async #sample({ now, timers }: Shared, atMs: number): Promise<void> {
    this.#sampled = { ...this.#sampled, atMs };
    try {
      const [ready, delayed, oldest] = await this.#ask(
        Promise.all([now.getWaitingCount(), timers.size(), now.getWaiting(0, 0)]),
      );
      this.#sampled = { ready, delayed, oldestAtMs: oldest[0]?.timestamp ?? 0, atMs };
    } catch (thrown) {
      this.#report(thrown);
    }
  }

  #ask<T>(answer: Promise<T>): Promise<T> {
    return within(this.#link.clock, RESPONSE_MS, answer);
  }

  #report(thrown: unknown): void {
    if (this.#ended.signal.aborted) return;
    this.#link.report(this.name, thrown);
    if (isForeign(thrown) && !this.#clearing) void this.#clear();
  }

  /**
   * Empties the queue, because values of another program in its keys would block it. The generation then
   * changes, so all keys are enqueued again.
   */
  async #clear(): Promise<void> {
    this.#clearing = true;
    this.#link.log.warn(
      { queue: this.name },
      'another program has written to keys of the queue; the queue is emptied',
    );
    await this.#ask(this.#shared?.clear() ?? Promise.resolve()).catch(() => {});
    this.#clearing = false;
  }

  async #stop(): Promise<void> {
    const { clock } = this.#link;
    const worker = this.#worker;
    this.#poll.stop();
    await worker?.drain(this.#graceMs, new Error(`queue ${this.name} is stopping`));
    if (this.#hasToSend()) await within(clock, CLOSE_MS, this.#sendLast()).catch(() => {});
    this.#ended.abort(new Error(`queue ${this.name} has stopped`));
    this.#outbox.close();
    const left = [worker?.close(), this.#shared?.now.close()].map((part) => part?.catch(() => {}));
    await within(clock, CLOSE_MS, Promise.all(left)).catch(() => {});
  }

  /** Sends adds from before the stop, which the next process handles. */
  async #sendLast(): Promise<void> {
    await this.#connect();
    this.#send();
    await this.#sending;
  }
}
