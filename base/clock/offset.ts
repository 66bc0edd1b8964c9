import type { Clock } from './clock.ts';

/**
 * Returns `clock` with a wall clock that is off by `offsetMs()`, evaluated at each reading. Timers and the
 * monotonic clock are unchanged, as when the machine's time is set.
 */
export const withWallOffset = (clock: Clock, offsetMs: () => number): Clock => ({
  ...clock,
  now: () => clock.now() + offsetMs(),
});
