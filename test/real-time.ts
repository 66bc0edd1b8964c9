import { createSystemClock } from '../base/clock/system.ts';
import type { Environment } from '../base/environment.ts';
import { silentLogger } from '../base/log/logger.ts';
import { createSystemRandom } from '../base/random/system.ts';

/** Environment of tests that run in real time with another program or process. */
export const environment: Environment = {
  clock: createSystemClock(),
  random: createSystemRandom(),
  log: silentLogger,
};

const { clock } = environment;

export const pause = (ms: number): Promise<void> => new Promise((resolve) => clock.setTimeout(resolve, ms));

/** Waits until `done` returns true. Rejects after a time limit. */
export async function until(done: () => boolean | Promise<boolean>, withinMs = 15_000): Promise<void> {
  const startMs = clock.monotonic();
  while (!(await done())) {
    if (clock.monotonic() - startMs > withinMs)
      throw new Error(`the awaited state was not reached in ${withinMs} ms`);
    await pause(5);
  }
}
