import { onAbort } from '../../base/async/index.ts';
import type { Clock, Timer } from '../../base/clock/index.ts';

/**
 * Rate limit that serves requests in order of arrival: `burst` requests at once, `qps` per second in the long
 * run.
 */
export interface TokenBucket {
  /** Takes a token and returns true, or returns false if no token is available. */
  takeNow(): boolean;
  /** Takes a token once one is available. Rejects with the signal's reason. */
  take(signal?: AbortSignal): Promise<void>;
}

/** Token bucket without a limit. */
export const unlimited: TokenBucket = { takeNow: () => true, take: () => Promise.resolve() };

/** Creates a token bucket that starts with `burst` tokens. */
export function createTokenBucket(options: { clock: Clock; qps: number; burst: number }): TokenBucket {
  const { clock, qps, burst } = options;
  const waiting = new Set<() => void>();
  let tokens = burst;
  let filledAtMs = clock.monotonic();
  let timer: Timer | undefined;

  const fill = (): void => {
    const nowMs = clock.monotonic();
    tokens = Math.min(burst, tokens + ((nowMs - filledAtMs) * qps) / 1000);
    filledAtMs = nowMs;
  };
  const arm = (): void => {
    if (timer !== undefined || waiting.size === 0) return;
    timer = clock.setTimeout(serve, Math.max(0, ((1 - tokens) * 1000) / qps));
  };
  const serve = (): void => {
    timer = undefined;
    fill();
    for (const go of waiting) {
      // A timer at the exact due time may compute 0.9999999 tokens, hence the tolerance.
      if (tokens < 1 - 1e-6) break;
      tokens = Math.max(0, tokens - 1);
      waiting.delete(go);
      go();
    }
    arm();
  };

  const takeNow = (): boolean => {
    fill();
    if (waiting.size > 0 || tokens < 1) return false;
    tokens -= 1;
    return true;
  };

  return {
    takeNow,
    take: (signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        let release = (): void => {};
        const go = (): void => {
          release();
          resolve();
        };
        if (takeNow()) return resolve();
        waiting.add(go);
        if (signal !== undefined)
          release = onAbort(signal, () => {
            waiting.delete(go);
            reject(signal.reason);
          });
        arm();
      }),
  };
}
