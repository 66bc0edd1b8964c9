import type { Clock, Timer } from '../../base/clock/clock.ts';

/** The clock as XState takes it: its delayed transitions run on ours, virtual time included. */
export interface XStateClock {
  setTimeout(run: (...args: unknown[]) => void, timeoutMs: number): Timer;
  clearTimeout(timer: Timer | undefined): void;
}

export const toXStateClock = (clock: Clock): XStateClock => ({
  setTimeout: (run, timeoutMs) => clock.setTimeout(run, timeoutMs),
  clearTimeout: (timer) => clock.clearTimeout(timer),
});
