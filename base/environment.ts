import type { Clock } from './clock/clock.ts';
import type { Logger } from './log/logger.ts';
import type { Random } from './random/random.ts';

/**
 * Dependencies that a component receives instead of using globals. With a simulated clock and seeded
 * randomness, the whole system runs deterministically in one thread.
 */
export interface Environment {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}
