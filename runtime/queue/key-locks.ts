import type { Clock, Timer } from '../../base/clock/clock.ts';
import { CodedError } from '../../base/errors/coded.ts';

/** A key is this process's own for so long after its lock was last renewed, milliseconds; longer where its loop blocks. */
export const LOCK_MS = 1_500;
export const RENEW_MS = 250;
/** The longest lock of a process whose loop blocks: so long its keys wait at most if it dies. */
const MAX_LOCK_MS = 60_000;
/** A renewal that is this late was kept waiting by work on the event loop, milliseconds. */
const BLOCKED_MS = RENEW_MS;
/** Locks last no longer than usual again so long after the last block, milliseconds. */
const FORGET_MS = 600_000;

export interface LockedJob {
  readonly id: string;
  readonly token: string;
}

/** The lock of one pass, and of what its job needs to be finished in Redis afterwards. */
export interface KeyLock {
  /** Aborts when the key has been taken over, or may have been. */
  readonly signal: AbortSignal;
  /** Throws in the same case, though no timer may have fired meanwhile: the process may have stood still. */
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
  /** Makes the locks last `durationMs` from now; returns the ids of the jobs whose lock is another's, or nobody's. */
  readonly renew: (jobs: readonly LockedJob[], durationMs: number) => Promise<readonly string[]>;
  /** Called after the event loop was blocked for longer than the locks last: `ERR_LOOP_BLOCKED`. */
  readonly onBlocked: (error: CodedError) => void;
}

/**
 * Renews the locks of the keys in work. A lock counts from when it was asked for, on the monotonic clock, so that it ends
 * here before it ends in Redis: a process that stood still, or cannot reach Redis, gives its keys up before others have
 * them.
 *
 * Work that blocks the event loop holds the renewals up. How long is measured, and from then on locks last long enough for
 * as much again: otherwise an effect that blocks for longer than a lock would lose its key at every attempt. A lock that
 * seems to have ended meanwhile is asked for at Redis before it is given up.
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

  /** How long a lock lasts that is renewed now, milliseconds. */
  get lockMs(): number {
    return this.#lockMs;
  }

  /** Of a job that was taken `takenMs` ago; renewed until it is released, aborted or lost. */
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

  /** The job is finished in Redis, and its lock gone with it. */
  release({ id, token }: LockedJob): void {
    if (this.#held.get(id)?.token === token) this.#held.delete(id);
  }

  /** Whether a job that was taken some time ago still has its lock, which is renewed by that. */
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
    // After a block Redis is asked first: it knows whether the lock is still this process's.
    else this.#loseEnded([...this.#held.values()]);
    if (this.#held.size === 0) return;
    if (!this.#renewing) void this.#renewAll(isBlocked);
    this.#arm();
  }

  #measure(blockedMs: number): void {
    const endedMs = this.#lockMs;
    this.#blockedAtMs = this.#clock.monotonic();
    this.#lockMs = Math.max(endedMs, Math.min(MAX_LOCK_MS, LOCK_MS + 2 * blockedMs));
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
      // Not renewed: the lock ends by its time.
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
