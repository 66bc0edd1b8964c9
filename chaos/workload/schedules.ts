/** Minutes of a schedule with an interval of several minutes, so that a run is rare enough to be observed. */
const MINUTES = ['*/10', '5-55/10', '0,20,40', '7,27,47', '*/15,53', '30/10'];

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Fields of a schedule that match a date, or do not, in several forms. */
interface DateFields {
  readonly hours: readonly string[];
  readonly days: readonly string[];
  readonly months: readonly string[];
  readonly weekdays: readonly string[];
}

function fieldsOf(startMs: number): DateFields {
  const start = new Date(startMs);
  const [hour, day] = [start.getUTCHours(), start.getUTCDate()];
  const [month, weekday] = [start.getUTCMonth(), start.getUTCDay()];
  const next = (hour + 1) % 24;
  return {
    hours: [
      `${Math.min(hour, next)},${Math.max(hour, next)}`,
      `${hour}`,
      `${next}`,
      `${hour}-23`,
      '*/2',
      '1-23/2',
    ],
    days: [`${day}`, `${day},${(day % 28) + 1}`, '?', '1-31/2', '2-30/2', `${(day % 28) + 1}`],
    months: [`${month + 1}`, MONTHS[month] ?? '', '*/2', `1-${month + 1}`, `${((month + 1) % 12) + 1}`],
    weekdays: [`${weekday}`, WEEKDAYS[weekday] ?? '', '1-5', `${(weekday + 1) % 7}`, 'sat,sun', '*/2'],
  };
}

/**
 * Returns schedules about a time: each field in each of its forms, alone and with another one. Some are never
 * due on the day of the run.
 */
export function schedulesAbout(startMs: number): readonly string[] {
  const { hours, days, months, weekdays } = fieldsOf(startMs);
  const nth = <T>(items: readonly T[], at: number): T => items[at % items.length] as T;
  return [
    ...MINUTES.map((minutes) => `${minutes} * * * *`),
    ...hours.map((hour, at) => `${nth(MINUTES, at)} ${hour} * * *`),
    ...days.map((day, at) => `${nth(MINUTES, at)} * ${day} * *`),
    ...months.map((month, at) => `${nth(MINUTES, at)} * * ${month} *`),
    ...weekdays.map((weekday, at) => `${nth(MINUTES, at)} * * * ${weekday}`),
    // Both fields for days: either may match.
    ...days.map((day, at) => `${nth(MINUTES, at + 1)} * ${day} * ${nth(weekdays, at)}`),
    ...days.map((day, at) => `${nth(MINUTES, at + 2)} ${nth(hours, at)} ${day} ${nth(months, at)} *`),
    '@hourly',
    '@daily',
  ];
}

/** Returns schedules of the extended dialect about a time. */
export function extendedSchedulesAbout(startMs: number): readonly string[] {
  const start = new Date(startMs);
  const [day, weekday] = [start.getUTCDate(), start.getUTCDay()];
  const nth = Math.ceil(day / 7);
  const name = (WEEKDAYS[weekday] ?? '').toUpperCase();
  return [
    '15 */10 * * * *',
    '20 */20 * * * *',
    '5 5-55/10 * ? * *',
    ...['L', 'LW', `${day}W`, `${(day % 28) + 1}W`, '1W'].map((each) => `*/10 * ${each} * *`),
    ...[`${name}#${nth}`, `${name}#${(nth % 5) + 1}`, `${weekday}L`].map((each) => `*/10 * * * ${each}`),
    `0 */15 * ${day}W * ${weekday}L`,
  ];
}
