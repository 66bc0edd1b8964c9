import type { Clock, Timer } from '../../base/clock/index.ts';
import { CodedError, messageOf } from '../../base/errors/index.ts';

/**
 * Duration of a lock from its last renewal, in milliseconds. Locks last longer after the event loop was
 * blocked.
 */
export const LOCK_MS = 1_500;
/** Time between two renewals, in milliseconds. */
export const RENEW_MS = 250;
/** Maximum duration of a lock in milliseconds. Keys of a crashed process wait at most that long. */
const MAX_LOCK_MS = 60_000;
/** Minimum lateness in milliseconds of a renewal that counts as delayed by a blocked event loop. */
const BLOCKED_MS = RENEW_MS;
/**
 * Time in milliseconds after the last block of the event loop at which locks return to their usual duration.
 */
const FORGET_MS = 600_000;
/**
 * Time in milliseconds after a block of the event loop for which errors about locks are treated as its
 * consequence.
 */
const EXPLAINED_MS = 10_000;

export interface LockedJob {
  readonly id: string;
  readonly token: string;
}

/** Lock of one reconcile. BullMQ needs it until the job is finished in Redis. */
export interface KeyLock {
  /** Aborts if another process has taken over the key, or may have. */
  readonly signal: AbortSignal;
  /**
   * Throws if another process has taken over the key, or may have. Reads the clock, so it also detects a lost
   * lock in a process that was suspended and whose timers have not fired.
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
  /** Extends the locks to `durationMs` from now. Returns the IDs of jobs whose lock is lost. */
  readonly renew: (jobs: readonly LockedJob[], durationMs: number) => Promise<readonly string[]>;
  /** Called with `ERR_LOOP_BLOCKED` if the event loop was blocked for longer than the locks last. */
  readonly onBlocked: (error: CodedError) => void;
}

/**
 * Renews the locks of active keys.
 *
 * A lock starts at the request, on the monotonic clock, so it ends in this process before it ends in Redis. A
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

  /** Duration of a lock that is renewed at this time, in milliseconds. */
  get lockMs(): number {
    return this.#lockMs;
  }

  /**
   * True for an error about a lock that ended during a block of the event loop, because the block is already
   * reported.
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

  /** Stops renewing the lock of a job that is finished in Redis, which deletes the lock. */
  release({ id, token }: LockedJob): void {
    if (this.#held.get(id)?.token === token) this.#held.delete(id);
  }

  /** Renews the lock of a job that was taken a while ago. Resolves to false if the lock is lost. */
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
    // After a block, Redis decides whether this process still has the lock.
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
    const requestedMs = this.#clock.monotonic();
    const lockMs = this.#lockMs;
    try {
      const lost = new Set(await this.#options.renew(jobs, lockMs));
      for (const held of jobs)
        if (!lost.has(held.id)) held.untilMs = requestedMs + lockMs;
        else if (this.#held.get(held.id) === held) this.#lose(held);
    } catch {
      // A lock that is not renewed expires, and `check` detects that.
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
