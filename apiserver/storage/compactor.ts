import type { Clock, Timer } from '../../base/clock/index.ts';
import { asError } from '../../base/errors/index.ts';
import type { Lifetime } from '../../base/lifetime/index.ts';
import type { Logger } from '../../base/log/index.ts';
import type { Storage } from './storage.ts';

export interface CompactorOptions {
  readonly storage: Pick<Storage, 'revision' | 'compact'>;
  readonly clock: Clock;
  readonly log: Logger;
  /**
   * Milliseconds between two compactions; 0 disables them. The retained history is one to two intervals long.
   */
  readonly intervalMs: number;
}

/**
 * Creates a task that compacts the store at each interval, up to the revision the store had one interval
 * before.
 */
export function createCompactor({ storage, clock, log, intervalMs }: CompactorOptions): Lifetime {
  let timer: Timer | undefined;
  let underway: Promise<void> = Promise.resolve();
  let before: number | undefined;
  const compact = async (): Promise<void> => {
    try {
      const floor = before;
      before = await storage.revision();
      // A store restored from a backup may be at a lower revision than at the previous interval.
      if (floor !== undefined) await storage.compact(Math.min(floor, before));
    } catch (thrown) {
      log.warn({ err: asError(thrown) }, 'the history of the store could not be compacted');
    }
  };
  const arm = (): void => {
    timer = clock.setTimeout(() => {
      arm();
      underway = underway.then(compact);
    }, intervalMs);
  };
  return {
    name: 'compactor',
    async start() {
      if (intervalMs > 0 && timer === undefined) arm();
    },
    async stop() {
      clock.clearTimeout(timer);
      timer = undefined;
      before = undefined;
      await underway;
    },
  };
}
