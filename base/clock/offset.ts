import type { Clock } from './clock.ts';

/**
 * `clock` with a wall clock that is off by `offsetMs()`, asked at each reading. Timers and the monotonic clock are not
 * touched: it is as if somebody had set the machine's time.
 */
export const withWallOffset = (clock: Clock, offsetMs: () => number): Clock => ({
  ...clock,
  now: () => clock.now() + offsetMs(),
});
