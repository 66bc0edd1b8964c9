import { soonDue } from './queue.ts';
import type { ModelWorld } from './world.ts';

/** True if no key, request or event is in flight and no fault lasts. Timers may be pending. */
export const isIdle = ({ processes }: ModelWorld): boolean =>
  processes.every(
    ({ queue, reconciles, views }) =>
      queue.up &&
      !queue.flushed &&
      queue.ready.length === 0 &&
      reconciles.length === 0 &&
      views.every(({ pending, stalled }) => pending.length === 0 && !stalled),
  );

/** True if the world is idle and no timer ends within `PATIENCE_MS`. */
export const isAtRest = (world: ModelWorld, nowMs: number): boolean =>
  isIdle(world) && world.processes.every(({ queue }) => soonDue(queue, nowMs).length === 0);
