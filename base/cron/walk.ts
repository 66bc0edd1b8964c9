import { matches, type FieldMask } from './field.ts';
import type { CronSchedule } from './schedule.ts';
import type { Zone } from './zone.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Number of missed activations from which on activations are not counted individually. */
const COUNT_LIMIT = 101;

/** Wall-clock times at which a schedule is active. */
export interface Masks {
  readonly second: FieldMask;
  readonly minute: FieldMask;
  readonly hour: FieldMask;
  readonly month: FieldMask;
  /** True if a date matches the day fields. The date is that of a wall-clock time represented as UTC. */
  matchesDay(wall: Date): boolean;
}

/**
 * Returns the schedule that is active whenever the wall-clock time of the zone matches.
 *
 * A wall-clock time that is skipped at a daylight-saving change has no activation; a repeated one has two.
 * Both dialects use this function, so they have the same rule.
 * @param unitMs unit by which names number activations, see `CronSchedule`
 */
export function fieldSchedule(masks: Masks, zone: Zone, unitMs: number): CronSchedule {
  const next = rememberSpans((afterMs) => nextActivation(masks, zone, afterMs));
  return { unitMs, next, latest: (afterMs, untilMs) => latestActivation(next, afterMs, untilMs) };
}

/** Number of cached spans per schedule, enough for the spans around its last and its next run. */
const SPANS = 4;

/**
 * Caches spans without an activation. If `next(a)` is `b`, then `next` is also `b` for every instant between
 * `a` and `b`.
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
 * Finds the latest activation by bisection, so that an interval of years costs as little as one of minutes.
 * The first hundred activations are counted individually.
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

/** Instant and its wall-clock time, with the arithmetic of Go's `time.Time`. */
interface Moment {
  readonly atMs: number;
  readonly wall: Date;
}

const momentOf = (zone: Zone, atMs: number): Moment => ({ atMs, wall: new Date(atMs + zone.offsetMs(atMs)) });

/**
 * Returns the instant of a wall-clock time, like Go's `time.Date`. Its choice for an ambiguous or missing
 * wall-clock time determines which activations exist at daylight-saving changes.
 */
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

/**
 * Returns the first activation after an instant, by robfig's algorithm. It advances field by field, from the
 * month to the second, and starts over when a larger field wraps around.
 */
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
    while (!masks.matchesDay(at.wall)) {
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
    const second = at.wall.getUTCSeconds();
    const due = nextValue(masks.second, second);
    if (due === second) return at.atMs;
    trimmed = true;
    at = momentOf(zone, at.atMs + SECOND * ((due ?? 60) - second));
  }
  return undefined;
}

/** Returns the smallest value that matches the field and is at least `from`. */
function nextValue({ values }: FieldMask, from: number): number | undefined {
  for (let value = from; value < 60; value++) if (values.has(value)) return value;
  return undefined;
}

/**
 * Corrects the result of adding a day across a daylight-saving change, which may be an hour before or after
 * midnight.
 */
function nearestMidnight(zone: Zone, at: Moment): Moment {
  const hour = at.wall.getUTCHours();
  if (hour === 0) return at;
  return momentOf(zone, at.atMs + (hour > 12 ? 24 - hour : -hour) * HOUR);
}
