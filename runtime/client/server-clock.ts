import type { Clock } from '../../base/clock/index.ts';

/** Estimate of the API server's time, derived from the `Date` of its responses (RFC 9110, section 6.6.1). */
export interface ServerClock extends Pick<Clock, 'now'> {
  /**
   * Returns milliseconds since the epoch. The estimate is the local time until a response contradicts it.
   * Then it follows the responses and the monotonic clock, and changes of the local clock have no effect. The
   * estimate is behind the server by at most one second plus the duration of a response, and ahead by at most
   * 2 s.
   */
  now(): number;
  /**
   * Records a response that has just arrived.
   * @param date `Date` header of the response
   * @param sentMs time of the request in milliseconds on the monotonic clock
   */
  observe(date: string | undefined, sentMs: number): void;
}

/** Resolution of the HTTP header `Date`, in milliseconds. */
const RESOLUTION_MS = 1_000;
/**
 * Maximum duration in milliseconds of a response that can confirm the local clock. A slower response is too
 * imprecise.
 */
const QUICK_MS = 1_000;

/**
 * Minimum difference in milliseconds that is reported as a jump. A smaller difference makes timers wrong by
 * less than this.
 */
const JUMP_MS = 60_000;

/**
 * Creates a server clock for all clients of one API server.
 * @param onJump called when the server's time differs by a minute or more from earlier responses, because its
 * clock was set or the local machine slept. Timers for a server time are then wrong.
 */
export function createServerClock(clock: Clock, onJump: () => void = () => {}): ServerClock {
  /**
   * Milliseconds by which the server's clock is ahead of the monotonic clock; undefined before the first
   * dated response.
   */
  let offsetMs: number | undefined;
  /** Last parsed date, cached because many consecutive responses have the same date. */
  let read = { date: '', ms: Number.NaN };
  return {
    now: () => (offsetMs === undefined ? clock.now() : Math.floor(clock.monotonic() + offsetMs)),
    observe(date, sentMs) {
      if (date === undefined) return;
      if (date !== read.date) read = { date, ms: Date.parse(date) };
      const dateMs = read.ms;
      if (Number.isNaN(dateMs)) return;
      const receivedMs = clock.monotonic();
      // The server dated the response between the request and the arrival of the response.
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
