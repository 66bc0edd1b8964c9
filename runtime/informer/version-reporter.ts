import type { Clock, Timer } from '../../base/clock/clock.ts';

/** Where a watch stands. */
export interface Heard {
  readonly version: string;
  /** Whether a bookmark was among what was heard. */
  readonly bookmark: boolean;
}

/**
 * Passes on where a watch stands: the first time at once, then at most once in `everyMs`, the last never lost. A
 * machine's transition costs a hundred times what the store does with an event, and only the newest version counts.
 */
export interface VersionReporter {
  heard(next: Heard): void;
  /** Passes on now what waits. */
  flush(): void;
  /** Drops what waits. */
  cancel(): void;
}

export function createVersionReporter(
  clock: Clock,
  everyMs: number,
  report: (heard: Heard) => void,
): VersionReporter {
  let waiting: Heard | undefined;
  let timer: Timer | undefined;
  let reportedAtMs = -Infinity;

  const cancel = (): void => {
    clock.clearTimeout(timer);
    timer = undefined;
    waiting = undefined;
  };
  const flush = (): void => {
    const next = waiting;
    cancel();
    if (next === undefined) return;
    reportedAtMs = clock.monotonic();
    report(next);
  };
  return {
    heard({ version, bookmark }) {
      waiting = { version, bookmark: bookmark || waiting?.bookmark === true };
      if (timer !== undefined) return;
      const leftMs = reportedAtMs + everyMs - clock.monotonic();
      if (leftMs > 0) timer = clock.setTimeout(flush, leftMs);
      else flush();
    },
    flush,
    cancel,
  };
}
