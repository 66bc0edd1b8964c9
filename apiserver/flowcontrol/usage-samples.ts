import type { Histogram } from '../../base/metrics/index.ts';

/** Histograms of a quantity's samples, and of its extremes within each period. */
export interface SampleHistograms {
  readonly samples: Histogram;
  /** Minimum and maximum within a period. */
  readonly low: Histogram;
  readonly high: Histogram;
}

/**
 * Sampler of a changing quantity, as a share of its limit. It records one sample per millisecond, and the
 * extremes within that millisecond. It catches up at each change and when metrics are read, so that it needs
 * no timer.
 */
export class UsageSamples {
  readonly #histograms: SampleHistograms;
  #limit: number;
  #value = 0;
  #ratio = 0;
  #low = 0;
  #high = 0;
  /** Time in whole milliseconds up to which samples are recorded. */
  #tick: number;

  constructor(histograms: SampleHistograms, nowMs: number, limit = 1) {
    this.#histograms = histograms;
    this.#tick = Math.floor(nowMs);
    this.#limit = limit;
  }

  add(change: number, nowMs: number): void {
    this.catchUp(nowMs);
    this.#value += change;
    this.#changed();
  }

  setLimit(limit: number, nowMs: number): void {
    this.catchUp(nowMs);
    this.#limit = limit;
    this.#changed();
  }

  catchUp(nowMs: number): void {
    const tick = Math.floor(nowMs);
    const periods = tick - this.#tick;
    if (periods <= 0) return;
    const { samples, low, high } = this.#histograms;
    samples.observe(this.#ratio, periods);
    low.observe(this.#low);
    high.observe(this.#high);
    low.observe(this.#ratio, periods - 1);
    high.observe(this.#ratio, periods - 1);
    this.#low = this.#high = this.#ratio;
    this.#tick = tick;
  }

  #changed(): void {
    this.#ratio = this.#value / this.#limit;
    if (this.#ratio < this.#low) this.#low = this.#ratio;
    if (this.#ratio > this.#high) this.#high = this.#ratio;
  }
}

/** Maximum value of a quantity within the last whole second, for a gauge that is read occasionally. */
export class HighWaterMark {
  #value = 0;
  #high = 0;
  #published = 0;
  #second: number;

  constructor(nowMs: number) {
    this.#second = Math.floor(nowMs / 1000);
  }

  add(change: number, nowMs: number): void {
    this.#turn(nowMs);
    this.#value += change;
    if (this.#value > this.#high) this.#high = this.#value;
  }

  at(nowMs: number): number {
    this.#turn(nowMs);
    return this.#published;
  }

  #turn(nowMs: number): void {
    const second = Math.floor(nowMs / 1000);
    if (second === this.#second) return;
    // Without changes since that second, the value stayed the same.
    this.#published = second === this.#second + 1 ? this.#high : this.#value;
    this.#high = this.#value;
    this.#second = second;
  }
}
