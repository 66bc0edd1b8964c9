import type { Clock } from '../../base/clock/index.ts';

/** The API server's time, derived from the `Date` of its responses (RFC 9110, section 6.6.1). */
export interface ServerClock extends Pick<Clock, 'now'> {
  /**
   * Milliseconds since the epoch. It is the local time until a response contradicts it. After that it follows
   * the responses and the monotonic clock. It is behind by at most a second plus the duration of a response,
   * and ahead by at most 2 s. Changes of the local clock have no effect.
   */
  now(): number;
  /**
   * Records a response that has just arrived.
   * @param date its `Date` header
   * @param sentMs time of the request on the monotonic clock
   */
  observe(date: string | undefined, sentMs: number): void;
}

/** Resolution of the HTTP header `Date`, in milliseconds. */
const RESOLUTION_MS = 1_000;
/** A slower response is too imprecise to confirm the local clock. Milliseconds. */
const QUICK_MS = 1_000;

/** Smaller differences delay a timer by less than this, so they need no reaction. Milliseconds. */
const JUMP_MS = 60_000;

/**
 * Creates a clock for all clients of one API server.
 * @param onJump called when the server's time differs by a minute or more from earlier responses. Its clock
 * was set, or the local machine slept. Timers for a server time are wrong then.
 */
export function createServerClock(clock: Clock, onJump: () => void = () => {}): ServerClock {
  /**
   * Milliseconds by which the server's clock is ahead of the monotonic clock; undefined before the first
   * dated response.
   */
  let offsetMs: number | undefined;
  /** Cached, because many responses have the same date. */
  let read = { date: '', ms: Number.NaN };
  return {
    now: () => (offsetMs === undefined ? clock.now() : Math.floor(clock.monotonic() + offsetMs)),
    observe(date, sentMs) {
      if (date === undefined) return;
      if (date !== read.date) read = { date, ms: Date.parse(date) };
      const dateMs = read.ms;
      if (Number.isNaN(dateMs)) return;
      const receivedMs = clock.monotonic();
      // The response was dated between the request and its arrival.
      const leastMs = dateMs - receivedMs;
      const agrees = (ms: number): boolean => ms >= leastMs && ms < dateMs + RESOLUTION_MS - sentMs;
      if (offsetMs !== undefined && agrees(offsetMs)) return;
      const ownMs = clock.now() - receivedMs;
      const beforeMs = offsetMs;
      offsetMs = receivedMs - sentMs < QUICK_MS && agrees(ownMs) ? ownMs : leastMs;
      if (beforeMs !== undefined && Math.abs(offsetMs - beforeMs) >= JUMP_MS) onJump();
    },
  };
}
