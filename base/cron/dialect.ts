import { parseCron } from './cron.ts';
import { parseExtendedCron } from './extended.ts';
import type { CronSchedule } from './schedule.ts';

/** Dialects of schedules: that of robfig/cron v3, and the one with seconds, `L`, `#`, `W` and `H`. */
export const SCHEDULE_DIALECTS = ['standard', 'extended'] as const;

/** The text of a schedule with all that decides what it means. */
export interface ScheduleSource {
  readonly schedule: string;
  /** IANA zone; undefined is that of the process. */
  readonly timeZone: string | undefined;
  /** One of `SCHEDULE_DIALECTS`; undefined is the standard one. */
  readonly dialect?: string | undefined;
  /** Seed of `H` in the extended dialect. */
  readonly uid: string;
}

/** Parses a schedule in its dialect. Throws an `Error` for an invalid schedule or an unknown dialect. */
export function parseSchedule({ schedule, timeZone, dialect, uid }: ScheduleSource): CronSchedule {
  if (dialect === undefined || dialect === 'standard') return parseCron(schedule, timeZone);
  if (dialect === 'extended') return parseExtendedCron(schedule, uid, timeZone);
  throw new Error(
    `unknown schedule dialect ${JSON.stringify(dialect)}: accepted are ${SCHEDULE_DIALECTS.join(' and ')}`,
  );
}
