import type { Clock, Timer } from '../../base/clock/clock.ts';
import type { Random } from '../../base/random/random.ts';
import type { SharedInformer } from './shared-informer.ts';

/** Shortest wait between two looks, milliseconds; up to twice as long is drawn. */
const LOOK_MS = 2_000;

/**
 * Brings the informers of a process back soon after a server that could not be reached. Each for itself waits longer after
 * every try, in the end a minute. So while any of them waits for that, one of them tries every few seconds; and as soon
 * as one is answered all do.
 */
export interface ReturnWatch {
  /** An informer waits for a server that it could not reach. */
  lost(): void;
  /** The server has answered one of them. */
  answered(): void;
  stop(): void;
}

export interface ReturnWatchOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly informers: () => readonly Pick<SharedInformer<never>, 'unreachable' | 'retry'>[];
}

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
