import { soonDue } from './queue.ts';
import type { World } from './world.ts';

/** Nothing is under way and no fault lasts; a timer may run. */
export const isIdle = ({ processes }: World): boolean =>
  processes.every(
    ({ queue, passes, views }) =>
      queue.up &&
      !queue.flushed &&
      queue.ready.length === 0 &&
      passes.length === 0 &&
      views.every(({ pending, stalled }) => pending.length === 0 && !stalled),
  );

/** Idle, and no timer will end soon. */
export const isAtRest = (world: World, nowMs: number): boolean =>
  isIdle(world) && world.processes.every(({ queue }) => soonDue(queue, nowMs).length === 0);
