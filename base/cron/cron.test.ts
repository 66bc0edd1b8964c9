import fc from 'fast-check';
import { CronExpressionParser } from 'cron-parser';
import { describe, expect, it } from 'vitest';
import { parseCron } from './cron.ts';
import { parseGoDuration } from './duration.ts';
import { isTimeZone, zoneOf } from './zone.ts';

const at = (text: string): number => Date.parse(text);
const runs = (schedule: string, zone: string, from: string, count: number): readonly string[] => {
  const parsed = parseCron(schedule, zone);
  const found: string[] = [];
  for (let next = parsed.next(at(from)); next !== undefined && found.length < count; next = parsed.next(next))
    found.push(new Date(next).toISOString().replace(':00.000Z', 'Z'));
  return found;
};

describe('cron schedule', () => {
  it('rejects more than 10,000 characters', () => {
    const long = `0 0 * * ${'0,'.repeat(5_000)}`;
    expect(() => parseCron(long)).toThrow('expected at most 10000 characters, found 10008');
    expect(parseCron(long.slice(0, 10_000)).next(0)).toBeDefined();
  });

  it.each([
    ['*/15 * * * *', ['00:15', '00:30', '00:45', '01:00']],
    ['5/20 * * * *', ['00:05', '00:25', '00:45', '01:05']],
    ['0 6-8 * * *', ['06:00', '07:00', '08:00']],
    ['30 4 * * *', ['04:30']],
    ['*/60 * * * *', ['01:00', '02:00']],
    ['1,*, * * * *', ['00:01', '00:02']],
    ['30\u00854\u2003*\u00a0*\v*', ['04:30']],
  ])('is active with %s at %j of the day', (schedule, times) => {
    expect(runs(schedule, 'UTC', '2026-03-01T00:00:00Z', times.length)).toEqual(
      times.map((time) => `2026-03-01T${time}Z`),
    );
  });

  it('combines day of month and day of week by OR, and by AND if one is a star', () => {
    expect(runs('0 0 13 * FRI', 'UTC', '2026-03-01T00:00:00Z', 3)).toEqual([
      '2026-03-06T00:00Z',
      '2026-03-13T00:00Z',
      '2026-03-20T00:00Z',
    ]);
    expect(runs('0 0 * * MON', 'UTC', '2026-03-01T00:00:00Z', 2)).toEqual([
      '2026-03-02T00:00Z',
      '2026-03-09T00:00Z',
    ]);
  });

  it('treats a star with a step above 1 as restricted', () => {
    expect(runs('0 0 */10 * MON', 'UTC', '2026-03-01T00:00:00Z', 4)).toEqual([
      '2026-03-02T00:00Z',
      '2026-03-09T00:00Z',
      '2026-03-11T00:00Z',
      '2026-03-16T00:00Z',
    ]);
  });

  it('skips a wall-clock time in the spring gap, and has two activations in the autumn overlap', () => {
    expect(runs('30 2 * * *', 'America/New_York', '2026-03-07T12:00:00Z', 1)).toEqual(['2026-03-09T06:30Z']);
    expect(runs('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 1)).toEqual(['2026-03-30T00:30Z']);
    expect(runs('30 1 * * *', 'America/New_York', '2026-11-01T00:00:00Z', 2)).toEqual([
      '2026-11-01T05:30Z',
      '2026-11-01T06:30Z',
    ]);
    expect(runs('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30Z',
      '2026-10-25T01:30Z',
    ]);
  });

  it('has no next activation for a date that never occurs', () => {
    expect(parseCron('0 0 31 2 *', 'UTC').next(at('2026-01-01T00:00:00Z'))).toBeUndefined();
  });

  it('counts @every from the previous activation, with a minimum of one second', () => {
    expect(runs('@every 1h30m', 'UTC', '2026-03-01T00:10:00Z', 2)).toEqual([
      '2026-03-01T01:40Z',
      '2026-03-01T03:10Z',
    ]);
    expect(parseCron('@every 1ms').next(0)).toBe(1_000);
  });

  it('uses a TZ= prefix in preference to the given zone', () => {
    expect(runs('TZ=Asia/Tokyo 0 9 * * *', 'UTC', '2026-03-01T00:00:00Z', 1)).toEqual(['2026-03-02T00:00Z']);
  });

  it.each([
    ['', 'empty spec string'],
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * * * 7', 'end of range (7) above maximum (6): 7'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['10-5 * * * *', 'beginning of range (10) beyond end of range (5): 10-5'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['a * * * *', 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'],
    ['@fortnightly', 'unrecognized descriptor: @fortnightly'],
    ['@every soon', 'failed to parse duration @every soon: time: invalid duration "soon"'],
    [
      '@every 1\u0661s',
      String.raw`failed to parse duration @every 1\u0661s: time: unknown unit "\xd9\xa1s" in duration "1\xd9\xa1s"`.replace(
        String.raw`1\u0661`,
        '1\u0661',
      ),
    ],
    ['0\ufeff0 * * *', 'expected exactly 5 fields, found 4: [0\ufeff0 * * *]'],
    ['TZ=Mars/Olympus * * * * *', 'provided bad location Mars/Olympus: unknown time zone Mars/Olympus'],
    ['TZ=../UTC * * * * *', 'provided bad location ../UTC: time: invalid location name'],
    ['TZ=/UTC * * * * *', 'provided bad location /UTC: time: invalid location name'],
    ['TZ=UTC', 'no schedule after the time zone: TZ=UTC'],
  ])('with text %j is rejected: %s', (schedule, message) => {
    expect(() => parseCron(schedule, 'UTC')).toThrow(new Error(message));
  });

  it('is parsed from any text, or rejected with an Error', () => {
    const word = fc.oneof(
      fc.string({ maxLength: 6 }),
      fc.constantFrom('*', '*/5', '1-5', '?', 'mon', 'JAN', '0', '59', ',', '@every', 'TZ=UTC'),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 7 }), (words) => {
        try {
          parseCron(words.join(' '), 'UTC').next(0);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(Error);
          expect(thrown).not.toBeInstanceOf(TypeError);
          expect(thrown).not.toBeInstanceOf(RangeError);
        }
      }),
    );
  });

  it('has the same activations as cron-parser without clock changes', () => {
    const field = (min: number, max: number): fc.Arbitrary<string> =>
      fc.oneof(
        fc.constant('*'),
        fc.integer({ min, max }).map(String),
        fc
          .tuple(fc.integer({ min, max }), fc.integer({ min, max }))
          .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
        fc.integer({ min: 2, max: Math.max(2, max - min) }).map((step) => `*/${step}`),
      );
    const schedules = fc.tuple(field(0, 59), field(0, 23), field(1, 28), field(1, 12));
    fc.assert(
      fc.property(schedules, fc.integer({ min: 0, max: 10 * 365 }), ([minute, hour, day, month], days) => {
        const schedule = `${minute} ${hour} ${day} ${month} *`;
        const from = at('2020-01-01T00:00:00Z') + days * 86_400_000;
        const other = CronExpressionParser.parse(schedule, { currentDate: new Date(from), tz: 'UTC' });
        expect(parseCron(schedule, 'UTC').next(from)).toBe(other.next().getTime());
      }),
      { numRuns: 200 },
    );
  });
});

