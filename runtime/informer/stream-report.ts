import type { Clock, Timer } from '../../base/clock/index.ts';
import type { ReflectorEvent } from '../../machines/informer/reflector.ts';

/** Options of `createStreamReport`. */
export interface StreamReportOptions {
  readonly clock: Clock;
  /** Idle timeout of a watch with bookmarks, in milliseconds. */
  readonly silenceMs: number;
  /** Idle timeout until the first bookmark, in milliseconds. */
  readonly quietServerMs: number;
  /** True if an earlier watch received bookmarks. */
  readonly bookmarks: boolean;
  readonly send: (event: ReflectorEvent) => void;
}

/**
 * Reports one watch to its reflector: its first event at once, its last version when it ends, and an idle
 * timeout.
 *
 * A machine transition costs about a hundred times as much as storing an event. So events that only matter
 * for the end cause none.
 */
export interface StreamReport {
  /** Called with the version of each event. */
  observed(version: string, bookmark: boolean): void;
  /** Reports the last version, then the end. Later calls are ignored. */
  end(event: ReflectorEvent): void;
  /** Ends without a report. */
  drop(): void;
}

/** Creates a report; the idle timeout starts now. */
export function createStreamReport(options: StreamReportOptions): StreamReport {
  const { clock, silenceMs, quietServerMs, send } = options;
  let { bookmarks } = options;
  let lastEventMs = clock.monotonic();
  let hasEvent = false;
  let newest: string | undefined;
  let timer: Timer | undefined;
  let ended = false;

  const drop = (): void => {
    ended = true;
    clock.clearTimeout(timer);
  };
  const end = (event: ReflectorEvent): void => {
    if (ended) return;
    drop();
    if (newest !== undefined) send({ type: 'stream.heard', version: newest });
    send(event);
  };
  /** Checks the idle time at its earliest possible end, instead of arming a timer for every event. */
  const checkIdle = (): void => {
    const leftMs = lastEventMs + (bookmarks ? silenceMs : quietServerMs) - clock.monotonic();
    if (leftMs > 0) timer = clock.setTimeout(checkIdle, leftMs);
    else end({ type: 'stream.silent' });
  };
  checkIdle();
  return {
    observed(version, bookmark) {
      if (ended) return;
      lastEventMs = clock.monotonic();
      if (hasEvent) newest = version;
      else send({ type: 'stream.heard', version });
      hasEvent = true;
      if (!bookmark || bookmarks) return;
      bookmarks = true;
      clock.clearTimeout(timer);
      checkIdle();
    },
    end,
    drop,
  };
}
