import { backoffMs } from '../../base/clock/index.ts';
import type { Random } from '../../base/random/index.ts';
import type { WorkQueueOptions } from './work-queue.ts';

/**
 * Counter of the retries of each key. Computes the delay before the next retry, like client-go's item rate
 * limiter.
 */
export interface Retries {
  /** Counts a retry and returns the delay before it, in milliseconds. */
  next(key: string): number;
  /** Merges a count received from another process; the higher count wins. */
  learn(key: string, retries: number): void;
  /** Returns the number of retries since the last `forget`. */
  of(key: string): number;
  forget(key: string): void;
}

export function createRetries(random: Random, options: WorkQueueOptions = {}): Retries {
  const counts = new Map<string, number>();
  const { baseDelayMs = 5, maxDelayMs = 1_000_000 } = options;
  return {
    next(key) {
      const retries = (counts.get(key) ?? 0) + 1;
      counts.set(key, retries);
      return backoffMs(retries, random, { baseMs: baseDelayMs, maxMs: maxDelayMs });
    },
    learn(key, retries) {
      if (retries > (counts.get(key) ?? 0)) counts.set(key, retries);
    },
    of: (key) => counts.get(key) ?? 0,
    forget: (key) => void counts.delete(key),
  };
}
