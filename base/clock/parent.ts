/**
 * Environment variable by which a parent process announces that it controls the wall clock of the child. Its
 * value is the initial offset in whole milliseconds.
 */
export const CLOCK_FROM_PARENT = 'CLOCK_FROM_PARENT';

/**
 * Message from the parent to a child with the new offset of the child's wall clock. The child sends the same
 * message back once the offset is applied.
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