it('cron schedule returns the same activation with and without cached spans, across clock changes', () => {
  const texts = fc.constantFrom(
    '30 1 * * *',
    '30 2 * * *',
    '*/7 * * * *',
    '0 0 31 * *',
    '10 1-3 * * 0',
    '5 4 13 * 5',
  );
  const zones = fc.constantFrom('UTC', 'America/New_York', 'America/Sao_Paulo', 'Australia/Lord_Howe');
  let blanks = 0;
  // Additional blanks change the text but not the schedule, so that no cached result is used.
  const asNew = (text: string, zone: string) => parseCron(text + ' '.repeat(++blanks), zone);
  const minutes = fc.integer({ min: 0, max: 3 * 365 * 24 * 60 });
  fc.assert(
    fc.property(
      texts,
      zones,
      minutes,
      fc.double({ min: 0, max: 1, noNaN: true }),
      (text, zone, from, part) => {
        const fromMs = at('2016-01-01T00:00:00Z') + from * 60_000;
        const cached = asNew(text, zone);
        const atMs = cached.next(fromMs) ?? 0;
        const betweenMs = Math.floor(fromMs + (atMs - fromMs) * part);
        expect(cached.next(betweenMs)).toBe(asNew(text, zone).next(betweenMs));
      },
    ),
  );
});

