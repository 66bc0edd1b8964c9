/** A pending timer. Opaque; only `Clock.clearTimeout` takes it. */
export interface Timer {
  readonly dueMs: number;
}

/**
 * Time as a value that is handed in. Nothing outside `base/` reads the wall clock or sets a timer.
 *
 * Guarantees: `monotonic()` never goes back, `now()` may (a person sets the clock, a simulation jumps it).
 * A delay of any length fires once and never early; delays past 2^31-1 ms are honoured.
 */
export interface Clock {
  /** Wall time in milliseconds since the epoch. */
  now(): number;
  /** Milliseconds on a clock that never goes back; its zero has no meaning. */
  monotonic(): number;
  /** Calls `run` once, `delayMs` (at least 0) from now on the monotonic clock. */
  setTimeout(run: () => void, delayMs: number): Timer;
  /** Cancels; no effect on a timer that has fired or been cancelled. */
  clearTimeout(timer: Timer | undefined): void;
}

/** Resolves after `ms` on `clock`; rejects with the signal's reason as soon as `signal` aborts. */
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

/** RFC 3339 with seconds, in UTC: how `metav1.Time` is written. Within one second the text is made once. */
export function toTime(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds !== lastSecond.seconds)
    lastSecond = { seconds, text: new Date(seconds * 1000).toISOString().replace('.000Z', 'Z') };
  return lastSecond.text;
}

/** RFC 3339 with microseconds, in UTC: how `metav1.MicroTime` is written. */
export const toMicroTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');

/** Milliseconds since the epoch of an RFC 3339 timestamp, or undefined when it is none. */
export function fromTime(text: string | undefined | null): number | undefined {
  if (typeof text !== 'string') return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
