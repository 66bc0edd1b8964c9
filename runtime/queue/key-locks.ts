import type { Clock, Timer } from '../../base/clock/clock.ts';
import { CodedError } from '../../base/errors/coded.ts';

/** A key is this process's own for so long after its lock was last renewed, milliseconds. */
export const LOCK_MS = 1_500;
export const RENEW_MS = 250;

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

/**
 * Renews the locks of the keys in work. A lock counts from when it was asked for, on the monotonic clock, so that it ends
 * here before it ends in Redis: a process that stood still, or cannot reach Redis, gives its keys up before others have
 * them.
 */
export class KeyLocks {
  readonly #clock: Clock;
  readonly #renew: (jobs: readonly LockedJob[]) => Promise<readonly string[]>;
  readonly #held = new Map<string, Held>();
  #timer: Timer | undefined;
  #renewing = false;

  /** `renew` gives the ids of the jobs whose lock is another's. */
  constructor(clock: Clock, renew: (jobs: readonly LockedJob[]) => Promise<readonly string[]>) {
    this.#clock = clock;
    this.#renew = renew;
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
    this.#timer = this.#clock.setTimeout(() => this.#tick(), RENEW_MS);
  }

  #tick(): void {
    this.#timer = undefined;
    for (const held of this.#held.values()) if (held.untilMs <= this.#clock.monotonic()) this.#lose(held);
    if (this.#held.size === 0) return;
    if (!this.#renewing) void this.#renewAll();
    this.#arm();
  }

  async #renewAll(): Promise<void> {
    this.#renewing = true;
    await this.#extend([...this.#held.values()]);
    this.#renewing = false;
  }

  async #extend(jobs: readonly Held[]): Promise<void> {
    const askedMs = this.#clock.monotonic();
    try {
      const gone = new Set(await this.#renew(jobs));
      for (const held of jobs)
        if (!gone.has(held.id)) held.untilMs = askedMs + LOCK_MS;
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