describe('latest activation', () => {
  it('is found as fast in ten years as in minutes, with the number of activations up to a limit', () => {
    const everyMinute = parseCron('* * * * *', 'Europe/Berlin');
    expect(everyMinute.latest(at('2016-01-01T00:00:00Z'), at('2026-03-29T10:07:30Z'))).toEqual({
      atMs: at('2026-03-29T10:07:00Z'),
      count: 101,
      exact: false,
    });
    expect(everyMinute.latest(at('2026-03-01T00:00:00Z'), at('2026-03-01T00:03:00Z'))).toEqual({
      atMs: at('2026-03-01T00:03:00Z'),
      count: 3,
      exact: true,
    });
    expect(everyMinute.latest(at('2026-03-01T00:00:10Z'), at('2026-03-01T00:00:50Z')).count).toBe(0);
  });

  it('equals the last of all activations, found one by one', () => {
    const schedules = fc.constantFrom('*/7 * * * *', '0 */5 * * *', '15 3 * * 1', '@every 45m', '30 1 * * *');
    fc.assert(
      fc.property(
        schedules,
        fc.integer({ min: 0, max: 400 * 24 }),
        fc.integer({ min: 1, max: 600 }),
        (text, hour, span) => {
          const schedule = parseCron(text, 'America/New_York');
          const from = at('2025-01-01T00:00:00Z') + hour * 3_600_000;
          const until = from + span * 600_000;
          let walked: number | undefined;
          for (
            let next = schedule.next(from);
            next !== undefined && next <= until;
            next = schedule.next(next)
          )
            walked = next;
          expect(schedule.latest(from, until).atMs).toBe(walked);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('time zones', () => {
  it.each(['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'US/Eastern', 'Etc/GMT+3'])(
    'include %s',
    (name) => {
      expect(isTimeZone(name)).toBe(true);
    },
  );
  it.each([
    '',
    'Local',
    'europe/berlin',
    'EUROPE/BERLIN',
    '+03:00',
    'UTC+3',
    'Mars/Olympus',
    '../etc/passwd',
  ])('do not include %j', (name) => {
    expect(isTimeZone(name)).toBe(false);
  });

  it.each([
    // St. John's changed its clock at one minute past midnight until 2011, so that hour has two offsets.
    ['America/St_Johns', '2010-03-14T03:31:00Z', -210, -150],
    ['Europe/Berlin', '2026-03-29T01:00:00Z', 60, 120],
    ['Australia/Lord_Howe', '2026-10-03T15:30:00Z', 630, 660],
  ])('change the offset of %s exactly at %s', (name, moment, before, after) => {
    const { offsetMs } = zoneOf(name);
    const offsets = [-1_800_000, -1_000, 0, 1_000, 1_800_000].map((ms) => offsetMs(at(moment) + ms) / 60_000);
    expect(offsets).toEqual([before, before, after, after, after]);
  });
});

describe('durations', () => {
  it.each([
    ['1h30m', 5_400_000],
    ['1.5s', 1_500],
    ['-2m', -120_000],
    ['0', 0],
    ['100us', 0.1],
  ])('%s is %d ms', (text, ms) => expect(parseGoDuration(text)).toBeCloseTo(ms, 9));

  it.each(['', '5', '1x', 'h', '1h1', '--1s', '9999999999h'])('are not parsed from %j', (text) => {
    expect(() => parseGoDuration(text)).toThrow(/^time: /);
  });
});
