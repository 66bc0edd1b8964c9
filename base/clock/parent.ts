/**
 * Environment variable set by a parent process that controls its children's wall clocks: the initial offset
 * in whole milliseconds.
 */
export const CLOCK_FROM_PARENT = 'CLOCK_FROM_PARENT';

/**
 * Message of such a parent to a child: the new offset of its wall clock. The child returns the message once
 * it is applied.
 */
export interface ClockMessage {
  readonly clockOffsetMs: number;
}

/** True for a `ClockMessage`. */
export const isClockMessage = (said: unknown): said is ClockMessage =>
  typeof said === 'object' &&
  said !== null &&
  'clockOffsetMs' in said &&
  typeof said.clockOffsetMs === 'number';
