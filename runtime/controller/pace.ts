import type { Soon } from '../../base/async/soon.ts';
import type { Clock, Timer } from '../../base/clock/clock.ts';
import type { PassOutput } from '../../machines/pass/pass.ts';

/** A key that is taken this long after its time is late, milliseconds. */
const LATE_MS = 100;
/** How long others give way after a late key was taken, milliseconds: while one follows the other, all the time. */
const GIVE_WAY_MS = 1_000;

/**
 * Lets keys whose time was set go ahead of all other work of a process. While one is late, each controller that gives way
 * takes one key at a time: nothing stands still, and late passes that hang hold nobody for long.
 */
export interface Pace {
  /** For a controller that gives way. */
  turns(): Turns;
  /** For a punctual one: a pass that asks for its key at a time is late when the next begins after it. */
  promises(): Turns;
}

/** The passes of one controller. */
export interface Turns {
  /** Asked before a pass; resolves when it may begin. */
  take(key: string): Soon<void>;
  /** To be told how the pass has ended. */
  done(key: string, output: PassOutput): void;
  /** Lets all begin that wait. */
  release(): void;
}

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
    turns() {
      const turns = createTurns(isHeld, () => {
        waiting.add(turns);
        arm();
      });
      return turns;
    },
    promises: () => createPromises(clock, () => (untilMs = clock.monotonic() + GIVE_WAY_MS)),
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

function createPromises(clock: Clock, late: () => void): Turns {
  /** On the monotonic clock. */
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
