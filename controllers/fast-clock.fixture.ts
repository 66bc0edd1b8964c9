import type { Timer } from '../base/clock/clock.ts';
import type { ControllerDefinition } from '../runtime/index.ts';

/** The controller with a wall clock that runs ahead of everybody else's. */
export const withFastClock = (definition: ControllerDefinition, aheadMs: number): ControllerDefinition => ({
  ...definition,
  effects(context) {
    const { clock: real } = context;
    const clock = {
      now: () => real.now() + aheadMs,
      monotonic: () => real.monotonic(),
      setTimeout: (run: () => void, delayMs: number) => real.setTimeout(run, delayMs),
      clearTimeout: (timer: Timer | undefined) => real.clearTimeout(timer),
    };
    return definition.effects({ ...context, clock });
  },
});
