import type { Clock, Timer } from '../../base/clock/index.ts';

/**
 * Repeated calls of `look`, one call at a time. The next call follows after the time that `look` returns, at
 * an earlier time requested by `within`, or after `longestMs`, whichever comes first.
 */
export class Poll {
  readonly #clock: Clock;
  readonly #longestMs: number;
  readonly #look: () => Promise<number>;
  #timer: Timer | undefined;
  #dueMs = Infinity;
  #ended = false;

  /** @param look returns the milliseconds until its next call; must not reject */
  constructor(clock: Clock, longestMs: number, look: () => Promise<number>) {
    this.#clock = clock;
    this.#longestMs = longestMs;
    this.#look = look;
  }

  /** Moves the next call to `ms` milliseconds from now, unless it is due earlier. */
  within(ms: number): void {
    const dueMs = this.#clock.monotonic() + Math.min(ms, this.#longestMs);
    if (this.#ended || dueMs >= this.#dueMs) return;
    this.#clock.clearTimeout(this.#timer);
    this.#dueMs = dueMs;
    this.#timer = this.#clock.setTimeout(() => {
      this.#dueMs = Infinity;
      void this.#look().then((nextMs) => this.within(nextMs));
    }, dueMs - this.#clock.monotonic());
  }

  stop(): void {
    this.#ended = true;
    this.#clock.clearTimeout(this.#timer);
  }
}
