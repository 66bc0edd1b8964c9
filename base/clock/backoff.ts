import type { Random } from '../random/random.ts';

/** Options of `backoffMs`. */
export interface BackoffOptions {
  /** First delay in milliseconds. The default is 200. */
  readonly baseMs?: number;
  /** Maximum delay in milliseconds. The default is 30,000. */
  readonly maxMs?: number;
  /** Factor between one delay and the next. The default is 2. */
  readonly factor?: number;
  /** Maximum random addition to a delay, as a share of the delay from 0 to 1. The default is 0.1. */
  readonly jitter?: number;
}

/**
 * Returns the delay before a retry in milliseconds.
 * @param attempt number of the retry, starting at 1
 */
export function backoffMs(attempt: number, random: Random, options: BackoffOptions = {}): number {
  const { baseMs = 200, maxMs = 30_000, factor = 2, jitter = 0.1 } = options;
  const delay = Math.min(maxMs, baseMs * factor ** Math.max(0, attempt - 1));
  return delay + delay * jitter * random.next();
}
