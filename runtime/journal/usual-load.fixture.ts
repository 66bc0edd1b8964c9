import { createReconcileWriter, type WrittenReconcile } from './history.fixture.ts';
import type { JournalEntry } from './entry.ts';

/** Load of a cluster on its journal. */
export interface UsualLoad {
  /** Keys that are reconciled a few times a day. */
  readonly quietKeys: number;
  /** Keys that are reconciled every minute; every tenth minute they create an object. */
  readonly minuteKeys: number;
  /** Keys that fail several times a second. */
  readonly noisyKeys: number;
  /** Reconciles a second of a noisy key. */
  readonly noise: number;
  /** Interval of the minutes in which the noisy keys fail. Default 1: they fail all the time. */
  readonly noisyEveryMinutes?: number;
}

/** The usual load: 2,000 keys, 200 of them reconciled every minute, five of them failing ten times a second. */
export const usualLoad: UsualLoad = { quietKeys: 1_795, minuteKeys: 200, noisyKeys: 5, noise: 10 };

const SECONDS_PER_HOUR = 3_600;

/** Passes the entries of a load to `add`, in order of time. The state of a minute key changes every hour. */
export function writeLoad(load: UsualLoad, hours: number, add: (entry: JournalEntry) => void): void {
  const writer = createReconcileWriter();
  const write = (reconcile: WrittenReconcile): void => writer.write(reconcile).forEach(add);
  for (let second = 0; second < hours * SECONDS_PER_HOUR; second++) {
    writer.atMs = second * 1_000;
    const [minute, hour] = [Math.floor(second / 60), Math.floor(second / SECONDS_PER_HOUR)];
    for (let n = second % 60; n < load.minuteKeys; n += 60)
      write({
        key: `team/minute-${n}`,
        state: `waiting-${hour % 7}`,
        ...(minute % 10 === 0 ? { creates: `team/minute-${n}-${minute}` } : {}),
      });
    for (let n = second % 21_600; n < load.quietKeys; n += 21_600)
      write({ key: `team/quiet-${n}`, state: `settled-${hour}` });
    const isNoisy = minute % (load.noisyEveryMinutes ?? 1) === 0;
    for (let n = 0; n < (isNoisy ? load.noisyKeys : 0); n++)
      for (let times = 0; times < load.noise; times++)
        write({
          key: `team/noisy-${n}`,
          outcome: 'failed',
          error: `attempt ${second}: quota of team exceeded`,
          ...(times % 2 === 0 ? { state: 'creating' } : {}),
        });
  }
}
