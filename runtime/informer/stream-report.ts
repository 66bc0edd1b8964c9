import type { Clock, Timer } from '../../base/clock/index.ts';
import type { ReflectorEvent } from '../../machines/informer/reflector.ts';

/** Options of `createStreamReport`. */
export interface StreamReportOptions {
  readonly clock: Clock;
  /** Idle timeout in milliseconds of a watch that has received a bookmark. */
  readonly silenceMs: number;
  /** Idle timeout in milliseconds before the first bookmark. */
  readonly quietServerMs: number;
  /** True if an earlier watch of the informer received bookmarks. */
  readonly bookmarks: boolean;
  readonly send: (event: ReflectorEvent) => void;
}

/**
 * Reports one watch to its reflector: the first event at once, the last version when the watch ends, and the
 * idle timeout.
 *
 * A transition of the machine costs about a hundred times as much as storing an event. So an event whose
 * version matters only at the end causes no transition.
 */
export interface StreamReport {
  /** Called with the version of each event; `bookmark` is true for a BOOKMARK event. */
  observed(version: string, bookmark: boolean): void;
  /** Sends the last version and then `event`. Later calls are ignored. */
  end(event: ReflectorEvent): void;
  /** Ends the report without sending anything. */
  drop(): void;
}

/** Creates a report and starts its idle timeout. */
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
  /** Checks the idle time at the earliest possible timeout, instead of arming a timer for every event. */
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
