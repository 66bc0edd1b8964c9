import type { Clock, Timer } from '../../base/clock/index.ts';

/**
 * Interval, in milliseconds, at which a waiting reader requests the store's revision: writes of other
 * resources may have advanced it.
 */
const POLL_MS = 100;

interface Waiting {
  readonly revision: number;
  readonly settle: (reached: boolean) => void;
}

/** Set of readers that wait until the cache has reached a revision. */
export class Arrivals {
  readonly #clock: Clock;
  readonly #revision: () => number;
  readonly #progress: () => Promise<void>;
  readonly #waiting = new Set<Waiting>();

  /**
   * Creates an empty set. `progress` requests the store's revision; its failures are ignored, as the next
   * poll repeats it.
   */
  constructor(clock: Clock, revision: () => number, progress: () => Promise<void>) {
    this.#clock = clock;
    this.#revision = revision;
    this.#progress = progress;
  }

  async reached(revision: number, timeoutMs: number): Promise<boolean> {
    if (this.#revision() >= revision) return true;
    await this.#query();
    if (this.#revision() >= revision) return true;
    return timeoutMs > 0 && this.#wait(revision, timeoutMs);
  }

  /** Ends the waits that are satisfied. Must be called whenever the cache may have advanced. */
  check(): void {
    if (this.#waiting.size === 0) return;
    const revision = this.#revision();
    const waiting = [...this.#waiting];
    for (const each of waiting) if (each.revision <= revision) each.settle(true);
  }

  /** Ends all waits, because no revision will arrive any more. */
  abandon(): void {
    const waiting = [...this.#waiting];
    for (const each of waiting) each.settle(false);
  }

  #query(): Promise<void> {
    return this.#progress().catch(() => undefined);
  }

  #wait(revision: number, timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      let timer: Timer | undefined;
      const settle = (reached: boolean): void => {
        this.#clock.clearTimeout(timer);
        this.#clock.clearTimeout(deadline);
        if (this.#waiting.delete(waiting)) resolve(reached);
      };
      const waiting: Waiting = { revision, settle };
      const poll = (): void => {
        timer = this.#clock.setTimeout(() => {
          void this.#query().then(() => {
            this.check();
            if (this.#waiting.has(waiting)) poll();
          });
        }, POLL_MS);
      };
      this.#waiting.add(waiting);
      const deadline = this.#clock.setTimeout(() => settle(false), timeoutMs);
      poll();
    });
  }
}
