import type { Clock } from './clock.ts';
import { withWallOffset } from './offset.ts';
import { createSystemClock } from './system.ts';

/** Environment variable, set to 1 by a parent that sets the wall clocks of its children. */
export const CLOCK_FROM_PARENT = 'CLOCK_FROM_PARENT';

/** What such a parent says over the channel to a child: how far its wall clock is off from now on. */
export interface ClockMessage {
  readonly clockOffsetMs: number;
}

/** The machine's clock, or where a parent sets it that one. A child whose parent is gone ends. */
export function createProcessClock(): Clock {
  if (process.env[CLOCK_FROM_PARENT] !== '1') return createSystemClock();
  let offsetMs = 0;
  process.on('message', (said: Partial<ClockMessage> | null) => {
    if (typeof said?.clockOffsetMs === 'number') offsetMs = said.clockOffsetMs;
  });
  process.once('disconnect', () => process.exit(130));
  return withWallOffset(createSystemClock(), () => offsetMs);
}
