import type { CronSchedule } from './schedule.ts';

/** Returns the first `count` activations after an instant, or fewer if the schedule ends. */
export const activations = ({ next }: CronSchedule, fromMs: number, count: number): readonly number[] => {
  const found: number[] = [];
  for (let ms = next(fromMs); ms !== undefined && found.length < count; ms = next(ms)) found.push(ms);
  return found;
};
