/** Length of a bucket, in milliseconds. */
export const BUCKET_MS = 5_000;
const BUCKETS = 60;

/** A running total, and its increments in the last five minutes in buckets of five seconds. */
export class Tally {
  total = 0;
  readonly #sums = new Float64Array(BUCKETS);
  /** Index of the newest bucket, counted from the epoch. */
  #newest = 0;

  /** Adds to the total and to the bucket of `atMs`, which may be older than the newest bucket. */
  add(atMs: number, by = 1): void {
    this.total += by;
    const number = Math.floor(atMs / BUCKET_MS);
    this.#advance(number);
    if (number <= this.#newest - BUCKETS) return;
    const slot = number % BUCKETS;
    this.#sums[slot] = (this.#sums[slot] ?? 0) + by;
  }

  /**
   * Returns the sum of the last `windowMs` before `nowMs`, rounded up to buckets. For `Infinity`, returns the
   * total.
   */
  within(nowMs: number, windowMs: number): number {
    if (windowMs === Number.POSITIVE_INFINITY) return this.total;
    const buckets = this.series(nowMs);
    return buckets.slice(BUCKETS - Math.ceil(windowMs / BUCKET_MS)).reduce((sum, each) => sum + each, 0);
  }

  /** Returns the 60 buckets up to the one of `nowMs`, oldest first. */
  series(nowMs: number): readonly number[] {
    const last = Math.max(this.#newest, Math.floor(nowMs / BUCKET_MS));
    return Array.from({ length: BUCKETS }, (_, at) => {
      const number = last - BUCKETS + 1 + at;
      return number > this.#newest || number <= this.#newest - BUCKETS
        ? 0
        : (this.#sums[number % BUCKETS] ?? 0);
    });
  }

  #advance(number: number): void {
    if (number <= this.#newest) return;
    const expired = Math.min(BUCKETS, number - this.#newest);
    for (let at = 1; at <= expired; at++) this.#sums[(this.#newest + at) % BUCKETS] = 0;
    this.#newest = number;
  }
}
