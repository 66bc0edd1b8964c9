// Times and durations as release 1.24 of Kubernetes reads and writes them in JSON. Every reader throws
// `FormatError`.
import { parseGoNanoseconds } from '../../base/cron/index.ts';
import { CodedError, messageOf } from '../../base/errors/index.ts';

/** Error for a string that does not match its format. The messages are those of Go. */
export class FormatError extends CodedError<'format'> {
  constructor(message: string) {
    super('format', message);
  }
}

const SECONDS = '2006-01-02T15:04:05Z07:00';
const MICROSECONDS = '2006-01-02T15:04:05.000000Z07:00';
const CANONICAL = /^\d{4}-(?:0[1-9]|1[0-2])-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;
const ZERO_TIME = '0001-01-01T00:00:00Z';

/** Converts an RFC 3339 time of any zone and precision to UTC seconds. Returns `null` for Go's zero time. */
export function canonicalTime(text: string): string | null {
  if (text === ZERO_TIME) return null;
  return isCanonical(text) ? text : `${readMoment(text, SECONDS).seconds}Z`;
}

/** True if the time is already in canonical form. Nearly every time is, so this saves parsing it. */
const isCanonical = (text: string): boolean =>
  CANONICAL.test(text) &&
  isDay(Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8, 10)));

/**
 * Converts an RFC 3339 time with exactly six decimals to UTC microseconds. Returns `null` for Go's zero time.
 */
export function canonicalMicroTime(text: string): string | null {
  const { seconds, micros } = readMoment(text, MICROSECONDS);
  return `${seconds}Z` === ZERO_TIME && micros === '000000' ? null : `${seconds}.${micros}Z`;
}

interface Moment {
  /** Time in UTC without its fraction: `2006-01-02T15:04:05`. */
  readonly seconds: string;
  readonly micros: string;
}

interface Element {
  readonly layout: string;
  readonly pattern: RegExp;
  /**
   * Name and bounds of the number for error messages. The day has no bounds here, because its upper bound
   * depends on the month and is checked later.
   */
  readonly range?: { readonly name: string; readonly from: number; readonly to: number };
}

const DATE: readonly Element[] = [
  { layout: '2006', pattern: /\d{4}/y },
  { layout: '-', pattern: /-/y },
  { layout: '01', pattern: /\d\d/y, range: { name: 'month', from: 1, to: 12 } },
  { layout: '-', pattern: /-/y },
  { layout: '02', pattern: /\d\d/y },
  { layout: 'T', pattern: /T/y },
  // Go's parser, unlike the RFC, accepts an hour of one digit.
  { layout: '15', pattern: /\d\d?/y, range: { name: 'hour', from: 0, to: 23 } },
  { layout: ':', pattern: /:/y },
  { layout: '04', pattern: /\d\d/y, range: { name: 'minute', from: 0, to: 59 } },
  { layout: ':', pattern: /:/y },
  { layout: '05', pattern: /\d\d/y, range: { name: 'second', from: 0, to: 59 } },
];
const FRACTION: Element = { layout: '', pattern: /(?:[.,]\d+)?/y };
const MICRO_FRACTION: Element = { layout: '.000000', pattern: /[.,]\d{6}/y };
const ZONE: Element = { layout: 'Z07:00', pattern: /Z|[+-]\d\d:\d\d/y };

function readMoment(text: string, layout: string): Moment {
  const fraction = layout === MICROSECONDS ? MICRO_FRACTION : FRACTION;
  const parts: string[] = [];
  let at = 0;
  for (const { layout: element, pattern, range } of [...DATE, fraction, ZONE]) {
    pattern.lastIndex = at;
    const part = pattern.exec(text)?.[0];
    if (part === undefined) {
      throw refuse(text, layout, `cannot parse ${quote(text.slice(at))} as ${quote(element)}`);
    }
    if (range && (+part < range.from || +part > range.to))
      throw refuse(text, '', `${range.name} out of range`);
    parts.push(part);
    at += part.length;
  }
  if (at < text.length) throw refuse(text, '', `extra text: ${quote(text.slice(at))}`);
  const [
    year = '',
    ,
    month = '',
    ,
    day = '',
    ,
    hour = '',
    ,
    minute = '',
    ,
    second = '',
    decimals = '',
    zone = '',
  ] = parts;
  if (!isDay(+year, +month, +day)) throw refuse(text, '', 'day out of range');
  const wall = `${year}-${month}-${day}T${hour.padStart(2, '0')}:${minute}:${second}`;
  const micros = decimals.slice(1, 7).padEnd(6, '0');
  const offset = offsetMinutes(zone);
  return { seconds: offset === 0 ? wall : shift(wall, -offset), micros };
}

const quote = (text: string): string => JSON.stringify(text);

const refuse = (text: string, layout: string, complaint: string): FormatError =>
  new FormatError(
    layout === ''
      ? `parsing time ${quote(text)}: ${complaint}`
      : `parsing time ${quote(text)} as ${quote(layout)}: ${complaint}`,
  );

const isDay = (year: number, month: number, day: number): boolean => day >= 1 && day <= daysIn(year, month);

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function offsetMinutes(zone: string): number {
  if (zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6));
  return zone.startsWith('-') ? -minutes : minutes;
}

function shift(wall: string, minutes: number): string {
  const ms = Date.parse(`${wall}Z`) + minutes * 60_000;
  return new Date(ms).toISOString().replace(/\.000Z$/, '');
}

/** Rewrites a Go duration (`90s`, `1.5h`) as Go prints it: `1m30s`, `1h30m0s`. */
export const canonicalDuration = (text: string): string => formatDuration(parseDuration(text));

/** Maximum number of characters of a duration. */
const LONGEST_DURATION = 1_000;

/** Parses a Go duration (`90s`, `1.5h`) into nanoseconds. */
export function parseDuration(text: string): bigint {
  if (text.length > LONGEST_DURATION)
    throw new FormatError(`time: invalid duration ${quote(text.slice(0, 100))}`);
  try {
    return parseGoNanoseconds(text);
  } catch (thrown) {
    throw new FormatError(messageOf(thrown));
  }
}

/** Formats nanoseconds as Go prints a duration. */
export const formatDuration = (nanoseconds: bigint): string =>
  nanoseconds < 0n ? `-${formatMagnitude(-nanoseconds)}` : formatMagnitude(nanoseconds);

function formatMagnitude(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s';
  if (nanoseconds < 1_000n) return `${nanoseconds}ns`;
  if (nanoseconds < 1_000_000n) return `${decimal(nanoseconds, 3)}µs`;
  if (nanoseconds < 1_000_000_000n) return `${decimal(nanoseconds, 6)}ms`;
  const hours = nanoseconds / 3_600_000_000_000n;
  const minutes = (nanoseconds / 60_000_000_000n) % 60n;
  const seconds = `${decimal(nanoseconds % 60_000_000_000n, 9)}s`;
  if (hours > 0n) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0n ? `${minutes}m${seconds}` : seconds;
}

/** Formats `value` divided by 10^`places`, without trailing zeros. */
function decimal(value: bigint, places: number): string {
  const unit = 10n ** BigInt(places);
  const fraction = (value % unit).toString().padStart(places, '0').replace(/0+$/, '');
  return fraction === '' ? `${value / unit}` : `${value / unit}.${fraction}`;
}
