import type { Clock } from './clock.ts';

/**
 * Returns `clock` with a wall clock that is shifted by `offsetMs()`, which is evaluated at each reading.
 * Timers and the monotonic clock are unchanged, as if the machine's time were set.
 */
export const withWallOffset = (clock: Clock, offsetMs: () => number): Clock => ({
  ...clock,
  now: () => clock.now() + offsetMs(),
});
