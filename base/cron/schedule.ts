/** A cron schedule of one of the dialects. Pure: it reads no clock. */
export interface CronSchedule {
  /**
   * Unit in milliseconds in which names count activations: a minute, or a second in the extended dialect if
   * the schedule may be active more than once a minute.
   */
  readonly unitMs: number;
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
