/**
 * A cron schedule in the syntax of robfig/cron v3: five fields or a descriptor (`@hourly`, `@every 90s`).
 * Pure: it reads no clock.
 */
export interface CronSchedule {
  /** Returns the first activation after `afterMs`, or undefined if there is none within five years. */
  next(afterMs: number): number | undefined;
  /**
   * Returns the latest activation after `afterMs` and not after `untilMs`, with the number of activations.
   * `exact` is false if there are more than were counted.
   */
  latest(
    afterMs: number,
    untilMs: number,
  ): { readonly atMs: number | undefined; readonly count: number; readonly exact: boolean };
}
