import type { Clock, Timer } from '../../base/clock/index.ts';
import type { Random } from '../../base/random/index.ts';
import type { SharedInformer } from './shared-informer.ts';

/** Shortest time between two probes in milliseconds; the actual time is up to twice as long, at random. */
const LOOK_MS = 2_000;

/**
 * Lets the informers of a process reconnect soon after an outage. Each informer alone backs off up to a
 * minute. While any of them waits for an unreachable server, one of them probes it every few seconds. As soon
 * as one is answered, all retry.
 */
export interface ReturnWatch {
  /** Called when an informer starts to wait for an unreachable server. */
  lost(): void;
  /** Called when the server has answered any informer. */
  answered(): void;
  stop(): void;
}

/** Options of `createReturnWatch`. */
export interface ReturnWatchOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly informers: () => readonly Pick<SharedInformer<never>, 'unreachable' | 'retry'>[];
}

/** Creates the probe of one process; idle until `lost` is called. */
export function createReturnWatch({ clock, random, informers }: ReturnWatchOptions): ReturnWatch {
  let timer: Timer | undefined;
  let isStopped = false;
  const waiting = () => informers().filter(({ unreachable }) => unreachable);
  const disarm = (): void => {
    clock.clearTimeout(timer);
    timer = undefined;
  };
  const look = (): void => {
    timer = undefined;
    const all = waiting();
    if (all.length === 0) return;
    lost();
    all[random.int(all.length)]?.retry();
  };
  const lost = (): void => {
    if (!isStopped) timer ??= clock.setTimeout(look, LOOK_MS * (1 + random.next()));
  };
  return {
    lost,
    answered() {
      if (timer === undefined) return;
      disarm();
      for (const informer of waiting()) informer.retry();
    },
    stop() {
      isStopped = true;
      disarm();
    },
  };
}
