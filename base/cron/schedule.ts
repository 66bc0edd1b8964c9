/**
 * Cron schedules as robfig/cron v3 reads and runs them: five fields or a descriptor (`@hourly`, `@every 90s`).
 * Pure: no clock is read.
 */
export interface CronSchedule {
  /** The first activation strictly after `afterMs`, or undefined when there is none within five years. */
  next(afterMs: number): number | undefined;
  /** The latest activation at or before `untilMs` and strictly after `afterMs`, and how many there were (0: none). */
  latest(
    afterMs: number,
    untilMs: number,
  ): { readonly atMs: number | undefined; readonly count: number; readonly exact: boolean };
}
