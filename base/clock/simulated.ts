import type { Clock, Timer } from './clock.ts';
import { DueHeap } from './due-heap.ts';

interface SimulatedTimer extends Timer {
  readonly order: number;
  run: (() => void) | undefined;
}

/**
 * Virtual time. A timer fires at exactly its due time, in order of due time, then of creation; a timer that
 * arms itself again within the stretch fires again within it.
 */
export interface SimulatedClock extends Clock {
  /** Moves time forward by `ms`, firing what falls due and letting promises settle after each timer. */
  advance(ms: number): Promise<void>;
  /** Fires timers until `done()` holds. Rejects when none is left or `withinMs` (default one day) has passed. */
  advanceUntil(done: () => boolean, withinMs?: number): Promise<void>;
  /** Moves the wall clock alone, either way: a person, or NTP, sets the clock. Timers are not touched. */
  jump(ms: number): void;
  /** Number of timers that are armed. */
  readonly pending: number;
}

/** Resolves when every promise that can go on has gone on, as far as nothing outside of this thread is waited for. */
export const turnOfLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * `startMs` is the wall time at first (default 2026-01-01T00:00:00Z). `settle` lets what a timer started come
 * to rest before time moves on; by default two turns of the event loop.
 */
export function createSimulatedClock(
  startMs: number = Date.UTC(2026, 0, 1),
  settle: () => Promise<void> = async () => {
    await turnOfLoop();
    await turnOfLoop();
  },
): SimulatedClock {
  const heap = new DueHeap<SimulatedTimer>();
  let monotonicMs = 0;
  let wallOffsetMs = startMs;
  let created = 0;

  /** The earliest timer that is still armed; cancelled ones are dropped on the way. */
  const earliest = (): SimulatedTimer | undefined => {
    while (heap.first && !heap.first.run) heap.shift();
    return heap.first;
  };
  const fire = async (timer: SimulatedTimer): Promise<void> => {
    heap.shift();
    monotonicMs = Math.max(monotonicMs, timer.dueMs);
    const run = timer.run;
    timer.run = undefined;
    run?.();
    await settle();
  };

  return {
    now: () => Math.floor(wallOffsetMs + monotonicMs),
    monotonic: () => monotonicMs,
    setTimeout(run, delayMs) {
      const timer: SimulatedTimer = { dueMs: monotonicMs + Math.max(0, delayMs), order: created++, run };
      heap.push(timer);
      return timer;
    },
    clearTimeout(timer) {
      if (timer) (timer as SimulatedTimer).run = undefined;
    },
    async advance(ms) {
      const untilMs = monotonicMs + ms;
      await settle();
      for (let next = earliest(); next && next.dueMs <= untilMs; next = earliest()) await fire(next);
      monotonicMs = Math.max(monotonicMs, untilMs);
      await settle();
    },
    async advanceUntil(done, withinMs = 86_400_000) {
      const untilMs = monotonicMs + withinMs;
      await settle();
      while (!done()) {
        const next = earliest();
        if (!next) throw new Error('simulated time cannot reach the awaited state: no timer is armed');
        if (next.dueMs > untilMs)
          throw new Error(`the awaited state was not reached within ${withinMs} ms of simulated time`);
        await fire(next);
      }
    },
    jump(ms) {
      wallOffsetMs += ms;
    },
    get pending() {
      return heap.items.reduce((count, timer) => count + (timer.run ? 1 : 0), 0);
    },
  };
}
