import type { Job, Worker } from 'bullmq';
import type { RedisLink } from './redis-link.ts';
import { decodeKey } from './key-code.ts';
import { type KeyLock, KeyLocks, LOCK_MS, type LockedJob, RENEW_MS } from './key-locks.ts';
import { within } from './within.ts';

/** What a job of the queue `now` holds. */
export interface KeyJob {
  /** Encoded. */
  readonly key: string;
  readonly retries: number;
  /** The change that brought the key up first. */
  readonly change?: string;
}

export interface TakenKey {
  readonly key: string;
  readonly retries: number;
  readonly change: string | undefined;
  readonly waitedMs: number;
  readonly lock: KeyLock;
}

export interface KeyWorkerOptions {
  readonly link: RedisLink;
  readonly prefix: string;
  readonly concurrency: number;
  /** Rejects where the key must not leave Redis: it is found there as one that nobody works on. */
  readonly work: (taken: TakenKey) => Promise<void>;
  readonly report: (thrown: unknown) => void;
}

/** How often keys are looked for whose lock has ended; with `LOCK_MS` it bounds how long a dead replica's keys wait. */
const STALLED_CHECK_MS = 300;
/** How often a key may outlive its worker: always. A key that BullMQ declared failed would be lost. */
const MAX_STALLED = 1_000_000;
const RETRY_MS = 500;
const COMMAND_MS = 2_000;
const CLOSE_MS = 500;

/** Takes keys from the queue `now` and keeps their locks. */
export class KeyWorker {
  readonly #bullmq: typeof import('bullmq');
  readonly #link: RedisLink;
  readonly #work: KeyWorkerOptions['work'];
  readonly #worker: Worker<KeyJob>;
  readonly #locks: KeyLocks;
  readonly #active = new Set<KeyLock>();
  #draining = false;

  constructor(bullmq: typeof import('bullmq'), connection: object, options: KeyWorkerOptions) {
    const { link, prefix, concurrency, work, report } = options;
    this.#bullmq = bullmq;
    this.#link = link;
    this.#work = work;
    this.#worker = new bullmq.Worker<KeyJob>('now', (job) => this.#pass(job), {
      connection,
      prefix,
      concurrency,
      lockDuration: LOCK_MS,
      skipLockRenewal: true,
      stalledInterval: STALLED_CHECK_MS,
      maxStalledCount: MAX_STALLED,
      drainDelay: 2,
      runRetryDelay: RETRY_MS,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    this.#worker.on('error', report);
    // Not before: a lock that lapsed between the end of a pass and that of its job would bring the key up again.
    this.#worker.on('completed', (job) => this.#locks.release(lockedJob(job)));
    this.#locks = new KeyLocks(link.clock, (jobs) =>
      within(
        link.clock,
        COMMAND_MS,
        this.#worker.extendJobLocks(
          jobs.map(({ id }) => id),
          jobs.map(({ token }) => token),
          LOCK_MS,
        ),
      ),
    );
  }

  get active(): number {
    return this.#active.size;
  }

  /** Takes no more keys; what is in work after `graceMs` is aborted. */
  async drain(graceMs: number, reason: Error): Promise<void> {
    const { clock } = this.#link;
    this.#draining = true;
    const closed = this.#worker.close().catch(() => {});
    if (this.#active.size > 0) {
      await within(clock, graceMs, closed).catch(() => {});
      for (const lock of this.#active) lock.abort(reason);
    }
    await within(clock, CLOSE_MS, closed).catch(() => {});
  }

  async close(): Promise<void> {
    await this.#worker.close(true);
  }

  async #pass(job: Job<KeyJob>): Promise<void> {
    const { clock } = this.#link;
    const locked = lockedJob(job);
    const takenMs = Math.max(0, clock.now() - (job.processedOn ?? clock.now()));
    const lock = this.#locks.hold(locked, takenMs);
    // After a stand-still of this process the key may be another's.
    const isOwn = takenMs <= RENEW_MS || (await this.#locks.confirm(locked));
    if (!isOwn || this.#draining) return this.#leave(lock);
    this.#active.add(lock);
    const { key, retries, change } = job.data;
    const waitedMs = Math.max(0, clock.now() - job.timestamp);
    try {
      await this.#work({ key: decodeKey(key), retries, change, waitedMs, lock });
    } catch {
      this.#leave(lock);
    } finally {
      this.#active.delete(lock);
    }
  }

  /** Leaves a key in Redis, to be found as one that nobody works on. */
  #leave(lock: KeyLock): never {
    const reason = new this.#bullmq.WaitingError();
    lock.abort(reason);
    throw reason;
  }
}

const lockedJob = ({ id = '', token = '' }: Job<KeyJob>): LockedJob => ({ id, token });
