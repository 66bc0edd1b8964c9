import { createLruMap } from '../cache/lru-map.ts';
import { parseGoDuration } from './duration.ts';
import { fieldBounds, matches, parseField, type FieldMask } from './field.ts';
import type { CronSchedule } from './schedule.ts';
import { type Zone, localZone, zoneOf } from './zone.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Number of missed activations from which on they are no longer counted one by one. */
const COUNT_LIMIT = 101;

interface Masks {
  readonly minute: FieldMask;
  readonly hour: FieldMask;
  readonly dayOfMonth: FieldMask;
  readonly month: FieldMask;
  readonly dayOfWeek: FieldMask;
}

const DESCRIPTORS: { readonly [name: string]: string } = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/**
 * Maximum length of a schedule in characters. robfig/cron has no bound; a field that lists every value once
 * has fewer than 200.
 */
const MAX_LENGTH = 10_000;
/** Maximum length of a cached schedule in characters, which bounds the memory of the cache. */
const MAX_KEPT_LENGTH = 256;

/** Parsed schedules with their last computed activations, by zone and text. */
const schedules = createLruMap<CronSchedule>(4_096);

/**
 * Parses a schedule like `ParseStandard` of robfig/cron v3
 * (https://pkg.go.dev/github.com/robfig/cron/v3#ParseStandard). Throws an `Error` with robfig's message, or
 * for a text of more than 10,000 characters.
 * @param zoneName IANA zone, default that of the process; a `TZ=` or `CRON_TZ=` prefix in the text takes
 * precedence
 */
export function parseCron(text: string, zoneName?: string): CronSchedule {
  const key = `${zoneName ?? ''}\n${text}`;
  const known = schedules.get(key);
  if (known !== undefined) return known;
  const schedule = parseStandard(text, zoneName);
  if (key.length <= MAX_KEPT_LENGTH) schedules.set(key, schedule);
  return schedule;
}

function parseStandard(text: string, zoneName: string | undefined): CronSchedule {
  if (text.length > MAX_LENGTH)
    throw new Error(`expected at most ${MAX_LENGTH} characters, found ${text.length}`);
  let spec = text;
  if (spec === '') throw new Error('empty spec string');
  let zone = zoneName === undefined ? undefined : zoneOf(zoneName);
  if (spec.startsWith('TZ=') || spec.startsWith('CRON_TZ=')) {
    const blank = spec.indexOf(' ');
    const name = spec.slice(spec.indexOf('=') + 1, blank < 0 ? undefined : blank);
    if (blank < 0) throw new Error(`no schedule after the time zone: ${text}`);
    zone = zonePrefix(name);
    spec = spec.slice(blank).trim();
  }
  if (spec.startsWith('@every ')) return everySchedule(parseEvery(spec));
  return fieldSchedule(parseMasks(spec), zone ?? localZone());
}

function zonePrefix(name: string): Zone {
  if (/\.\.|^[/\\]/.test(name)) throw new Error(`provided bad location ${name}: time: invalid location name`);
  try {
    return name === 'Local' ? localZone() : zoneOf(name === '' ? 'UTC' : name);
  } catch (cause) {
    throw new Error(`provided bad location ${name}: unknown time zone ${name}`, { cause });
  }
}

