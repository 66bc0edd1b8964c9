import { type Zone, isTimeZone, localZone, parseSchedule, zoneOf } from '../../base/cron/index.ts';
import type { DueTime, NextRuns } from '../model/next-runs.ts';

/** Maximum number of due times in the result. */
const RUNS = 5;
/** Maximum time of a `Date`, in milliseconds since the epoch. */
const MAX_TIME_MS = 8.64e15;

/**
 * Computes the next due times for the query parameters `schedule`, `timeZone`, `dialect` and `uid`, with the
 * code that the controller uses. The times follow the parameter `after` (milliseconds since the epoch), by
 * default `nowMs`. Throws an `Error` for an invalid schedule, time zone, dialect or `after`.
 */
export function nextRunsOf(query: URLSearchParams, nowMs: number): NextRuns {
  const schedule = query.get('schedule') ?? '';
  const timeZone = query.get('timeZone') ?? undefined;
  if (timeZone !== undefined && !isTimeZone(timeZone))
    throw new Error(`unknown time zone ${JSON.stringify(timeZone)}: expected an IANA name such as Etc/UTC`);
  const dialect = query.get('dialect') ?? undefined;
  const { next } = parseSchedule({ schedule, timeZone, dialect, uid: query.get('uid') ?? '' });
  const zone = zoneIn(schedule, timeZone);
  const runs: DueTime[] = [];
  for (let ms = next(startOf(query, nowMs)); ms !== undefined && runs.length < RUNS; ms = next(ms))
    runs.push({ atMs: ms, offsetMs: zone.offsetMs(ms) });
  return { kind: 'NextRuns', timeZone: zone.name, runs };
}

function startOf(query: URLSearchParams, nowMs: number): number {
  const after = query.get('after');
  if (after === null) return nowMs;
  const ms = Number(after);
  if (after === '' || !Number.isSafeInteger(ms) || Math.abs(ms) > MAX_TIME_MS)
    throw new Error(`invalid after ${JSON.stringify(after)}: expected milliseconds since the epoch`);
  return ms;
}

/**
 * Returns the time zone of a valid schedule. The prefix `TZ=` of the schedule takes precedence over
 * `timeZone`.
 */
function zoneIn(schedule: string, timeZone: string | undefined): Zone {
  const [, prefix] = /^(?:CRON_)?TZ=(\S*) /.exec(schedule) ?? [];
  const name = prefix === '' ? 'UTC' : (prefix ?? timeZone);
  return name === undefined || name === 'Local' ? localZone() : zoneOf(name);
}
