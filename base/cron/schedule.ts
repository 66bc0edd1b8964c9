/** Cron schedule of any dialect. Pure: it reads no clock. */
export interface CronSchedule {
  /**
   * Unit in milliseconds by which names number activations: a minute, or a second in the extended dialect if
   * activations may be less than a minute apart.
   */
  readonly unitMs: number;
  /** Returns the first activation after `afterMs`. Returns undefined if there is none within five years. */
  next(afterMs: number): number | undefined;
  /**
   * Returns the latest activation after `afterMs` and not after `untilMs`, and the number of activations in
   * that interval. `exact` is false if `count` is only a lower bound.
   */
  latest(
    afterMs: number,
    untilMs: number,
  ): { readonly atMs: number | undefined; readonly count: number; readonly exact: boolean };
}
