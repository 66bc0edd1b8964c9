import type { Random } from '../random/random.ts';

export interface BackoffOptions {
  /** First delay, milliseconds. Default 200. */
  readonly baseMs?: number;
  /** No delay is longer, milliseconds. Default 30 000. */
  readonly maxMs?: number;
  /** Growth from one delay to the next. Default 2. */
  readonly factor?: number;
  /** Share of the delay that is drawn at random and added, 0 to 1. Default 0.1. */
  readonly jitter?: number;
}

/** The delay before try number `attempt` (1 is the first retry). */
export function backoffMs(attempt: number, random: Random, options: BackoffOptions = {}): number {
  const { baseMs = 200, maxMs = 30_000, factor = 2, jitter = 0.1 } = options;
  const delay = Math.min(maxMs, baseMs * factor ** Math.max(0, attempt - 1));
  return delay + delay * jitter * random.next();
}
