import { createLruMap } from '../cache/lru-map.ts';
import { parseGoDuration } from './duration.ts';
import { fieldBounds, matches, parseField } from './field.ts';
import type { CronSchedule } from './schedule.ts';
import { type Masks, fieldSchedule } from './walk.ts';
import { type Zone, localZone, zoneOf } from './zone.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

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
 * Maximum length of a schedule in characters. robfig/cron has no limit. A field that lists every value once
 * has fewer than 200 characters.
 */
const MAX_LENGTH = 10_000;
/** Maximum length of a cached schedule in characters, which bounds the memory of the cache. */
const MAX_KEPT_LENGTH = 256;

/** Parsed schedules with their last activations, by time zone and text. */
const schedules = createLruMap<CronSchedule>(4_096);

/**
 * Parses a schedule like `ParseStandard` of robfig/cron v3
 * (https://pkg.go.dev/github.com/robfig/cron/v3#ParseStandard). Throws an error with robfig's message for an
 * invalid schedule, and an error for more than 10,000 characters.
 * @param zoneName IANA time zone, by default that of the process; a prefix `TZ=` or `CRON_TZ=` in the text
 * takes precedence
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
  return fieldSchedule(parseMasks(spec), zone ?? localZone(), MINUTE);
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

/** White space as Go defines it: U+0085 (next line) is included, the byte order mark is not. */
export const SPACE = /(?:[^\S\ufeff]|\u0085)+/;

const FULL_MINUTE = { values: new Set([0]), star: false };

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
  const days = parseField(dayOfMonth, fieldBounds.dayOfMonth);
  const weekdays = parseField(dayOfWeek, fieldBounds.dayOfWeek);
  const matchesBoth = days.star || weekdays.star;
  return {
    second: FULL_MINUTE,
    minute: parseField(minute, fieldBounds.minute),
    hour: parseField(hour, fieldBounds.hour),
    month: parseField(month, fieldBounds.month),
    matchesDay(wall) {
      const isDay = matches(days, wall.getUTCDate());
      const isWeekday = matches(weekdays, wall.getUTCDay());
      return matchesBoth ? isDay && isWeekday : isDay || isWeekday;
    },
  };
}

const everySchedule = (delayMs: number): CronSchedule => ({
  unitMs: MINUTE,
  next: (afterMs) => Math.floor(afterMs / SECOND) * SECOND + delayMs,
  latest(afterMs, untilMs) {
    const first = Math.floor(afterMs / SECOND) * SECOND + delayMs;
    if (first > untilMs) return { atMs: undefined, count: 0, exact: true };
    const more = Math.floor((untilMs - first) / delayMs);
    return { atMs: first + more * delayMs, count: more + 1, exact: true };
  },
});
