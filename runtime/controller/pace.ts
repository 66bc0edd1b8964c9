import type { Soon } from '../../base/async/index.ts';
import type { Clock, Timer } from '../../base/clock/index.ts';
import type { ReconcileOutput } from '../../machines/reconcile/index.ts';

/** Delay after which a key with a due time counts as late, in milliseconds. */
const LATE_MS = 100;
/** Duration of the limit for other controllers after a late key, in milliseconds. */
const GIVE_WAY_MS = 1_000;

/**
 * Precedence of keys with a due time over other work of a process. While such a key is late, each yielding
 * controller reconciles one key at a time. The limit is not zero, so that no controller stops. The limit is
 * short, so that late reconciles that hang delay other controllers only briefly.
 */
export interface Pace {
  /** Returns the turns of a controller that yields to late keys. */
  yielding(): Turns;
  /**
   * Returns the turns of a deadline-sensitive controller. Its requeued key is late if the reconcile starts at
   * least 100 ms after the due time.
   */
  deadlineSensitive(): Turns;
}

/** Schedules the reconciles of one controller. */
export interface Turns {
  /** Called before a reconcile; resolves when it may start. */
  take(key: string): Soon<void>;
  /** Called with the result of the reconcile. */
  done(key: string, output: ReconcileOutput): void;
  /** Lets all waiting reconciles start. */
  release(): void;
}

/** Creates the pace of one process. */
export function createPace(clock: Clock): Pace {
  const waiting = new Set<Turns>();
  let untilMs = -Infinity;
  let timer: Timer | undefined;

  const isHeld = (): boolean => clock.monotonic() < untilMs;
  const ease = (): void => {
    timer = undefined;
    if (isHeld()) return arm();
    for (const turns of waiting) turns.release();
    waiting.clear();
  };
  const arm = (): void => {
    timer ??= clock.setTimeout(ease, untilMs - clock.monotonic());
  };
  return {
    yielding() {
      const turns = createTurns(isHeld, () => {
        waiting.add(turns);
        arm();
      });
      return turns;
    },
    deadlineSensitive: () => createDeadlineTurns(clock, () => (untilMs = clock.monotonic() + GIVE_WAY_MS)),
  };
}

function createTurns(isHeld: () => boolean, onWaiting: () => void): Turns {
  const waiting: (() => void)[] = [];
  let active = 0;
  const begin = (resolve: (() => void) | undefined): void => {
    if (resolve === undefined) return;
    active++;
    resolve();
  };
  return {
    take() {
      if (active > 0 && isHeld()) {
        onWaiting();
        return new Promise((resolve) => waiting.push(resolve));
      }
      active++;
      return undefined;
    },
    done() {
      active--;
      if (active === 0) begin(waiting.shift());
    },
    release() {
      for (const resolve of waiting.splice(0)) begin(resolve);
    },
  };
}

function createDeadlineTurns(clock: Clock, late: () => void): Turns {
  /** Due times of requeued keys in milliseconds on the monotonic clock. */
  const dueMs = new Map<string, number>();
  return {
    take(key) {
      if (clock.monotonic() - (dueMs.get(key) ?? Infinity) >= LATE_MS) late();
    },
    done(key, output) {
      if (output.outcome === 'requeue') dueMs.set(key, clock.monotonic() + output.afterMs);
      else dueMs.delete(key);
    },
    release: () => {},
  };
}