function parseEvery(spec: string): number {
  const duration = spec.slice('@every '.length);
  try {
    return Math.max(SECOND, Math.trunc(parseGoDuration(duration) / SECOND) * SECOND);
  } catch (cause) {
    throw new Error(
      `failed to parse duration ${spec}: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        cause,
      },
    );
  }
}

/** White space by Go's rules: without the byte order mark, with U+0085 (next line). */
const SPACE = /(?:[^\S\ufeff]|\u0085)+/;

function parseMasks(spec: string): Masks {
  let fields = spec;
  if (spec.startsWith('@')) {
    const known = Object.hasOwn(DESCRIPTORS, spec) ? DESCRIPTORS[spec] : undefined;
    if (known === undefined) throw new Error(`unrecognized descriptor: ${spec}`);
    fields = known;
  }
  const parts = fields.split(SPACE).filter((part) => part !== '');
  if (parts.length !== 5)
    throw new Error(`expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`);
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = ''] = parts;
  return {
    minute: parseField(minute, fieldBounds.minute),
    hour: parseField(hour, fieldBounds.hour),
    dayOfMonth: parseField(dayOfMonth, fieldBounds.dayOfMonth),
    month: parseField(month, fieldBounds.month),
    dayOfWeek: parseField(dayOfWeek, fieldBounds.dayOfWeek),
  };
}

const everySchedule = (delayMs: number): CronSchedule => ({
  next: (afterMs) => Math.floor(afterMs / SECOND) * SECOND + delayMs,
  latest(afterMs, untilMs) {
    const first = Math.floor(afterMs / SECOND) * SECOND + delayMs;
    if (first > untilMs) return { atMs: undefined, count: 0, exact: true };
    const more = Math.floor((untilMs - first) / delayMs);
    return { atMs: first + more * delayMs, count: more + 1, exact: true };
  },
});

function fieldSchedule(masks: Masks, zone: Zone): CronSchedule {
  const next = rememberSpans((afterMs) => nextActivation(masks, zone, afterMs));
  return { next, latest: (afterMs, untilMs) => latestActivation(next, afterMs, untilMs) };
}

/** Cached spans per schedule: those around its last and its next run. */
const SPANS = 4;

/**
 * Caches spans without an activation. The first activation after an instant is also the first after any later
 * instant before it.
 */
function rememberSpans(
  walk: (afterMs: number) => number | undefined,
): (afterMs: number) => number | undefined {
  const spans: { readonly afterMs: number; readonly atMs: number }[] = [];
  let oldest = 0;
  return (afterMs) => {
    for (const span of spans) if (afterMs >= span.afterMs && afterMs < span.atMs) return span.atMs;
    const atMs = walk(afterMs);
    if (atMs === undefined) return undefined;
    spans[oldest] = { afterMs, atMs };
    oldest = (oldest + 1) % SPANS;
    return atMs;
  };
}

/**
 * Finds the latest activation by bisection, so that a gap of years costs as little as one of minutes. The
 * first hundred are counted one by one.
 */
function latestActivation(
  next: (afterMs: number) => number | undefined,
  afterMs: number,
  untilMs: number,
): ReturnType<CronSchedule['latest']> {
  let found = next(afterMs);
  if (found === undefined || found > untilMs) return { atMs: undefined, count: 0, exact: true };
  let count = 1;
  for (; count < COUNT_LIMIT; count++) {
    const following = next(found);
    if (following === undefined || following > untilMs) return { atMs: found, count, exact: true };
    found = following;
  }
  let low = found;
  let high = untilMs;
  while (high - low >= SECOND) {
    const middle = low + Math.floor((high - low) / 2 / SECOND) * SECOND;
    const reached = middle > low ? next(middle) : undefined;
    if (reached !== undefined && reached <= untilMs) {
      found = reached;
      low = middle;
    } else if (middle > low) {
      high = middle;
    } else break;
  }
  for (let later = next(found); later !== undefined && later <= untilMs; later = next(later)) found = later;
  return { atMs: found, count, exact: false };
}

/** An instant with its wall-clock time, with the arithmetic of Go's `time.Time`. */
interface Moment {
  readonly atMs: number;
  readonly wall: Date;
}

const momentOf = (zone: Zone, atMs: number): Moment => ({ atMs, wall: new Date(atMs + zone.offsetMs(atMs)) });

/** Go's `time.Date`. Its choice for an ambiguous or missing wall time determines what runs at DST changes. */
function fromWall(zone: Zone, wallMs: number): Moment {
  const guess = zone.offsetMs(wallMs);
  if (guess === 0) return momentOf(zone, wallMs);
  const settled = zone.offsetMs(wallMs - guess);
  return momentOf(zone, wallMs - (settled === guess ? guess : settled));
}

function startOfDay(
  zone: Zone,
  { wall }: Moment,
  day = wall.getUTCDate(),
  month = wall.getUTCMonth(),
): Moment {
  return fromWall(zone, Date.UTC(wall.getUTCFullYear(), month, day));
}

function addDate(zone: Zone, { wall }: Moment, months: number, days: number): Moment {
  return fromWall(
    zone,
    Date.UTC(
      wall.getUTCFullYear(),
      wall.getUTCMonth() + months,
      wall.getUTCDate() + days,
      wall.getUTCHours(),
      wall.getUTCMinutes(),
      wall.getUTCSeconds(),
    ),
  );
}

function dayMatches(masks: Masks, wall: Date): boolean {
  const dayOfMonth = matches(masks.dayOfMonth, wall.getUTCDate());
  const dayOfWeek = matches(masks.dayOfWeek, wall.getUTCDay());
  return masks.dayOfMonth.star || masks.dayOfWeek.star ? dayOfMonth && dayOfWeek : dayOfMonth || dayOfWeek;
}

/** robfig's algorithm: field by field from the month down, starting over when a larger field wraps. */
function nextActivation(masks: Masks, zone: Zone, afterMs: number): number | undefined {
  let at = momentOf(zone, (Math.floor(afterMs / SECOND) + 1) * SECOND);
  const lastYear = at.wall.getUTCFullYear() + 5;
  let trimmed = false;
  const trim = (to: () => Moment): void => {
    if (!trimmed) at = to();
    trimmed = true;
  };

  wrap: while (at.wall.getUTCFullYear() <= lastYear) {
    while (!matches(masks.month, at.wall.getUTCMonth() + 1)) {
      trim(() => startOfDay(zone, at, 1));
      at = addDate(zone, at, 1, 0);
      if (at.wall.getUTCMonth() === 0) continue wrap;
    }
    while (!dayMatches(masks, at.wall)) {
      trim(() => startOfDay(zone, at));
      at = nearestMidnight(zone, addDate(zone, at, 0, 1));
      if (at.wall.getUTCDate() === 1) continue wrap;
    }
    while (!matches(masks.hour, at.wall.getUTCHours())) {
      trim(() => fromWall(zone, Math.floor(at.wall.getTime() / HOUR) * HOUR));
      at = momentOf(zone, at.atMs + HOUR);
      if (at.wall.getUTCHours() === 0) continue wrap;
    }
    while (!matches(masks.minute, at.wall.getUTCMinutes())) {
      trim(() => momentOf(zone, Math.floor(at.atMs / MINUTE) * MINUTE));
      at = momentOf(zone, at.atMs + MINUTE);
      if (at.wall.getUTCMinutes() === 0) continue wrap;
    }
    while (at.wall.getUTCSeconds() !== 0) {
      trimmed = true;
      at = momentOf(zone, at.atMs + SECOND * (60 - at.wall.getUTCSeconds()));
      if (at.wall.getUTCSeconds() === 0) continue wrap;
    }
    return at.atMs;
  }
  return undefined;
}

/** Corrects a day added across a DST change, which may be an hour off midnight. */
function nearestMidnight(zone: Zone, at: Moment): Moment {
  const hour = at.wall.getUTCHours();
  if (hour === 0) return at;
  return momentOf(zone, at.atMs + (hour > 12 ? 24 - hour : -hour) * HOUR);
}
