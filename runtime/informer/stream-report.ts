import type { Clock, Timer } from '../../base/clock/clock.ts';
import type { ReflectorEvent } from '../../machines/informer/reflector.ts';

export interface StreamReportOptions {
  readonly clock: Clock;
  /** Longest silence of a watch that brings bookmarks, milliseconds. */
  readonly silenceMs: number;
  /** The same until a bookmark has come. */
  readonly quietServerMs: number;
  /** Whether bookmarks have come on an earlier watch. */
  readonly bookmarks: boolean;
  readonly send: (event: ReflectorEvent) => void;
}

/**
 * What a reflector hears of one watch: that it works, at once; where it stands, when it ends; and that it has been silent
 * for too long. A machine's transition costs a hundred times what the store does with an event, so none is made for
 * what only the end needs.
 */
export interface StreamReport {
  heard(version: string, bookmark: boolean): void;
  /** Passes on where the watch stands, then how it ended. Nothing is passed on after that. */
  end(event: ReflectorEvent): void;
  /** Ends it without a word. */
  drop(): void;
}

/** Counts silence from now on. */
export function createStreamReport(options: StreamReportOptions): StreamReport {
  const { clock, silenceMs, quietServerMs, send } = options;
  let { bookmarks } = options;
  let heardAtMs = clock.monotonic();
  let isHeard = false;
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
  /** Looks when the silence would be too long, instead of arming a timer anew for every event. */
  const look = (): void => {
    const leftMs = heardAtMs + (bookmarks ? silenceMs : quietServerMs) - clock.monotonic();
    if (leftMs > 0) timer = clock.setTimeout(look, leftMs);
    else end({ type: 'stream.silent' });
  };
  look();
  return {
    heard(version, bookmark) {
      if (ended) return;
      heardAtMs = clock.monotonic();
      if (isHeard) newest = version;
      else send({ type: 'stream.heard', version });
      isHeard = true;
      if (!bookmark || bookmarks) return;
      bookmarks = true;
      clock.clearTimeout(timer);
      look();
    },
    end,
    drop,
  };
}
