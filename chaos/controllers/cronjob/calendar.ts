import { scheduleOf, scheduleSourceOf } from '../../../api/groups/batch/index.ts';
import type { DeepReadonly } from '../../../api/kinds/index.ts';
import type { CronJob } from '../../../api/types/batch-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { type DayRule, type WallTime, dayRuleOf, valuesOf } from './calendar-fields.ts';

/** Times at which a schedule is due, in milliseconds since the epoch. */
export interface Calendar {
  /** True if the schedule is due at exactly this time. */
  has(ms: number): boolean;
  /** Returns the latest due time after `afterMs` and not after `untilMs`. */
  latest(afterMs: number, untilMs: number): number | undefined;
  /** Returns the number of due times in the same interval. Numbers above `most` are not distinguished. */
  count(afterMs: number, untilMs: number, most: number): number;
}

type Schedule = Pick<DeepReadonly<CronJob>, 'metadata' | 'spec'>;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Every change of a time zone's offset is at a multiple of this time. */
const SLOT = 15 * MINUTE;

const calendars = new Map<string, Calendar | undefined>();

/**
 * Returns the calendar of a CronJob. It tests each minute or second against the fields of the schedule. It
 * shares no code with the controller, so that it shares no error of the parser or of the search.
 *
 * A schedule that this file does not read, such as one with `H` or `@every`, gets the controller's own.
 */
export function calendarOf(cronJob: Schedule, vocabulary: Vocabulary): Calendar {
  const { schedule, timeZone, dialect } = scheduleSourceOf(cronJob, vocabulary);
  const key = JSON.stringify([schedule, timeZone, dialect]);
  if (!calendars.has(key)) calendars.set(key, readCalendar(schedule, timeZone, dialect === 'extended'));
  return calendars.get(key) ?? ownCalendar(cronJob, vocabulary);
}

function ownCalendar(cronJob: Schedule, vocabulary: Vocabulary): Calendar {
  const own = scheduleOf(cronJob, vocabulary);
  return {
    has: (ms) => own.next(ms - 1) === ms,
    latest: (afterMs, untilMs) => own.latest(afterMs, untilMs).atMs,
    count: (afterMs, untilMs) => own.latest(afterMs, untilMs).count,
  };
}

const DESCRIPTORS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** Reads a schedule. Returns undefined for one that this file does not support. */
export function readCalendar(
  schedule: string,
  timeZone: string | undefined,
  isExtended: boolean,
): Calendar | undefined {
  const [, prefix, rest = ''] = /^(?:CRON_)?TZ=(\S+)\s+(.*)$/.exec(schedule) ?? [
    undefined,
    timeZone,
    schedule,
  ];
  const fields = (DESCRIPTORS[rest] ?? rest).trim().split(/\s+/);
  const all = fields.length === 6 && isExtended ? fields : ['0', ...fields];
  if (all.length !== 6) return undefined;
  const [second = '', minute = '', hour = '', day = '', month = '', weekday = ''] = all;
  const seconds = valuesOf(second, 'second');
  const minutes = valuesOf(minute, 'minute');
  const hours = valuesOf(hour, 'hour');
  const months = valuesOf(month, 'month');
  const days = dayRuleOf(day, weekday);
  if (!seconds || !minutes || !hours || !months || !days) return undefined;
  const wallOf = wallTimes(prefix);
  if (!wallOf) return undefined;
  return search(fields.length === 6 ? SECOND : MINUTE, wallOf, { seconds, minutes, hours, months, days });
}

interface Fields {
  readonly seconds: ReadonlySet<number>;
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly days: DayRule;
}

/** Returns a function from a time to the wall time of a zone. Undefined for an unknown zone. */
function wallTimes(timeZone: string | undefined): ((ms: number) => WallTime) | undefined {
  const zone = timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    });
  } catch {
    return undefined;
  }
  const offsets = new Map<number, number>();
  const offsetOf = (slotMs: number): number => {
    const known = offsets.get(slotMs);
    if (known !== undefined) return known;
    const part = Object.fromEntries(
      format.formatToParts(slotMs).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = part;
    const offsetMs = Date.UTC(year, month - 1, day, hour, minute) - slotMs;
    offsets.set(slotMs, offsetMs);
    return offsetMs;
  };
  return (ms) => {
    const wall = new Date(ms + offsetOf(Math.floor(ms / SLOT) * SLOT));
    const [year, month, day] = [wall.getUTCFullYear(), wall.getUTCMonth() + 1, wall.getUTCDate()];
    const [hour, minute, second] = [wall.getUTCHours(), wall.getUTCMinutes(), wall.getUTCSeconds()];
    return { year, month, day, hour, minute, second };
  };
}

/** Creates the calendar that tests every unit of an interval, from its end to its start. */
function search(
  unitMs: number,
  wallOf: (ms: number) => WallTime,
  { seconds, minutes, hours, months, days }: Fields,
): Calendar {
  /** Returns the start of the slot if no time in the slot up to `ms` can be due; undefined if `ms` may be. */
  const skipTo = (ms: number, wall: WallTime): number | undefined =>
    months.has(wall.month) && days(wall) && hours.has(wall.hour) ? undefined : Math.floor(ms / SLOT) * SLOT;
  const isDue = (wall: WallTime): boolean => minutes.has(wall.minute) && seconds.has(wall.second);
  const has = (ms: number): boolean => {
    if (ms % unitMs !== 0) return false;
    const wall = wallOf(ms);
    return skipTo(ms, wall) === undefined && isDue(wall);
  };
  /** Calls `visit` with the due times of an interval, the latest first, until it returns false. */
  const backwards = (afterMs: number, untilMs: number, visit: (ms: number) => boolean): void => {
    for (let ms = Math.floor(untilMs / unitMs) * unitMs; ms > afterMs; ms -= unitMs) {
      const wall = wallOf(ms);
      const startMs = skipTo(ms, wall);
      if (startMs !== undefined) ms = startMs;
      else if (isDue(wall) && !visit(ms)) return;
    }
  };
  const searched = new Map<string, number | undefined>();
  return {
    has,
    latest(afterMs, untilMs) {
      const key = `${afterMs} ${Math.floor(untilMs / unitMs)}`;
      if (searched.has(key)) return searched.get(key);
      let found: number | undefined;
      backwards(afterMs, untilMs, (ms) => {
        found = ms;
        return false;
      });
      if (searched.size > MOST_SEARCHED) searched.clear();
      searched.set(key, found);
      return found;
    },
    count(afterMs, untilMs, most) {
      let count = 0;
      backwards(afterMs, untilMs, () => ++count <= most);
      return count;
    },
  };
}

/** Number of searched intervals that a calendar keeps. */
const MOST_SEARCHED = 2_000;
