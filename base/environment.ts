import type { Clock } from './clock/clock.ts';
import type { Logger } from './log/logger.ts';
import type { Random } from './random/random.ts';

/**
 * What a component gets from outside instead of reaching for it. With a simulated clock and seeded randomness the
 * whole system runs in one thread on virtual time, the same way each time.
 */
export interface Environment {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}
