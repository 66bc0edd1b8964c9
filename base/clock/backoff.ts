import type { Random } from '../random/random.ts';

/** Options of `backoffMs`. */
export interface BackoffOptions {
  /** First delay in milliseconds. Default 200. */
  readonly baseMs?: number;
  /** Longest delay in milliseconds. Default 30,000. */
  readonly maxMs?: number;
  /** Growth from one delay to the next. Default 2. */
  readonly factor?: number;
  /** Share of the delay that is added at most, at random, 0 to 1. Default 0.1. */
  readonly jitter?: number;
}

/**
 * Returns the delay before a retry in milliseconds.
 * @param attempt 1 for the first retry
 */
export function backoffMs(attempt: number, random: Random, options: BackoffOptions = {}): number {
  const { baseMs = 200, maxMs = 30_000, factor = 2, jitter = 0.1 } = options;
  const delay = Math.min(maxMs, baseMs * factor ** Math.max(0, attempt - 1));
  return delay + delay * jitter * random.next();
}
