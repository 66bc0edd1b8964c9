import type { Clock, Timer } from '../../base/clock/index.ts';
import { CodedError, messageOf } from '../../base/errors/index.ts';

/** Duration of a lock from its last renewal, in milliseconds. It grows after the event loop was blocked. */
export const LOCK_MS = 1_500;
/** Time between two renewals, in milliseconds. */
export const RENEW_MS = 250;
/** Upper bound of a lock in milliseconds. Keys of a crashed process wait at most that long. */
const MAX_LOCK_MS = 60_000;
/** A renewal that is later than this was delayed by work on the event loop. Milliseconds. */
const BLOCKED_MS = RENEW_MS;
/** Locks return to their usual duration this long after the last block, in milliseconds. */
const FORGET_MS = 600_000;
/** For this long after a block, errors about locks are treated as its consequence. Milliseconds. */
const EXPLAINED_MS = 10_000;

export interface LockedJob {
  readonly id: string;
  readonly token: string;
}

/** The lock of one reconcile. BullMQ needs it until the job is finished in Redis. */
export interface KeyLock {
  /** Aborts if another process has taken over the key, or may have. */
  readonly signal: AbortSignal;
  /**
   * Throws in the same case. It reads the clock, so it also works if the process was suspended and no timer
   * fired.
   */
  check(): void;
  abort(reason: Error): void;
}

interface Held extends LockedJob {
  readonly controller: AbortController;
  untilMs: number;
}

const lost = (): CodedError =>
  new CodedError('ERR_KEY_LOST', 'the key was taken over by another worker, or may have been');

export interface KeyLocksOptions {
  readonly clock: Clock;
  /** Extends the locks to `durationMs` from now. Returns the ids of jobs whose lock is lost. */
  readonly renew: (jobs: readonly LockedJob[], durationMs: number) => Promise<readonly string[]>;
  /** Called with `ERR_LOOP_BLOCKED` if the event loop was blocked for longer than the locks last. */
  readonly onBlocked: (error: CodedError) => void;
}

/**
 * Renews the locks of active keys.
 *
 * A lock counts from the request, on the monotonic clock, so it ends here before it ends in Redis. A
 * suspended or disconnected process therefore gives up its keys before another process takes them.
 *
 * Work that blocks the event loop delays renewals. The block is measured, and later locks last long enough
 * for another block of that length. Otherwise an effect that blocks for longer than a lock would lose its key
 * at each attempt. A lock that seems to have ended during a block is confirmed with Redis before it is given
 * up.
 */
export class KeyLocks {
  readonly #clock: Clock;
  readonly #options: KeyLocksOptions;
  readonly #held = new Map<string, Held>();
  #timer: Timer | undefined;
  #dueMs = 0;
  #renewing = false;
  #lockMs = LOCK_MS;
  #blockedAtMs = -Infinity;

  constructor(options: KeyLocksOptions) {
    this.#clock = options.clock;
    this.#options = options;
  }

  /** Duration of a lock that is renewed now, in milliseconds. */
  get lockMs(): number {
    return this.#lockMs;
  }

  /**
   * True for an error about a lock that ended during a block of the event loop, which is already reported.
   */
  explains(thrown: unknown): boolean {
    const sinceMs = this.#clock.monotonic() - this.#blockedAtMs;
    return sinceMs < EXPLAINED_MS && /\b(?:lock|unlock)/i.test(messageOf(thrown));
  }

  /**
   * Renews the lock of a job until it is released, aborted or lost.
   * @param takenMs age of the lock in milliseconds
   */
  hold(job: LockedJob, takenMs: number): KeyLock {
    const controller = new AbortController();
    const held: Held = { controller, untilMs: this.#clock.monotonic() - takenMs + LOCK_MS, ...job };
    this.#held.set(job.id, held);
    this.#arm();
    return {
      signal: controller.signal,
      check: () => {
        if (held.untilMs <= this.#clock.monotonic()) this.#lose(held);
        controller.signal.throwIfAborted();
      },
      abort: (reason) => this.#drop(held, reason),
    };
  }

  /** Stops the renewal: the job is finished in Redis, which deletes its lock. */
  release({ id, token }: LockedJob): void {
    if (this.#held.get(id)?.token === token) this.#held.delete(id);
  }

  /** Renews the lock of a job that was taken a while ago; resolves with false if the lock is lost. */
  async confirm({ id }: LockedJob): Promise<boolean> {
    const held = this.#held.get(id);
    if (held === undefined) return false;
    await this.#extend([held]);
    if (held.untilMs <= this.#clock.monotonic()) this.#lose(held);
    return !held.controller.signal.aborted;
  }

  #arm(): void {
    if (this.#timer !== undefined) return;
    this.#dueMs = this.#clock.monotonic() + RENEW_MS;
    this.#timer = this.#clock.setTimeout(() => this.#tick(), RENEW_MS);
  }

  #tick(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.monotonic();
    const blockedMs = nowMs - this.#dueMs;
    const isBlocked = blockedMs > BLOCKED_MS;
    if (nowMs - this.#blockedAtMs > FORGET_MS) this.#lockMs = LOCK_MS;
    if (isBlocked) this.#measure(blockedMs);
    // After a block Redis is asked first: it knows whether this process still has the lock.
    else this.#loseEnded([...this.#held.values()]);
    if (this.#held.size === 0) return;
    if (!this.#renewing) void this.#renewAll(isBlocked);
    this.#arm();
  }

  #measure(blockedMs: number): void {
    const endedMs = this.#lockMs;
    this.#blockedAtMs = this.#clock.monotonic();
    this.#lockMs = Math.max(endedMs, Math.min(MAX_LOCK_MS, LOCK_MS + 2 * Math.ceil(blockedMs)));
    if (blockedMs < endedMs - RENEW_MS) return;
    this.#options.onBlocked(
      new CodedError(
        'ERR_LOOP_BLOCKED',
        `the event loop was blocked for ${Math.round(blockedMs)} ms, while the locks of keys in work last ${Math.round(endedMs)} ms;` +
          ` from now on they last ${Math.round(this.#lockMs)} ms`,
      ),
    );
  }

  #loseEnded(jobs: readonly Held[]): void {
    for (const held of jobs)
      if (held.untilMs <= this.#clock.monotonic() && this.#held.get(held.id) === held) this.#lose(held);
  }

  async #renewAll(wasBlocked: boolean): Promise<void> {
    this.#renewing = true;
    const jobs = [...this.#held.values()];
    await this.#extend(jobs);
    this.#renewing = false;
    if (wasBlocked) this.#loseEnded(jobs);
  }

  async #extend(jobs: readonly Held[]): Promise<void> {
    const askedMs = this.#clock.monotonic();
    const lockMs = this.#lockMs;
    try {
      const gone = new Set(await this.#options.renew(jobs, lockMs));
      for (const held of jobs)
        if (!gone.has(held.id)) held.untilMs = askedMs + lockMs;
        else if (this.#held.get(held.id) === held) this.#lose(held);
    } catch {
      // Not renewed: the lock expires.
    }
  }

  #lose(held: Held): void {
    this.#drop(held, lost());
  }

  #drop(held: Held, reason: Error): void {
    this.release(held);
    held.controller.abort(reason);
  }
}
