/** Environment variable, set to 1 by a parent that sets the wall clocks of its children. */
export const CLOCK_FROM_PARENT = 'CLOCK_FROM_PARENT';

/** What such a parent says over the channel to a child: how far its wall clock is off from now on. */
export interface ClockMessage {
  readonly clockOffsetMs: number;
}

export const isClockMessage = (said: unknown): said is ClockMessage =>
  typeof said === 'object' &&
  said !== null &&
  'clockOffsetMs' in said &&
  typeof said.clockOffsetMs === 'number';
