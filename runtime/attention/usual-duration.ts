/** Number of durations in memory. */
const LATEST = 128;
/** Fewer durations say nothing about what is usual. */
const ENOUGH = 20;
const QUANTILE = 0.95;

/** The last durations of something that normally ends by itself. */
export class UsualDuration {
  readonly #latest: number[] = [];
  #count = 0;
  #longestMs: number | undefined;

  add(ms: number): void {
    this.#latest[this.#count++ % LATEST] = ms;
    this.#longestMs = undefined;
  }

  /** Duration in milliseconds that 95 % did not exceed; 0 while there are too few to say. */
  get longestMs(): number {
    if (this.#latest.length < ENOUGH) return 0;
    // Asked for each object, but changes only with a new duration.
    return (this.#longestMs ??= this.#quantile());
  }

  #quantile(): number {
    const ordered = this.#latest.toSorted((a, b) => a - b);
    return ordered[Math.ceil(QUANTILE * ordered.length) - 1] ?? 0;
  }
}
