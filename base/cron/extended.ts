import { createLruMap } from '../cache/lru-map.ts';
import { SPACE, parseCron } from './cron.ts';
import { type DayField, readDayOfMonth, readDayOfWeek } from './extended-days.ts';
import { ACCEPTED, type ReadItem, createItemReader, isStar } from './extended-item.ts';
import type { FieldMask } from './field.ts';
import type { CronSchedule } from './schedule.ts';
import { fieldSchedule } from './walk.ts';
import { localZone, zoneOf } from './zone.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Maximum length of a schedule in characters, as in cron-parser. */
const MAX_LENGTH = 1_024;
/** Maximum length of a cached schedule in characters, which bounds the memory of the cache. */
const MAX_KEPT_LENGTH = 256;
const DAY_OF_MONTH = 3;
const DAY_OF_WEEK = 5;

/** Parsed schedules with their last activations, by time zone, seed and text. */
const schedules = createLruMap<CronSchedule>(4_096);

/**
 * Parses a schedule of the extended dialect. A text that is valid in the standard dialect has the same
 * meaning in both dialects.
 *
 * cron-parser reads each item of each field. The algorithm of the standard dialect computes the activations,
 * so that both dialects have the same rule for daylight-saving changes.
 *
 * cron-parser is loaded at the first schedule that is invalid in the standard dialect. Throws an error that
 * names the invalid item and what is accepted.
 * @param seed text from which `H` derives its values; the same seed always yields the same values
 * @param zoneName IANA time zone, by default that of the process
 */
export function parseExtendedCron(text: string, seed: string, zoneName?: string): CronSchedule {
  if (text.length > MAX_LENGTH)
    throw new Error(`expected at most ${MAX_LENGTH} characters, found ${text.length}`);
  const key = JSON.stringify([zoneName ?? '', hasHash(text) ? seed : '', text]);
  const known = schedules.get(key);
  if (known !== undefined) return known;
  const schedule = parseEither(text, seed, zoneName);
  if (key.length <= MAX_KEPT_LENGTH) schedules.set(key, schedule);
  return schedule;
}

/** True if the text has an `H` outside of a name such as `THU`. */
const hasHash = (text: string): boolean => text.replace(/[a-z]{3}/gi, '').includes('H');

function parseEither(text: string, seed: string, zoneName: string | undefined): CronSchedule {
  if (/^(?:CRON_)?TZ=/.test(text))
    throw new Error(`no time zone is accepted in the schedule, found ${text}: use the time zone field`);
  const parts = text.split(SPACE).filter((part) => part !== '');
  if (text.startsWith('@')) {
    const schedule = parseCron(text, zoneName);
    // An interval may be shorter than a minute.
    return text.startsWith('@every') ? { ...schedule, unitMs: SECOND } : schedule;
  }
  if (parts.length !== 5 && parts.length !== 6)
    throw new Error(`expected 5 or 6 fields, found ${parts.length}: [${parts.join(' ')}]; ${ACCEPTED}`);
  return (
    (parts.length === 5 ? parseAsStandard(text, zoneName) : undefined) ?? parseFields(parts, seed, zoneName)
  );
}

/**
 * Parses a schedule in the standard dialect. Returns undefined if the schedule is invalid in that dialect.
 */
function parseAsStandard(text: string, zoneName: string | undefined): CronSchedule | undefined {
  try {
    return parseCron(text, zoneName);
  } catch {
    return undefined;
  }
}

function parseFields(parts: readonly string[], seed: string, zoneName: string | undefined): CronSchedule {
  const zone = zoneName === undefined ? localZone() : zoneOf(zoneName);
  const unitMs = parts.length === 6 ? SECOND : MINUTE;
  const fields = parts.length === 6 ? parts : ['0', ...parts];
  const read = createItemReader(seed);
  const maskAt = (position: number): FieldMask => readMask(read, position, fields[position] ?? '');
  const dayOfMonth = readDayOfMonth(read, DAY_OF_MONTH, fields[DAY_OF_MONTH] ?? '');
  const dayOfWeek = readDayOfWeek(read, DAY_OF_WEEK, fields[DAY_OF_WEEK] ?? '');
  const masks = {
    second: maskAt(0),
    minute: maskAt(1),
    hour: maskAt(2),
    month: maskAt(4),
    matchesDay: (wall: Date) => matchesDay(dayOfMonth, dayOfWeek, wall),
  };
  return fieldSchedule(masks, zone, unitMs);
}

/**
 * True if the date matches the day fields. They are combined by OR, or by AND if one of them is `*`, as in
 * the standard dialect.
 */
function matchesDay(dayOfMonth: DayField, dayOfWeek: DayField, wall: Date): boolean {
  const isDay = dayOfMonth.matches(wall);
  const isWeekday = dayOfWeek.matches(wall);
  return dayOfMonth.star || dayOfWeek.star ? isDay && isWeekday : isDay || isWeekday;
}

/** Reads a field of numbers. */
function readMask(read: ReadItem, position: number, field: string): FieldMask {
  const values = new Set<number>();
  const items = field.split(',');
  for (const item of items) for (const value of read(position, item).values) values.add(Number(value));
  return { values, star: items.some(isStar) };
}
