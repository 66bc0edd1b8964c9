import type { Clock, Timer } from '../../base/clock/clock.ts';

/** Calls `look` again and again, one call at a time, after the time it gives or the earliest asked for, and `longestMs` at most. */
export class Poll {
  readonly #clock: Clock;
  readonly #longestMs: number;
  readonly #look: () => Promise<number>;
  #timer: Timer | undefined;
  #dueMs = Infinity;
  #ended = false;

  /** `look` must not reject; it gives milliseconds. */
  constructor(clock: Clock, longestMs: number, look: () => Promise<number>) {
    this.#clock = clock;
    this.#longestMs = longestMs;
    this.#look = look;
  }

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
