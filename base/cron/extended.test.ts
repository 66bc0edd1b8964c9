import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leastProcessorMs } from '../../test/processor-time.ts';
import { parseCron } from './cron.ts';
import { parseSchedule } from './dialect.ts';
import { parseExtendedCron } from './extended.ts';
import { activations } from './activations.fixture.ts';

const at = (text: string): number => Date.parse(text);
const runs = (text: string, zone: string, from: string, count: number): readonly string[] =>
  activations(parseExtendedCron(text, 'u1', zone), at(from), count).map((ms) =>
    new Date(ms).toISOString().replace('.000Z', 'Z'),
  );
const days = (text: string, from: string, count: number): readonly string[] =>
  runs(text, 'UTC', from, count).map((time) => time.slice(0, 10));

describe('extended schedule', () => {
  it.each([
    ['L', '0 0 L * *', ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30']],
    ['L in a list', '0 0 L,15 * *', ['2026-01-15', '2026-01-31', '2026-02-15', '2026-02-28']],
    ['L in a leap year', '0 0 L 2 *', ['2026-02-28', '2027-02-28', '2028-02-29']],
    ['5L', '0 0 * * 5L', ['2026-01-30', '2026-02-27', '2026-03-27']],
    ['FRIL', '0 0 * * FRIL', ['2026-01-30', '2026-02-27', '2026-03-27']],
    ['7L, a Sunday', '0 0 * * 7L', ['2026-01-25', '2026-02-22']],
    ['#2', '0 0 * * MON#2', ['2026-01-12', '2026-02-09', '2026-03-09']],
    ['#5, which few months have', '0 0 * * 1#5', ['2026-03-30', '2026-06-29', '2026-08-31']],
    ['a list with #', '0 0 * * MON#1,FRI#3', ['2026-01-05', '2026-01-16', '2026-02-02', '2026-02-20']],
    ['a list with # and L', '0 0 * * TUE#1,TUEL', ['2026-01-06', '2026-01-27', '2026-02-03', '2026-02-24']],
    // 15 February and 15 March 2026 are Sundays, 15 August is a Saturday.
    ['15W', '0 0 15W 2,3,8 *', ['2026-02-16', '2026-03-16', '2026-08-14']],
    // 1 February and 1 March 2026 are Sundays, 1 August is a Saturday. The result stays within the month.
    ['1W', '0 0 1W 2,3,8 *', ['2026-02-02', '2026-03-02', '2026-08-03']],
    // 31 January and 31 October 2026 are Saturdays, 31 May is a Sunday; April has no 31st.
    ['31W', '0 0 31W 1,4,5,10 *', ['2026-01-30', '2026-05-29', '2026-10-30']],
    ['LW', '0 0 LW * *', ['2026-01-30', '2026-02-27', '2026-03-31', '2026-04-30', '2026-05-29']],
    ['a list with W', '0 0 1W,LW,10 1 *', ['2026-01-01', '2026-01-10', '2026-01-30']],
    ['7 as Sunday', '0 0 * * 7', ['2026-01-04', '2026-01-11']],
  ])('supports %s: %s', (_, text, expected) => {
    expect(days(text, '2025-12-31T00:00:00Z', expected.length)).toEqual(expected);
  });

  it('combines L and a day of week by OR, and by AND if one is a star', () => {
    expect(days('0 0 L * MON#1', '2026-01-01T00:00:00Z', 4)).toEqual([
      '2026-01-05',
      '2026-01-31',
      '2026-02-02',
      '2026-02-28',
    ]);
  });

  it.each([
    ['*/20 * * * * *', ['00:00:20', '00:00:40', '00:01:00']],
    ['5,10-11 30 6 * * *', ['06:30:05', '06:30:10', '06:30:11', '06:30:05']],
    ['59 59 23 * * *', ['23:59:59', '23:59:59']],
    ['30 */30 * * * *', ['00:00:30', '00:30:30', '01:00:30']],
  ])('supports seconds: %s', (text, times) => {
    expect(runs(text, 'UTC', '2026-03-01T00:00:00Z', times.length).map((time) => time.slice(11, 19))).toEqual(
      times,
    );
  });

  it.each([
    // A wall-clock time that the clock skips has no activation; a repeated one has two.
    ['15 30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', ['2026-03-30T00:30:15Z']],
    [
      '15 30 2 * * *',
      'Europe/Berlin',
      '2026-10-24T12:00:00Z',
      ['2026-10-25T00:30:15Z', '2026-10-25T01:30:15Z', '2026-10-26T01:30:15Z'],
    ],
    ['0 30 2 L 3 *', 'America/New_York', '2026-03-01T00:00:00Z', ['2026-03-31T06:30:00Z']],
    // The second Sunday of March is the day of the clock change, on which 02:30 does not exist.
    ['30 2 * 3 SUN#2', 'America/New_York', '2026-03-01T00:00:00Z', []],
    [
      '59 59 1 * * *',
      'America/New_York',
      '2026-03-07T12:00:00Z',
      ['2026-03-08T06:59:59Z', '2026-03-09T05:59:59Z'],
    ],
    ['0 30 2 1W 3 *', 'America/New_York', '2026-02-01T00:00:00Z', ['2026-03-02T07:30:00Z']],
  ])('is active by the rule for clock changes: %s in %s after %s', (text, zone, from, expected) => {
    expect(runs(text, zone, from, Math.max(1, expected.length))).toEqual(expected);
  });

  it.each([
    ['second', 'H * * * * *', 60_000],
    ['minute', 'H * * * *', 3_600_000],
    ['hour', '0 H * * *', 86_400_000],
  ])('derives H in the %s from the seed, evenly and repeatably', (_, text, periodMs) => {
    const offsets = Array.from({ length: 200 }, (__, seed) => {
      const [first = 0, second = 0] = activations(parseExtendedCron(text, `uid-${seed}`, 'UTC'), 0, 2);
      expect(second - first).toBe(periodMs);
      expect(activations(parseExtendedCron(` ${text}`, `uid-${seed}`, 'UTC'), 0, 1)).toEqual([first]);
      return first % periodMs;
    });
    for (let quarter = 0; quarter < 4; quarter++) {
      const inQuarter = offsets.filter((ms) => Math.floor((ms / periodMs) * 4) === quarter);
      expect(inQuarter.length).toBeGreaterThan(30);
    }
  });

  it('derives from H a day that every month has, and every day of the week', () => {
    const weekdays = new Set<number>();
    for (let seed = 0; seed < 100; seed++) {
      expect(
        activations(parseExtendedCron('0 0 H * *', `uid-${seed}`, 'UTC'), at('2026-01-01'), 12),
      ).toHaveLength(12);
      const [first = 0] = activations(parseExtendedCron('0 0 * * H', `uid-${seed}`, 'UTC'), 0, 1);
      weekdays.add(new Date(first).getUTCDay());
      const [hour = 0] = activations(parseExtendedCron('0 H(9-16) * * *', `uid-${seed}`, 'UTC'), 0, 1);
      expect(new Date(hour).getUTCHours()).toBeGreaterThanOrEqual(9);
      expect(new Date(hour).getUTCHours()).toBeLessThanOrEqual(16);
    }
    expect(weekdays.size).toBe(7);
  });

  it.each([
    ['* * * *', 'expected 5 or 6 fields, found 4'],
    ['* * * * * * *', 'expected 5 or 6 fields, found 7'],
    ['60 * * * * *', 'invalid second "60"'],
    ['0 60 * * * *', 'invalid minute "60"'],
    ['0 0 0 32 * *', 'invalid day of month "32"'],
    ['0 0 32W * *', 'invalid day of month "32W": expected a day from 1 to 31 before W'],
    ['0 0 0W * *', 'invalid day of month "0W"'],
    ['0 0 W * *', 'invalid day of month "W"'],
    ['0 0 1-5W * *', 'invalid day of month "1-5W"'],
    ['0 0 L-3 * *', 'invalid day of month "L-3"'],
    ['0 0 * * L', 'invalid day of week "L"'],
    ['0 0 * * MON#6', 'invalid day of week "MON#6": expected an occurrence from 1 to 5 after #'],
    ['0 0 * * MON#1.5', 'invalid day of week "MON#1.5"'],
    ['0 0 * * MON#', 'invalid day of week "MON#"'],
    ['0 0 * * 1-5#2', 'invalid day of week "1-5#2"'],
    ['L * * * *', 'invalid minute "L"'],
    ['0 0 1,,L * *', 'invalid day of month ""'],
    ['H(50-70) * * * *', 'invalid minute "H(50-70)"'],
    ['H/0 * * * *', 'invalid minute "H/0"'],
    ['TZ=UTC 0 0 L * *', 'no time zone is accepted in the schedule'],
    ['@fortnightly', 'unrecognized descriptor: @fortnightly'],
  ])('is rejected with text %j: %s', (text, message) => {
    expect(() => parseExtendedCron(text, 'u1', 'UTC')).toThrow(message);
  });

  it('is rejected with a description of what is accepted', () => {
    expect(() => parseExtendedCron('0 0 X * *', 'u1', 'UTC')).toThrow(
      'with H in every field, L, 15W and LW in the day of month, and 5L and FRI#2 in the day of week',
    );
  });

  it('is rejected with more than 1,024 characters', () => {
    expect(() => parseExtendedCron(`0 0 L${',1'.repeat(600)} * *`, 'u1')).toThrow('at most 1024 characters');
  });

  it('counts activations in seconds if it may be active more than once a minute', () => {
    expect(parseExtendedCron('0 0 L * *', 'u1').unitMs).toBe(60_000);
    expect(parseExtendedCron('@hourly', 'u1').unitMs).toBe(60_000);
    expect(parseExtendedCron('0 0 0 L * *', 'u1').unitMs).toBe(1_000);
    expect(parseExtendedCron('@every 10s', 'u1').unitMs).toBe(1_000);
    expect(parseCron('@every 10s').unitMs).toBe(60_000);
  });

  it('has no next time for a date that never occurs, and finds that quickly', () => {
    const spentMs = leastProcessorMs(1_000, () => {
      expect(parseExtendedCron('*/1 * * 31 2 *', 'u1', 'Europe/Berlin').next(0)).toBeUndefined();
      expect(parseExtendedCron('0 0 31W 2,4,6,9,11 *', 'u1', 'UTC').next(0)).toBeUndefined();
    });
    expect(spentMs).toBeLessThan(1_000);
  });

  it('finds the latest activation of every second of ten years quickly', () => {
    const everySecond = parseExtendedCron('* * * * * *', 'u1', 'Europe/Berlin');
    const spentMs = leastProcessorMs(1_000, () =>
      expect(everySecond.latest(at('2016-01-01T00:00:00Z'), at('2026-03-29T10:07:30.5Z'))).toEqual({
        atMs: at('2026-03-29T10:07:30Z'),
        count: 101,
        exact: false,
      }),
    );
    expect(spentMs).toBeLessThan(1_000);
  });

  it('is parsed from any text, or rejected with an Error', () => {
    const word = fc.oneof(
      fc.string({ maxLength: 6 }),
      fc.constantFrom(
        '*',
        '*/5',
        '1-5',
        '?',
        'mon',
        'L',
        'LW',
        '15W',
        '5L',
        'FRI#2',
        'H',
        'H/7',
        'H(1-3)',
        '59',
        ',',
        '@every',
      ),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 7 }), (words) => {
        try {
          parseExtendedCron(words.join(' '), 'u1', 'UTC').next(0);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(Error);
          expect(thrown).not.toBeInstanceOf(TypeError);
          expect(thrown).not.toBeInstanceOf(RangeError);
        }
      }),
    );
  });
});

describe('schedule dialect', () => {
  const source = { schedule: '0 0 L * *', timeZone: 'UTC', uid: 'u1' };

  it('is the standard one by default', () => {
    expect(() => parseSchedule(source)).toThrow('failed to parse int from L');
    expect(() => parseSchedule({ ...source, dialect: 'standard' })).toThrow('failed to parse int from L');
    expect(parseSchedule({ ...source, dialect: 'extended' }).next(0)).toBe(at('1970-01-31'));
  });

  it('is rejected with the accepted dialects if it is unknown', () => {
    expect(() => parseSchedule({ ...source, dialect: 'quartz' })).toThrow(
      'unknown schedule dialect "quartz": accepted are standard and extended',
    );
  });
});
