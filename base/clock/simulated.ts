import type { Clock, Timer } from './clock.ts';

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

const settleMacrotask = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * `startMs` is the wall time at first (default 2026-01-01T00:00:00Z). `settle` lets what a timer started come
 * to rest before time moves on; by default two turns of the event loop.
 */
export function createSimulatedClock(
  startMs: number = Date.UTC(2026, 0, 1),
  settle: () => Promise<void> = async () => {
    await settleMacrotask();
    await settleMacrotask();
  },
): SimulatedClock {
  const heap: SimulatedTimer[] = [];
  let monotonicMs = 0;
  let wallOffsetMs = startMs;
  let created = 0;

  const before = (a: SimulatedTimer, b: SimulatedTimer): boolean =>
    a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order);
  const swap = (i: number, j: number): void => {
    const held = heap[i] as SimulatedTimer;
    heap[i] = heap[j] as SimulatedTimer;
    heap[j] = held;
  };
  const push = (timer: SimulatedTimer): void => {
    let at = heap.push(timer) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!before(heap[at] as SimulatedTimer, heap[parent] as SimulatedTimer)) break;
      swap(at, parent);
      at = parent;
    }
  };
  const pop = (): void => {
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    heap[0] = last;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      let least = at;
      for (const child of [left, left + 1])
        if (child < heap.length && before(heap[child] as SimulatedTimer, heap[least] as SimulatedTimer))
          least = child;
      if (least === at) return;
      swap(at, least);
      at = least;
    }
  };
  /** The earliest timer that is still armed; cancelled ones are dropped on the way. */
  const earliest = (): SimulatedTimer | undefined => {
    while (heap[0] && !heap[0].run) pop();
    return heap[0];
  };
  const fire = async (timer: SimulatedTimer): Promise<void> => {
    pop();
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
      push(timer);
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
      return heap.reduce((count, timer) => count + (timer.run ? 1 : 0), 0);
    },
  };
}
