import type { Clock, Timer } from '../../base/clock/clock.ts';
import type { Lifetime } from '../../base/lifetime/lifetimes.ts';

export interface ClockJumpsOptions {
  readonly clock: Clock;
  /** Has the server say its time. Called when the own clock was set, or the machine slept: nobody may ask it anything for long. */
  readonly ask: () => void;
  /** Called after a jump, and once for all that come within a minute of the last time. */
  readonly heal: () => void;
}

/** What hears that the time of the server has jumped; from `stop` on nothing comes of it. */
export interface ClockJumps extends Lifetime {
  jumped(): void;
}

/** Least time between two, milliseconds: servers behind one address whose clocks differ would bring one after the other. */
const PAUSE_MS = 60_000;
/** How often the own clock is looked at, and how much of a change is none, milliseconds. */
const LOOK_MS = 10_000;
const SLIGHT_MS = 30_000;

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
    looks = clock.setTimeout(() => look(aheadMs), LOOK_MS);
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
