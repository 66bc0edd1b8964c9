/** Pending timer. Opaque; only `Clock.clearTimeout` accepts it. */
export interface Timer {
  readonly dueMs: number;
}

/**
 * Time as a dependency. No code outside `base/` reads the system clock or sets a timer.
 *
 * `monotonic()` never decreases. `now()` may, if the machine's clock is set or a simulation jumps. A delay of
 * any length, even above 2^31-1 ms, elapses once and never early.
 */
export interface Clock {
  /** Returns the wall-clock time in milliseconds since the epoch. */
  now(): number;
  /** Returns milliseconds since an arbitrary start; never decreases. */
  monotonic(): number;
  /** Calls `run` once after `delayMs` milliseconds on the monotonic clock. A negative delay counts as 0. */
  setTimeout(run: () => void, delayMs: number): Timer;
  /** Cancels a timer. Has no effect if the timer has fired or was cancelled. */
  clearTimeout(timer: Timer | undefined): void;
}

/**
 * Resolves after `ms` milliseconds on `clock`. Rejects with the reason of the signal as soon as the signal
 * aborts.
 */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => {
      clock.clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = clock.setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

let lastSecond = { seconds: Number.NaN, text: '' };

/**
 * Formats a time as RFC 3339 in UTC with whole seconds, like `metav1.Time`. The text of the last second is
 * cached.
 */
export function toTime(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds !== lastSecond.seconds)
    lastSecond = { seconds, text: new Date(seconds * 1000).toISOString().replace('.000Z', 'Z') };
  return lastSecond.text;
}

/** Formats a time as RFC 3339 in UTC with microseconds, like `metav1.MicroTime`. */
export const toMicroTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');

/** Parses an RFC 3339 timestamp to milliseconds since the epoch. Returns undefined for any other text. */
export function fromTime(text: string | undefined | null): number | undefined {
  if (typeof text !== 'string') return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
