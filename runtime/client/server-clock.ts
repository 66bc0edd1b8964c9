import type { Clock } from '../../base/clock/clock.ts';

/** The time by the API server, as far as its answers tell (`Date`, RFC 9110, section 6.6.1). */
export interface ServerClock extends Pick<Clock, 'now'> {
  /**
   * Milliseconds since the epoch. The own clock's time as long as no answer contradicts it; from then on what the answers
   * say, carried on by the monotonic clock: it may be late by a second and the time an answer takes, and is ahead by 2 s at
   * most. It does not follow when somebody sets the own clock.
   */
  now(): number;
  /** Learns from an answer that has just arrived. `sentMs`: when it was asked for, on the monotonic clock. */
  heard(date: string | undefined, sentMs: number): void;
}

/** `Date` has whole seconds. */
const RESOLUTION_MS = 1_000;
/** An answer that took longer says too little to confirm the own clock. */
const QUICK_MS = 1_000;

/** A smaller difference than this delays nothing that waits for a time by more. */
const JUMP_MS = 60_000;

/**
 * One may serve several clients of one API server. `onJump` is told when an answer shows that the server's time is a minute
 * or more away from what the answers before it said: its clock was set, or the own machine slept. Timers that were set
 * for a time of the server are wrong then.
 */
export function createServerClock(clock: Clock, onJump: () => void = () => {}): ServerClock {
  /** How far the server's clock is ahead of the monotonic one; undefined before the first dated answer. */
  let offsetMs: number | undefined;
  /** Read once, while many answers bear the same. */
  let read = { date: '', ms: Number.NaN };
  return {
    now: () => (offsetMs === undefined ? clock.now() : Math.floor(clock.monotonic() + offsetMs)),
    heard(date, sentMs) {
      if (date === undefined) return;
      if (date !== read.date) read = { date, ms: Date.parse(date) };
      const dateMs = read.ms;
      if (Number.isNaN(dateMs)) return;
      const receivedMs = clock.monotonic();
      // The answer was dated after it was asked for and before it arrived.
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
