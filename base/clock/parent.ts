/**
 * Environment variable, set by a parent that sets the wall clocks of its children: how far that of the child is off when it
 * starts, whole milliseconds.
 */
export const CLOCK_FROM_PARENT = 'CLOCK_FROM_PARENT';

/**
 * What such a parent says over the channel to a child: how far its wall clock is off from now on. The child says the same
 * once it is so.
 */
export interface ClockMessage {
  readonly clockOffsetMs: number;
}

export const isClockMessage = (said: unknown): said is ClockMessage =>
  typeof said === 'object' &&
  said !== null &&
  'clockOffsetMs' in said &&
  typeof said.clockOffsetMs === 'number';
