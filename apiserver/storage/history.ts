import type { Change } from './storage.ts';

/** Change with the version that the store has recorded for it. */
export interface Logged<V> {
  readonly change: Change;
  readonly version: V;
}

/**
 * Committed changes of the recent past, oldest first. Revisions increase but may have gaps: a write that did
 * not reach the disk leaves its revision unused.
 */
export class History<V> {
  readonly #maxCount: number;
  readonly #maxBytes: number;
  #log: (Logged<V> | undefined)[] = [];
  #first = 0;
  /** Number of changes removed from the front of `#log`. Places count from the first change ever. */
  #cut = 0;
  #bytes = 0;

  constructor(limits: { maxCount: number; maxBytes: number }) {
    this.#maxCount = limits.maxCount;
    this.#maxBytes = limits.maxBytes;
  }

  get size(): number {
    return this.#log.length - this.#first;
  }

  /** True if the oldest changes should be dropped. */
  get full(): boolean {
    return this.size > this.#maxCount || (this.#bytes > this.#maxBytes && this.size > 0);
  }

  push(logged: Logged<V>): void {
    this.#log.push(logged);
    this.#bytes += logged.change.value.length;
  }

  oldest(): Logged<V> | undefined {
    return this.#log[this.#first];
  }

  shift(): void {
    const logged = this.#log[this.#first];
    if (!logged) return;
    this.#log[this.#first++] = undefined;
    this.#bytes -= logged.change.value.length;
    if (this.#first < 1_024 || this.#first * 2 < this.#log.length) return;
    this.#log = this.#log.slice(this.#first);
    this.#cut += this.#first;
    this.#first = 0;
  }

  /**
   * Yields the changes after `revision`. A change pushed during the iteration is included, a change dropped
   * during the iteration is skipped.
   */
  *after(revision: number): Generator<Change> {
    for (let place = this.#placeAfter(revision); ; place++) {
      place = Math.max(place, this.#cut + this.#first);
      const logged = this.#log[place - this.#cut];
      if (!logged) return;
      yield logged.change;
    }
  }

  #placeAfter(revision: number): number {
    let low = this.#first;
    let high = this.#log.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#log[middle]?.change.revision ?? 0) > revision) high = middle;
      else low = middle + 1;
    }
    return this.#cut + low;
  }
}
