import type { Clock, Timer } from '../../base/clock/index.ts';
import type { Lifetime } from '../../base/lifetime/index.ts';

/** Options of `createClockJumps`. */
export interface ClockJumpsOptions {
  readonly clock: Clock;
  /**
   * Requests the server's time. Called when the local clock was set or the machine slept, because the next
   * request may be much later.
   */
  readonly ask: () => void;
  /** Called after a jump, at most once a minute. */
  readonly heal: () => void;
}

/** Reaction to jumps of the server's clock. Jumps after `stop` are ignored. */
export interface ClockJumps extends Lifetime {
  /** Called when the server's clock has jumped. */
  jumped(): void;
}

/**
 * Minimum time between two calls of `heal`, in milliseconds. Several servers with different clocks behind one
 * address would otherwise cause a call for each response.
 */
const PAUSE_MS = 60_000;
/** Interval in milliseconds at which the local clock is checked. */
const CHECK_MS = 10_000;
/** Minimum change of the local clock between two checks that is not ignored, in milliseconds. */
const SLIGHT_MS = 30_000;

/** Creates the detector of clock jumps. */
export function createClockJumps({ clock, ask, heal }: ClockJumpsOptions): ClockJumps {
  let lastMs = -Infinity;
  let waits: Timer | undefined;
  let looks: Timer | undefined;
  let stopped = false;
  const run = (): void => {
    waits = undefined;
    lastMs = clock.monotonic();
    heal();
  };
  const look = (beforeMs: number): void => {
    const aheadMs = clock.now() - clock.monotonic();
    if (Math.abs(aheadMs - beforeMs) >= SLIGHT_MS) ask();
    looks = clock.setTimeout(() => look(aheadMs), CHECK_MS);
  };
  return {
    name: 'clock jumps',
    async start() {
      look(clock.now() - clock.monotonic());
    },
    async stop() {
      stopped = true;
      clock.clearTimeout(waits);
      clock.clearTimeout(looks);
    },
    jumped() {
      if (!stopped) waits ??= clock.setTimeout(run, Math.max(0, lastMs + PAUSE_MS - clock.monotonic()));
    },
  };
}
