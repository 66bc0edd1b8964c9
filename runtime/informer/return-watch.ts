import type { Clock, Timer } from '../../base/clock/index.ts';
import type { Logger } from '../../base/log/index.ts';
import type { Random } from '../../base/random/index.ts';
import type { SharedInformer } from './informer-contract.ts';

/** Minimum time between two probes in milliseconds. The actual time is random, up to twice as long. */
const PROBE_MS = 2_000;
/** Minimum time between two log lines of one outage, in milliseconds. */
const LOG_MS = 60_000;

/**
 * Detector of the end of an outage, so that the informers of a process reconnect soon. Each informer backs
 * off up to a minute. While informers wait for an unreachable server, one of them retries every few seconds.
 * All informers retry when the server responds to one of them. An outage is logged once a minute for all
 * informers.
 */
export interface ReturnWatch {
  /** Notes that an informer waits for an unreachable server, with the message of its error. */
  lost(err: string): void;
  /** Notes that the server has responded to an informer. */
  answered(): void;
  stop(): void;
}

/** Options of `createReturnWatch`. */
export interface ReturnWatchOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly informers: () => readonly Pick<SharedInformer<never>, 'unreachable' | 'retry'>[];
}

/** Creates the detector of one process. It is idle until `lost` is called. */
export function createReturnWatch({ clock, random, log, informers }: ReturnWatchOptions): ReturnWatch {
  let timer: Timer | undefined;
  let isStopped = false;
  let outage: { readonly sinceMs: number; loggedMs: number } | undefined;
  const waiting = () => informers().filter(({ unreachable }) => unreachable);
  const disarm = (): void => {
    clock.clearTimeout(timer);
    timer = undefined;
  };
  const probe = (): void => {
    timer = undefined;
    const all = waiting();
    if (all.length === 0) return;
    arm();
    all[random.int(all.length)]?.retry();
  };
  const arm = (): void => {
    timer ??= clock.setTimeout(probe, PROBE_MS * (1 + random.next()));
  };
  const logOutage = (err: string): void => {
    const nowMs = clock.monotonic();
    outage ??= { sinceMs: nowMs, loggedMs: -Infinity };
    if (nowMs - outage.loggedMs < LOG_MS) return;
    outage.loggedMs = nowMs;
    log.warn(
      { err, downMs: Math.round(nowMs - outage.sinceMs) },
      'API server is unreachable; informers retry',
    );
  };
  return {
    lost(err) {
      if (isStopped) return;
      logOutage(err);
      arm();
    },
    answered() {
      if (outage !== undefined)
        log.info({ downMs: Math.round(clock.monotonic() - outage.sinceMs) }, 'API server responds again');
      outage = undefined;
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
