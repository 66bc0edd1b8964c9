import type { Clock, Timer } from '../../base/clock/index.ts';

/** XState's clock interface, so that its delayed transitions use our clock and virtual time. */
export interface XStateClock {
  setTimeout(run: (...args: unknown[]) => void, timeoutMs: number): Timer;
  clearTimeout(timer: Timer | undefined): void;
}

/** Adapts a clock to XState's interface. */
export const toXStateClock = (clock: Clock): XStateClock => ({
  setTimeout: (run, timeoutMs) => clock.setTimeout(run, timeoutMs),
  clearTimeout: (timer) => clock.clearTimeout(timer),
});
