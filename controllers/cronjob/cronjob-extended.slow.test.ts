import { describe, expect, it } from 'vitest';
import { toTime } from '../../base/clock/clock.ts';
import { HOUR, MINUTE, SECOND, extendedDialect, startCronJobs, times, utc } from './cronjob.fixture.ts';

const every = (periodMs: number, fromMs: number, untilMs: number): number[] => {
  const due: number[] = [];
  for (let ms = Math.floor(fromMs / periodMs + 1) * periodMs; ms <= untilMs; ms += periodMs) due.push(ms);
  return due;
};

describe('cronJobController with the extended dialect', () => {
  it.each([
    [
      'last weekday of a month',
      '0 9 LW * *',
      '2026-01-30T08:00:00',
      33,
      times('2026-01-30T09:00:00', '2026-02-27T09:00:00'),
    ],
    ['second Friday', '0 9 * * FRI#2', '2026-01-01T00:00:00', 14, times('2026-01-09T09:00:00')],
    // The clock of Berlin shows 02:30:15 twice on 25 October and never on 29 March.
    [
      'an overlap',
      '15 30 2 * * *',
      '2026-10-24T12:00:00',
      2,
      times('2026-10-25T00:30:15', '2026-10-25T01:30:15', '2026-10-26T01:30:15'),
    ],
    ['a gap', '15 30 2 * * *', '2026-03-28T12:00:00', 2, times('2026-03-30T00:30:15')],
  ])('creates one Job for each due time: %s', async (name, schedule, start, days, expected) => {
    const { clock, create, dueTimes } = await startCronJobs({ startMs: utc(start) });
    const timeZone = name === 'an overlap' || name === 'a gap' ? 'Europe/Berlin' : 'Etc/UTC';
    await create({ schedule, timeZone }, 'tick', extendedDialect);
    await clock.advance(days * 24 * HOUR);
    expect(dueTimes()).toEqual(expected);
  });

  it('misses no run and repeats none while every third write loses its response', async () => {
    const { clock, create, manager, created, dueTimes } = await startCronJobs();
    await create({ schedule: '*/20 * * * * *' }, 'tick', extendedDialect);
    const from = clock.now();
    let countdown = 0;
    manager.faults.add(({ method }) =>
      method !== 'GET' && countdown++ % 3 === 0 ? 'unanswered' : undefined,
    );
    await clock.advance(20 * MINUTE + 10 * SECOND);
    expect(dueTimes()).toEqual(every(20 * SECOND, from, clock.now()));
    expect(new Set(created.map(({ name }) => name)).size).toBe(created.length);
  });

  it('creates exactly one Job if a manager is killed between the status write and the creation', async () => {
    const { clock, create, manager, startManager, dueTimes, get } = await startCronJobs();
    await create({ schedule: '*/20 * * * * *', concurrencyPolicy: 'Forbid' }, 'tick', extendedDialect);
    const [dueMs = 0] = every(20 * SECOND, clock.now(), clock.now() + MINUTE);
    manager.faults.add(({ method, path }) =>
      method === 'POST' && path.includes('/jobs') ? 'hanging' : undefined,
    );
    await clock.advance(dueMs - clock.now() + SECOND);
    expect((await get()).status?.lastScheduleTime).toBe(toTime(dueMs));
    expect(dueTimes()).toEqual([]);
    manager.kill();
    await startManager({ controllers: ['cronjob'] });
    await clock.advance(SECOND);
    expect(dueTimes()).toEqual([dueMs]);
  });

  it('starts each due time exactly once with two managers at once', async () => {
    const { clock, create, startManager, dueTimes } = await startCronJobs();
    await startManager({ controllers: ['cronjob'] });
    await create({ schedule: '*/15 * * * * *' }, 'tick', extendedDialect);
    const from = clock.now();
    await clock.advance(10 * MINUTE + SECOND);
    expect(dueTimes()).toEqual(every(15 * SECOND, from, clock.now()));
  });

  it('runs the latest missed time once after a resume, and none after the deadline', async () => {
    const { clock, create, change, dueTimes } = await startCronJobs();
    await create({ schedule: '*/20 * * * * *' }, 'tick', extendedDialect);
    await create({ schedule: '7 0 * * * *', startingDeadlineSeconds: 5 }, 'strict', extendedDialect);
    await change({ suspend: true });
    await change({ suspend: true }, 'strict');
    await clock.advance(2 * HOUR + 30 * SECOND);
    expect([...dueTimes(), ...dueTimes('strict')]).toEqual([]);
    await change({ suspend: false });
    await change({ suspend: false }, 'strict');
    const resumedMs = clock.now();
    await clock.advance(SECOND);
    expect(dueTimes()).toEqual(every(20 * SECOND, resumedMs - 20 * SECOND, resumedMs));
    expect(dueTimes('strict')).toEqual([]);
  });

  it('keeps a missed run if only the dialect is set, because the schedule means the same in both dialects', async () => {
    const { clock, create, own, manager, dueTimes } = await startCronJobs({
      startMs: utc('2026-01-01T12:00:30'),
    });
    await create({ schedule: '*/2 * * * *' });
    const heal = manager.faults.add(({ method }) =>
      method === 'GET' ? undefined : { status: 500, reason: 'InternalError' },
    );
    await clock.advance(2 * MINUTE);
    await own.patch('tick', 'merge', { metadata: { annotations: extendedDialect } });
    heal();
    await clock.advance(MINUTE);
    expect(dueTimes()).toEqual(times('2026-01-01T12:02:00'));
  });

  it('distributes CronJobs with H over the minutes of an hour', async () => {
    const { clock, create, dueTimes } = await startCronJobs({ startMs: utc('2026-01-01T12:00:00') });
    const names = Array.from({ length: 12 }, (_, at) => `h${at}`);
    for (const name of names) await create({ schedule: 'H * * * *' }, name, extendedDialect);
    await clock.advance(3 * HOUR);
    const minutes = names.map((name) => {
      const due = dueTimes(name);
      expect(due).toHaveLength(3);
      const [first = 0, second, third] = due;
      expect([second, third]).toEqual([first + HOUR, first + 2 * HOUR]);
      return (first % HOUR) / MINUTE;
    });
    expect(new Set(minutes).size).toBeGreaterThan(6);
  });
});
