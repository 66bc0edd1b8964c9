import { type ReadItem, invalidItem, isStar } from './extended-item.ts';

/** Days that a day field matches. A day is the date of a wall-clock time that is represented as UTC. */
export interface DayField {
  /** True if the field is `*`. This decides whether the two day fields are combined by AND or OR. */
  readonly star: boolean;
  matches(wall: Date): boolean;
}

const SATURDAY = 6;
const SUNDAY = 0;

/**
 * Reads a day-of-month field with `L` (last day), `15W` (weekday nearest to the 15th) and `LW` (last
 * weekday).
 *
 * `H` yields a day from 1 to 28, so that every month has that day.
 */
export function readDayOfMonth(read: ReadItem, position: number, field: string): DayField {
  const days = new Set<number>();
  const nearest = new Set<number>();
  let last = false;
  let lastWeekday = false;
  const items = field.split(',');
  for (const item of items) {
    const [, near] = /^(\d{1,2}|L)W$/.exec(item) ?? [];
    if (near === 'L') lastWeekday = true;
    else if (near !== undefined) nearest.add(dayOf(near, position, item));
    else
      for (const value of read(position, item.replace(/^H(?=\/|$)/, 'H(1-28)')).values)
        if (value === 'L') last = true;
        else days.add(Number(value));
  }
  return {
    star: items.some(isStar),
    matches(wall) {
      const day = wall.getUTCDate();
      if (days.has(day)) return true;
      const length = monthLength(wall);
      if (last && day === length) return true;
      const weekday = wall.getUTCDay();
      if (weekday === SATURDAY || weekday === SUNDAY) return false;
      if (lastWeekday && day === nearestWeekday(length, day, weekday, length)) return true;
      for (const near of nearest) if (day === nearestWeekday(near, day, weekday, length)) return true;
      return false;
    },
  };
}

function dayOf(text: string, position: number, item: string): number {
  const day = Number(text);
  if (day < 1 || day > 31) throw invalidItem(position, item, `expected a day from 1 to 31 before W`);
  return day;
}

const monthLength = (wall: Date): number =>
  new Date(Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth() + 1, 0)).getUTCDate();

/**
 * Returns the day of the month of the weekday nearest to the day `near`. Returns undefined if the month has
 * no day `near`. The result stays within the month: for the 1st on a Saturday, it is Monday the 3rd.
 * @param day a day of the month whose weekday is known
 * @param weekday weekday of `day`, 0 for Sunday
 * @param length number of days in the month
 */
function nearestWeekday(near: number, day: number, weekday: number, length: number): number | undefined {
  if (near > length) return undefined;
  const at = (((weekday + near - day) % 7) + 7) % 7;
  if (at === SATURDAY) return near === 1 ? 3 : near - 1;
  if (at === SUNDAY) return near === length ? near - 2 : near + 1;
  return near;
}

/** Reads a day-of-week field with `5L` (last Friday of the month) and `FRI#2` (second Friday). */
export function readDayOfWeek(read: ReadItem, position: number, field: string): DayField {
  const weekdays = new Set<number>();
  const last = new Set<number>();
  /** Weekdays with their occurrence in the month, as `7 × occurrence + weekday`. */
  const nth = new Set<number>();
  const items = field.split(',');
  for (const item of items) {
    if (item.includes('#') && !/^[^#]+#[1-5]$/.test(item))
      throw invalidItem(position, item, 'expected an occurrence from 1 to 5 after #');
    const parsed = read(position, withoutSecondSunday(item));
    for (const value of parsed.values) {
      const weekday = Number.parseInt(String(value), 10) % 7;
      if (String(value).endsWith('L')) last.add(weekday);
      else if (parsed.nth > 0) nth.add(7 * parsed.nth + weekday);
      else weekdays.add(weekday);
    }
  }
  return {
    star: items.some(isStar),
    matches(wall) {
      const weekday = wall.getUTCDay();
      if (weekdays.has(weekday)) return true;
      const day = wall.getUTCDate();
      return nth.has(7 * Math.ceil(day / 7) + weekday) || (last.has(weekday) && day + 7 > monthLength(wall));
    },
  };
}

/**
 * Limits an open step and `H` to the range 0 (Sunday) to 6 (Saturday).
 *
 * cron-parser limits them to 7, which is a second Sunday. This would add a day to `1/2`, and make Sunday
 * twice as likely for `H`.
 */
const withoutSecondSunday = (item: string): string =>
  item.replace(/^H(?=\/|$)/, 'H(0-6)').replace(/^([0-6]|[a-z]{3})\//i, '$1-6/');
