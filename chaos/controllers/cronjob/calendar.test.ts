import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSchedule } from '../../../base/cron/index.ts';
import { readCalendar } from './calendar.ts';

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'] as const;
/** Days about changes of daylight saving, the end of a month, of a leap year, and ordinary ones. */
const DAYS = [
  '2026-03-29',
  '2026-10-25',
  '2026-03-08',
  '2026-11-01',
  '2028-02-29',
  '2026-04-05',
  '2026-06-17',
];

const minute = fc.constantFrom('*', '*/7', '0', '5-55/10', '7,27,47', '30', '59');
const hour = fc.constantFrom('*', '*/2', '0', '1-3', '2', '2,14', '23');
const day = fc.constantFrom('*', '?', '1', '29', '8,25', '1-31/2', '*/2');
const month = fc.constantFrom('*', '3', 'oct', '2-4', '*/3');
const weekday = fc.constantFrom('*', '0', 'sun', '1-5', 'sun,wed', '*/2');
const standard = fc.tuple(minute, hour, day, month, weekday).map((fields) => fields.join(' '));
const extended = fc
  .tuple(
    fc.constantFrom('0', '30', '*/20'),
    minute,
    hour,
    fc.constantFrom('*', 'L', '1W', '29W', '15W', 'LW', '31W', '1,L'),
    month,
    fc.constantFrom('*', 'SUN#1', 'WED#3', '5L', '0L', 'SUN#5', '3'),
  )
  .map((fields) => fields.join(' '));

const HOUR = 3_600_000;

describe('the calendar of the oracle', () => {
  it.each([
    ['standard', standard],
    ['extended', extended],
  ])('has the due times of the parser with random %s schedules', (dialect, schedules) => {
    fc.assert(
      fc.property(
        schedules,
        fc.constantFrom(...ZONES),
        fc.constantFrom(...DAYS),
        fc.integer({ min: 0, max: 24 * 60 * 60 }),
        fc.integer({ min: 1, max: 60 }),
        (schedule, timeZone, date, seconds, hours) => {
          const calendar = readCalendar(schedule, timeZone, dialect === 'extended');
          const parsed = parseSchedule({ schedule, timeZone, dialect, uid: 'a' });
          const afterMs = Date.parse(`${date}T00:00:00Z`) - 12 * HOUR + seconds * 1_000;
          const untilMs = afterMs + hours * HOUR;
          const { atMs, count, exact } = parsed.latest(afterMs, untilMs);
          expect(calendar?.latest(afterMs, untilMs), schedule).toBe(atMs);
          if (atMs !== undefined) expect(calendar?.has(atMs)).toBe(true);
          if (exact) expect(calendar?.count(afterMs, untilMs, 1_000)).toBe(count);
          expect(calendar?.has(afterMs)).toBe(parsed.next(afterMs - 1) === afterMs);
        },
      ),
      { numRuns: 200, seed: 2 },
    );
  });

  it.each(['H * * * *', '@every 5m', '61 * * * *', '* * * * 1-', '* * *'])('does not read %s', (schedule) => {
    expect(readCalendar(schedule, 'UTC', true)).toBeUndefined();
  });

  it('reads the zone of a prefix', () => {
    const calendar = readCalendar('TZ=Asia/Kolkata 0 6 * * *', undefined, false);
    expect(calendar?.has(Date.parse('2026-01-01T00:30:00Z'))).toBe(true);
  });
});
