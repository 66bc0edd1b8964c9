import type { Clock, Timer } from '../../base/clock/index.ts';
import type { Random } from '../../base/random/index.ts';
import type { SharedInformer } from './informer-contract.ts';

/** Minimum time between two probes in milliseconds. The actual time is random, up to twice as long. */
const PROBE_MS = 2_000;

/**
 * Detector of the end of an outage, so that the informers of a process reconnect soon. Each informer backs
 * off up to a minute. While informers wait for an unreachable server, one of them retries every few seconds.
 * All informers retry when the server responds to one of them.
 */
export interface ReturnWatch {
  /** Notes that an informer waits for an unreachable server. */
  lost(): void;
  /** Notes that the server has responded to an informer. */
  answered(): void;
  stop(): void;
}

/** Options of `createReturnWatch`. */
export interface ReturnWatchOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly informers: () => readonly Pick<SharedInformer<never>, 'unreachable' | 'retry'>[];
}

/** Creates the detector of one process. It is idle until `lost` is called. */
export function createReturnWatch({ clock, random, informers }: ReturnWatchOptions): ReturnWatch {
  let timer: Timer | undefined;
  let isStopped = false;
  const waiting = () => informers().filter(({ unreachable }) => unreachable);
  const disarm = (): void => {
    clock.clearTimeout(timer);
    timer = undefined;
  };
  const probe = (): void => {
    timer = undefined;
    const all = waiting();
    if (all.length === 0) return;
    lost();
    all[random.int(all.length)]?.retry();
  };
  const lost = (): void => {
    if (!isStopped) timer ??= clock.setTimeout(probe, PROBE_MS * (1 + random.next()));
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
