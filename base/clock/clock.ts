/** A pending timer. Opaque; only `Clock.clearTimeout` takes it. */
export interface Timer {
  readonly dueMs: number;
}

/**
 * Time as a dependency. Nothing outside `base/` reads the system clock or sets a timer.
 *
 * `monotonic()` never goes back; `now()` may, when the clock is set or a simulation jumps. A delay of any
 * length fires once and never early, also above 2^31-1 ms.
 */
export interface Clock {
  /** Wall time in milliseconds since the epoch. */
  now(): number;
  /** Milliseconds on a clock that never goes back, from an arbitrary start. */
  monotonic(): number;
  /** Calls `run` once after `delayMs` milliseconds (at least 0) on the monotonic clock. */
  setTimeout(run: () => void, delayMs: number): Timer;
  /** Cancels a timer; no effect if it has fired or was cancelled. */
  clearTimeout(timer: Timer | undefined): void;
}

/** Resolves after `ms` milliseconds on `clock`; rejects with the signal's reason as soon as it aborts. */
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
 * Formats a time as RFC 3339 in UTC with whole seconds, like `metav1.Time`. The text of a second is cached.
 */
export function toTime(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds !== lastSecond.seconds)
    lastSecond = { seconds, text: new Date(seconds * 1000).toISOString().replace('.000Z', 'Z') };
  return lastSecond.text;
}

/** Formats a time as RFC 3339 in UTC with microseconds, like `metav1.MicroTime`. */
export const toMicroTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');

/** Parses an RFC 3339 timestamp to milliseconds since the epoch; undefined for any other text. */
export function fromTime(text: string | undefined | null): number | undefined {
  if (typeof text !== 'string') return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
