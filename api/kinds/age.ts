import { fromTime } from '../../base/clock/index.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY_HOURS = 24;
const YEAR_HOURS = 365 * DAY_HOURS;

const pair = (high: number, highUnit: string, low: number, lowUnit: string): string =>
  low === 0 ? `${high}${highUnit}` : `${high}${highUnit}${low}${lowUnit}`;

/**
 * Formats a duration with one or two units, with finer units for shorter durations: `95s`, `5m12s`, `3h20m`,
 * `9d`, `2y40d`. Follows the rules of
 * https://github.com/kubernetes/kubernetes/blob/v1.24.0/staging/src/k8s.io/apimachinery/pkg/util/duration/duration.go
 */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / SECOND);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(ms / MINUTE);
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  return longDuration(Math.trunc(ms / HOUR), minutes);
}

function longDuration(hours: number, minutes: number): string {
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm');
  if (hours < 2 * DAY_HOURS) return `${hours}h`;
  const days = Math.trunc(hours / DAY_HOURS);
  if (hours < 8 * DAY_HOURS) return pair(days, 'd', hours % DAY_HOURS, 'h');
  if (hours < 2 * YEAR_HOURS) return `${days}d`;
  const years = Math.trunc(hours / YEAR_HOURS);
  return hours < 8 * YEAR_HOURS ? pair(years, 'y', days % 365, 'd') : `${years}y`;
}

/** Formats the age of an RFC 3339 timestamp for a Table; `<unknown>` if there is no timestamp. */
export function translateTimestampSince(timestamp: string | null | undefined, nowMs: number): string {
  const atMs = fromTime(timestamp);
  return atMs === undefined ? '<unknown>' : humanDuration(nowMs - atMs);
}
