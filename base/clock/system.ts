import type { Clock, Timer } from './clock.ts';

/** Maximum delay of Node's `setTimeout` in milliseconds. A longer delay would elapse after 1 ms. */
const MAX_MS = 2 ** 31 - 1;

interface SystemTimer extends Timer {
  handle: NodeJS.Timeout | undefined;
}

/**
 * Creates the system clock.
 * @param options with `unref`, pending timers do not keep the process alive; false by default
 */
export function createSystemClock(options: { unref?: boolean } = {}): Clock {
  const arm = (timer: SystemTimer, run: () => void): void => {
    const left = Math.max(0, timer.dueMs - performance.now());
    const step = Math.min(left, MAX_MS);
    timer.handle = setTimeout(
      () => (timer.dueMs - performance.now() > 0.5 ? arm(timer, run) : run()),
      Math.ceil(step),
    );
    if (options.unref) timer.handle.unref();
  };
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    setTimeout(run, delayMs) {
      const timer: SystemTimer = { dueMs: performance.now() + Math.max(0, delayMs), handle: undefined };
      arm(timer, run);
      return timer;
    },
    clearTimeout(timer) {
      if (timer) clearTimeout((timer as SystemTimer).handle);
    },
  };
}
