import type { Clock, Timer } from './clock.ts';
import { DueHeap } from './due-heap.ts';

interface SimulatedTimer extends Timer {
  readonly order: number;
  run: (() => void) | undefined;
}

/**
 * Clock with virtual time. Timers fire exactly at their due time, in the order of due time and then of
 * creation. A timer that is set again during `advance` fires again if it becomes due.
 */
export interface SimulatedClock extends Clock {
  /** Advances the time by `ms`, fires due timers, and lets promises settle after each timer. */
  advance(ms: number): Promise<void>;
  /**
   * Fires timers until `done` returns true. Rejects if no timer is pending, or after `withinMs` milliseconds
   * of virtual time, by default one day.
   */
  advanceUntil(done: () => boolean, withinMs?: number): Promise<void>;
  /** Shifts only the wall clock by `ms`, like a user or NTP that sets the time. Timers are unchanged. */
  jump(ms: number): void;
  /** Number of pending timers. */
  readonly pending: number;
}

/**
 * Resolves in the next turn of the event loop, after all promises that can proceed in this thread have done
 * so.
 */
export const turnOfLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Creates a simulated clock.
 * @param startMs initial wall-clock time; by default 2026-01-01T00:00:00Z
 * @param settle called after each timer to let its effects complete; by default waits for two turns of the
 * event loop
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

  /** Returns the earliest pending timer. Drops cancelled timers. */
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
