/** A date and time without a zone. Months and days start with 1. */
export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** True if a schedule is due on the date. */
export type DayRule = (wall: WallTime) => boolean;

const LIMITS = {
  second: [0, 59],
  minute: [0, 59],
  hour: [0, 23],
  day: [1, 31],
  month: [1, 12],
  weekday: [0, 6],
} as const;
type Field = keyof typeof LIMITS;

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

function numberOf(text: string, field: Field): number | undefined {
  const name = text.toLowerCase();
  if (field === 'month' && MONTHS.includes(name)) return MONTHS.indexOf(name) + 1;
  if (field === 'weekday' && WEEKDAYS.includes(name)) return WEEKDAYS.indexOf(name);
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

/** Returns the values of a field of numbers, names, ranges, steps and lists; undefined for any other field. */
export function valuesOf(text: string, field: Field): ReadonlySet<number> | undefined {
  const [least, most] = LIMITS[field];
  const values = new Set<number>();
  for (const item of text.split(',')) {
    const [, range = '', step] = /^([^/]+)(?:\/(\d+))?$/.exec(item) ?? [];
    const [low = '', high] = range.split('-');
    const isAll = low === '*' || low === '?';
    const from = isAll ? least : numberOf(low, field);
    const open = isAll || (step !== undefined && high === undefined);
    const to = open ? most : numberOf(high ?? low, field);
    if (from === undefined || to === undefined || from > to || from < least || to > most) return undefined;
    for (let value = from; value <= to; value += Math.max(1, Number(step ?? 1))) values.add(value);
  }
  return values;
}

const weekdayOf = ({ year, month, day }: WallTime): number =>
  new Date(Date.UTC(year, month - 1, day)).getUTCDay();
const lengthOf = ({ year, month }: WallTime): number => new Date(Date.UTC(year, month, 0)).getUTCDate();
const isStar = (field: string): boolean => field.split(',').some((item) => /^[*?](?:\/0*1)?$/.test(item));

/** Returns the working day of the month that is nearest to a day; undefined if the month has no such day. */
function workingDay(wall: WallTime, near: number): number | undefined {
  const length = lengthOf(wall);
  if (near > length) return undefined;
  const isWorking = (day: number): boolean => {
    const weekday = weekdayOf({ ...wall, day });
    return day >= 1 && day <= length && weekday !== 0 && weekday !== 6;
  };
  return [0, -1, 1, -2, 2].map((more) => near + more).find(isWorking);
}

/** Returns the rule of one item of the field for days of the month. */
function dayOfMonth(item: string): DayRule | undefined {
  if (item === 'L') return (wall) => wall.day === lengthOf(wall);
  if (item === 'LW') return (wall) => wall.day === workingDay(wall, lengthOf(wall));
  const [, near] = /^(\d+)W$/.exec(item) ?? [];
  if (near !== undefined) return (wall) => wall.day === workingDay(wall, Number(near));
  const values = valuesOf(item, 'day');
  return values && (({ day }) => values.has(day));
}

/** Returns the rule of one item of the field for weekdays. */
function dayOfWeek(item: string): DayRule | undefined {
  const [, name = '', nth, last] = /^(\w+?)(?:#([1-5])|(L))$/.exec(item) ?? [];
  const weekday = numberOf(name, 'weekday');
  if (nth !== undefined && weekday !== undefined)
    return (wall) =>
      weekdayOf(wall) === weekday && wall.day > (Number(nth) - 1) * 7 && wall.day <= Number(nth) * 7;
  if (last !== undefined && weekday !== undefined)
    return (wall) => weekdayOf(wall) === weekday && wall.day > lengthOf(wall) - 7;
  const values = valuesOf(item, 'weekday');
  return values && ((wall) => values.has(weekdayOf(wall)));
}

function anyOf(items: readonly (DayRule | undefined)[]): DayRule | undefined {
  const rules = items.filter((rule) => rule !== undefined);
  return rules.length === items.length ? (wall) => rules.some((rule) => rule(wall)) : undefined;
}

/**
 * Returns the rule of the two fields for days; undefined for a field that this file does not read. A date
 * matches if both fields match, or if either matches and none of them is `*`
 * (https://man7.org/linux/man-pages/man5/crontab.5.html).
 */
export function dayRuleOf(day: string, weekday: string): DayRule | undefined {
  const ofMonth = anyOf(day.split(',').map(dayOfMonth));
  const ofWeek = anyOf(weekday.split(',').map(dayOfWeek));
  if (!ofMonth || !ofWeek) return undefined;
  return isStar(day) || isStar(weekday)
    ? (wall) => ofMonth(wall) && ofWeek(wall)
    : (wall) => ofMonth(wall) || ofWeek(wall);
}
