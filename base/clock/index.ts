export { backoffMs } from './backoff.ts';
export { type Clock, type Timer, fromTime, sleep, toMicroTime, toTime } from './clock.ts';
export { DueHeap } from './due-heap.ts';
export { createExpiringCache } from './expiring-cache.ts';
export { withWallOffset } from './offset.ts';
export { CLOCK_FROM_PARENT, type ClockMessage, isClockMessage } from './parent.ts';
export { SharedOffset } from './shared-offset.ts';
export { createSimulatedClock, turnOfLoop } from './simulated.ts';
export { createSystemClock } from './system.ts';
