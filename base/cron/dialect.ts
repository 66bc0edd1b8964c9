import { parseCron } from './cron.ts';
import { parseExtendedCron } from './extended.ts';
import type { CronSchedule } from './schedule.ts';

/**
 * Dialects of schedules: `standard` is that of robfig/cron v3; `extended` adds seconds, `L`, `#`, `W` and
 * `H`.
 */
export const SCHEDULE_DIALECTS = ['standard', 'extended'] as const;

/** A schedule, and everything that determines its meaning. */
export interface ScheduleSource {
  readonly schedule: string;
  /** IANA time zone; undefined for the time zone of the process. */
  readonly timeZone: string | undefined;
  /** One of `SCHEDULE_DIALECTS`; undefined for the standard dialect. */
  readonly dialect?: string | undefined;
  /** Seed from which `H` derives its value in the extended dialect. */
  readonly uid: string;
}

/** Parses a schedule in its dialect. Throws an error for an invalid schedule or an unknown dialect. */
export function parseSchedule({ schedule, timeZone, dialect, uid }: ScheduleSource): CronSchedule {
  if (dialect === undefined || dialect === 'standard') return parseCron(schedule, timeZone);
  if (dialect === 'extended') return parseExtendedCron(schedule, uid, timeZone);
  throw new Error(
    `unknown schedule dialect ${JSON.stringify(dialect)}: accepted are ${SCHEDULE_DIALECTS.join(' and ')}`,
  );
}
