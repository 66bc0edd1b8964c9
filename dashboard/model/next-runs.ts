/** Fields of a CronJob that determine its next runs. */
export interface ScheduledObject {
  readonly kind?: string;
  readonly metadata?: {
    readonly uid?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: {
    readonly schedule?: string;
    readonly timeZone?: string;
    readonly suspend?: boolean;
  };
}

/** A time at which a schedule is due. */
export interface DueTime {
  /** Time in milliseconds since the epoch. */
  readonly atMs: number;
  /** Offset of the schedule's time zone from UTC at that time, in milliseconds. */
  readonly offsetMs: number;
}

/** Next due times of a schedule. */
export interface NextRuns {
  readonly kind: 'NextRuns';
  /** Time zone of the schedule. If the schedule names none, it is that of the controller's process. */
  readonly timeZone: string;
  /** The due times in ascending order. The list is empty if the schedule is not due within five years. */
  readonly runs: readonly DueTime[];
}

/** Returns the dialect that a CronJob names, or undefined if it names none. */
export const dialectIn = ({ metadata }: ScheduledObject, annotation: string): string | undefined =>
  metadata?.annotations?.[annotation];

/**
 * Returns the query of the journal API for the next runs of a CronJob; undefined for other kinds and for a
 * suspended CronJob.
 * @param annotation key of the annotation that names the dialect
 */
export function nextRunsQuery(object: ScheduledObject, annotation: string): string | undefined {
  const { kind, metadata, spec } = object;
  if (kind !== 'CronJob' || spec?.schedule === undefined || spec.suspend === true) return undefined;
  const dialect = dialectIn(object, annotation);
  return new URLSearchParams({
    schedule: spec.schedule,
    ...(spec.timeZone === undefined ? {} : { timeZone: spec.timeZone }),
    ...(dialect === undefined ? {} : { dialect }),
    uid: metadata?.uid ?? '',
  }).toString();
}
