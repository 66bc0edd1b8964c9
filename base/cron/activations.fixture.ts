import type { CronSchedule } from './schedule.ts';

/** Returns the first activations after an instant, at most `count`. */
export const activations = ({ next }: CronSchedule, fromMs: number, count: number): readonly number[] => {
  const found: number[] = [];
  for (let ms = next(fromMs); ms !== undefined && found.length < count; ms = next(ms)) found.push(ms);
  return found;
};
