import type { Job } from 'bullmq';
import type { Clock } from '../../base/clock/index.ts';
import { decodeKey } from './key-code.ts';
import { type KeyLock, KeyLocks, LOCK_MS, type LockedJob, RENEW_MS } from './key-locks.ts';
import type { KeyJob, KeyJobWorker, QueueServer } from './queue-server.ts';
import { within } from './within.ts';

/** A key taken from the queue, with its lock. */
export interface TakenKey {
  readonly key: string;
  readonly retries: number;
  readonly change: string | undefined;
  readonly waitedMs: number;
  readonly lock: KeyLock;
}

/** Polling intervals of an idle queue, in milliseconds. */
export interface IdlePace {
  /** Interval for due keys. Polling is needed because another replica may have added an earlier timer. */
  readonly pollMs: number;
  /**
   * Interval for keys whose lock has ended. Together with `LOCK_MS`, bounds the time that keys of a crashed
   * replica wait.
   */
  readonly stalledCheckMs: number;
  /** Duration of one blocking wait for a key. */
  readonly blockMs: number;
}

/** Default intervals: a due key waits at most 1 s for its poll, a key of a crashed replica less than 2 s. */
export const IDLE_PACE: IdlePace = { pollMs: 1_000, stalledCheckMs: 300, blockMs: 2_000 };

export interface KeyWorkerOptions {
  readonly clock: Clock;
  readonly prefix: string;
  readonly concurrency: number;
  readonly idle: IdlePace;
  /** Processes one key. A rejection leaves the key in Redis, where the check for stalled jobs finds it. */
  readonly work: (taken: TakenKey) => Promise<void>;
  readonly report: (thrown: unknown) => void;
}

/**
 * Maximum number of times that a job may outlive its worker. Practically unlimited, because BullMQ drops a
 * job above the limit.
 */
const MAX_STALLED = 1_000_000;
const RETRY_MS = 500;
const COMMAND_MS = 2_000;
const CLOSE_MS = 500;

/** Takes keys from the queue `now` and renews their locks. */
export class KeyWorker {
  readonly #server: QueueServer;
  readonly #clock: Clock;
  readonly #work: KeyWorkerOptions['work'];
  readonly #worker: KeyJobWorker;
  readonly #locks: KeyLocks;
  readonly #active = new Set<KeyLock>();
  #draining = false;

  constructor(server: QueueServer, options: KeyWorkerOptions) {
    const { clock, prefix, concurrency, idle, work, report } = options;
    this.#server = server;
    this.#clock = clock;
    this.#work = work;
    this.#worker = server.worker(prefix, (job) => this.#process(job), {
      concurrency,
      lockDuration: LOCK_MS,
      skipLockRenewal: true,
      stalledInterval: idle.stalledCheckMs,
      maxStalledCount: MAX_STALLED,
      drainDelay: idle.blockMs / 1_000,
      runRetryDelay: RETRY_MS,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    this.#worker.on('error', (thrown) => {
      if (!this.#locks.explains(thrown)) report(thrown);
    });
    // Released only at `completed`: a lock that lapses between the end of the reconcile and the end of its
    // job would requeue the key.
    this.#worker.on('completed', (job) => this.#locks.release(lockedJob(job)));
    this.#locks = new KeyLocks({
      clock,
      renew: (jobs, durationMs) =>
        within(
          clock,
          COMMAND_MS,
          this.#worker.extendJobLocks(
            jobs.map(({ id }) => id),
            jobs.map(({ token }) => token),
            durationMs,
          ),
        ),
      onBlocked: report,
    });
  }

  get active(): number {
    return this.#active.size;
  }

  /** Takes no more keys. Aborts reconciles that still run after `graceMs` milliseconds. */
  async drain(graceMs: number, reason: Error): Promise<void> {
    const clock = this.#clock;
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

  async #process(job: Job<KeyJob>): Promise<void> {
    const clock = this.#clock;
    const locked = lockedJob(job);
    const takenMs = Math.max(0, clock.now() - (job.processedOn ?? clock.now()));
    const lock = this.#locks.hold(locked, takenMs);
    // Another process may have taken the key after a suspension, so the lock is confirmed. After a block of
    // the event loop the lock must be extended.
    const isLong = takenMs <= RENEW_MS && this.#locks.lockMs === LOCK_MS;
    const isOwn = isLong || (await this.#locks.confirm(locked));
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

  /** Leaves a key in Redis, where the check for stalled jobs finds it. */
  #leave(lock: KeyLock): never {
    const reason = this.#server.waiting();
    lock.abort(reason);
    throw reason;
  }
}

const lockedJob = ({ id = '', token = '' }: Job<KeyJob>): LockedJob => ({ id, token });
