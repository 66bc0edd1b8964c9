import fc from 'fast-check';
import { CronExpressionParser } from 'cron-parser';
import { expect, it } from 'vitest';
import { activations } from './activations.fixture.ts';
import { parseCron } from './cron.ts';
import { parseExtendedCron } from './extended.ts';

const at = (text: string): number => Date.parse(text);

const zones = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Sao_Paulo',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'Asia/Kathmandu',
);
const item = (min: number, max: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom('*', '?', '*/1'),
    fc.integer({ min, max }).map(String),
    fc
      .tuple(fc.integer({ min, max }), fc.integer({ min, max }))
      .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
    fc.integer({ min: 2, max: max + 1 }).map((step) => `*/${step}`),
    fc.tuple(fc.integer({ min, max }), fc.integer({ min: 1, max })).map(([from, step]) => `${from}/${step}`),
  );
const field = (min: number, max: number): fc.Arbitrary<string> =>
  fc.array(item(min, max), { minLength: 1, maxLength: 3 }).map((items) => items.join(','));
const standardFields = fc.tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 6));

it('schedule has the same activations in both dialects, with 5 fields or with second 0', () => {
  const hours = fc.integer({ min: 0, max: 8 * 365 * 24 });
  fc.assert(
    fc.property(standardFields, zones, hours, (fields, zone, hour) => {
      const text = fields.join(' ');
      const fromMs = at('2016-01-01T00:00:00Z') + hour * 3_600_000;
      const standard = activations(parseCron(text, zone), fromMs, 12);
      expect(activations(parseExtendedCron(text, 'u1', zone), fromMs, 12)).toEqual(standard);
      expect(activations(parseExtendedCron(`0 ${text}`, 'u1', zone), fromMs, 12)).toEqual(standard);
    }),
    { numRuns: 300 },
  );
});

it.each(['30 1 * * *', '30 2 * * *', '*/20 0-3 * * *', '0 0 * * *', '15 2 L * *', '15 2 * * 0L'])(
  'schedule %s follows the same rule in both dialects on every day with a clock change',
  (text) => {
    const changes = ['2018-11-04', '2026-03-08', '2026-03-29', '2026-10-04', '2026-10-25', '2026-11-01'];
    for (const zone of ['Europe/Berlin', 'America/New_York', 'America/Sao_Paulo', 'Australia/Lord_Howe'])
      for (const change of changes) {
        const fromMs = at(change) - 36 * 3_600_000;
        const withSeconds = activations(parseExtendedCron(`0 ${text}`, 'u1', zone), fromMs, 30);
        const five = parseExtendedCron(text, 'u1', zone);
        expect(withSeconds).toEqual(
          activations(text.includes('L') ? five : parseCron(text, zone), fromMs, 30),
        );
      }
  },
);

it('extended schedule has the activations of cron-parser for seconds, L and #, if the clock does not change', () => {
  const plain = (min: number, max: number) =>
    fc.oneof(fc.constant('*'), fc.integer({ min, max }).map(String));
  const day = fc.oneof(
    fc.constantFrom('L * *', '10,L * *', '* * 5L', '* * 0L', '? * WEDL'),
    fc
      .tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 1, max: 5 }))
      .map(([weekday, nth]) => `* * ${weekday}#${nth}`),
  );
  const texts = fc.tuple(plain(0, 59), plain(0, 59), plain(0, 23), day).map((parts) => parts.join(' '));
  fc.assert(
    fc.property(texts, fc.integer({ min: 0, max: 3_650 }), (text, offset) => {
      const fromMs = at('2020-01-01T00:00:00Z') + offset * 86_400_000;
      const other = CronExpressionParser.parse(text, { currentDate: new Date(fromMs), tz: 'UTC' });
      expect(activations(parseExtendedCron(text, 'u1', 'UTC'), fromMs, 5)).toEqual(
        Array.from({ length: 5 }, () => other.next().getTime()),
      );
    }),
    { numRuns: 200 },
  );
});

it('latest activation of an extended schedule equals the last of all activations, found one by one', () => {
  const texts = fc.constantFrom(
    '*/7 * * * * *',
    '30 0 */5 * * *',
    '15 3 L * *',
    'H H * * 1#2',
    '0 30 1 LW * *',
  );
  fc.assert(
    fc.property(
      texts,
      fc.integer({ min: 0, max: 400 * 24 }),
      fc.integer({ min: 1, max: 400 }),
      (text, hour, span) => {
        const schedule = parseExtendedCron(text, 'u1', 'America/New_York');
        const fromMs = at('2025-01-01T00:00:00Z') + hour * 3_600_000;
        const untilMs = fromMs + span * 60_000;
        let walked: number | undefined;
        for (let ms = schedule.next(fromMs); ms !== undefined && ms <= untilMs; ms = schedule.next(ms))
          walked = ms;
        expect(schedule.latest(fromMs, untilMs).atMs).toBe(walked);
      },
    ),
    { numRuns: 100 },
  );
});
