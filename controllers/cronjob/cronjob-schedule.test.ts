import { describe, expect, it } from 'vitest';
import { SECOND, MINUTE, HOUR, DAY, startCronJobs, utc, times } from './cronjob.fixture.ts';

describe('due times of cronJobController', () => {
  it.each([
    ['America/New_York', '2026-03-08T05:30:00', 'spring'],
    ['America/New_York', '2026-11-01T04:30:00', 'autumn'],
    ['Europe/Berlin', '2026-03-28T23:30:00', 'spring'],
    ['Europe/Berlin', '2026-10-24T23:30:00', 'autumn'],
  ])(
    'are run once and in time in %s from %s on, every three minutes, across the clock change in %s',
    async (timeZone, first) => {
      const from = utc(first);
      const { clock, create, created, dueTimes } = await startCronJobs({ startMs: from });
      // Each Job replaces the previous one, because no Job finishes in this test.
      await create({ schedule: '*/3 * * * *', concurrencyPolicy: 'Replace', timeZone });
      await clock.advance(3 * HOUR + SECOND);
      const due = Array.from({ length: 60 }, (_, i) => from + (i + 1) * 3 * MINUTE);
      expect(dueTimes()).toEqual(due);
      for (const [i, { atMs }] of created.entries()) expect(atMs - (due[i] ?? 0)).toBeLessThan(SECOND);
    },
    120_000,
  );

  it.each([
    // 02:30 does not exist on 8 March in New York, and 01:30 occurs twice on 1 November.
    [
      '30 2 * * *',
      'America/New_York',
      '2026-03-07T05:00:00',
      times('2026-03-07T07:30:00', '2026-03-09T06:30:00'),
    ],
    [
      '30 1 * * *',
      'America/New_York',
      '2026-10-31T04:00:00',
      times('2026-10-31T05:30:00', '2026-11-01T05:30:00', '2026-11-01T06:30:00', '2026-11-02T06:30:00'),
    ],
    [
      '30 2 * * *',
      'Europe/Berlin',
      '2026-03-27T23:00:00',
      times('2026-03-28T01:30:00', '2026-03-30T00:30:00'),
    ],
    [
      '30 2 * * *',
      'Europe/Berlin',
      '2026-10-23T22:00:00',
      times('2026-10-24T00:30:00', '2026-10-25T00:30:00', '2026-10-25T01:30:00', '2026-10-26T01:30:00'),
    ],
  ])('runs %s in %s from %s at the times of robfig/cron', async (schedule, timeZone, from, wanted) => {
    const { clock, create, dueTimes } = await startCronJobs({ startMs: utc(from) });
    await create({ schedule, timeZone });
    await clock.advance(3 * DAY - MINUTE);
    expect(dueTimes()).toEqual(wanted);
  });

  it('start nothing while the CronJob is suspended; after a resume, the latest missed time runs once', async () => {
    const { clock, create, change, dueTimes } = await startCronJobs();
    await create({ suspend: true });
    const from = clock.now();
    await clock.advance(5 * MINUTE + 30 * SECOND);
    expect(dueTimes()).toEqual([]);
    await change({ suspend: false });
    await clock.advance(SECOND);
    expect(dueTimes()).toEqual([from + 5 * MINUTE]);
    await change({ suspend: true });
    await clock.advance(5 * MINUTE);
    expect(dueTimes()).toHaveLength(1);
  });

  it('are skipped after a resume if they are beyond the deadline', async () => {
    const { clock, create, change, dueTimes } = await startCronJobs();
    await create({ suspend: true, startingDeadlineSeconds: 20 });
    const from = clock.now();
    await clock.advance(5 * MINUTE + 30 * SECOND);
    await change({ suspend: false });
    await clock.advance(MINUTE);
    expect(dueTimes()).toEqual([from + 6 * MINUTE]);
  });

  it('are run after downtime only for the latest of many missed times', async () => {
    const { clock, create, manager, startManager, dueTimes, eventsOf } = await startCronJobs();
    await create();
    const from = clock.now();
    await clock.advance(MINUTE + SECOND);
    await manager.stop();
    await clock.advance(200 * MINUTE);
    await startManager({ controllers: ['cronjob'] });
    await clock.advance(SECOND);
    expect(dueTimes()).toEqual([from + MINUTE, from + 201 * MINUTE]);
    const [event] = await eventsOf('TooManyMissedTimes');
    expect(event?.message).toBe(
      'too many missed start times: 200. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
    );
  });

  it('are skipped after downtime if they are beyond the starting deadline', async () => {
    const { clock, create, manager, startManager, dueTimes } = await startCronJobs();
    await create({ startingDeadlineSeconds: 15 });
    await manager.stop();
    const from = clock.now();
    await clock.advance(10 * MINUTE + 30 * SECOND);
    await startManager({ controllers: ['cronjob'] });
    await clock.advance(MINUTE);
    expect(dueTimes().filter((dueMs) => dueMs > from)).toEqual([from + 11 * MINUTE]);
  });

  it('follow a new schedule from its change on, and no earlier time of it is run', async () => {
    const { clock, create, change, dueTimes } = await startCronJobs();
    await create({ schedule: '0 0 1 7 *' });
    const from = clock.now();
    await clock.advance(10 * MINUTE + 30 * SECOND);
    await change({ schedule: '*/5 * * * *' });
    await clock.advance(SECOND);
    expect(dueTimes()).toEqual([]);
    await clock.advance(5 * MINUTE);
    expect(dueTimes()).toEqual([from + 15 * MINUTE]);
    await change({ schedule: '7 * * * *' });
    await clock.advance(HOUR);
    expect(dueTimes()).toEqual([from + 15 * MINUTE, from + 67 * MINUTE]);
  });

  it('follow a schedule that changed while no manager ran from the start of the next manager on', async () => {
    const { create, change, clock, dueTimes, manager, startManager } = await startCronJobs({
      startMs: utc('2026-03-01T11:58:00'),
    });
    await create({ schedule: '0 * * * *' });
    await clock.advance(3 * MINUTE);
    await manager.stop();
    await clock.advance(MINUTE);
    await change({ schedule: '30 * * * *' });
    await clock.advance(45 * MINUTE);
    await startManager({ controllers: ['cronjob'] });
    await clock.advance(44 * MINUTE);
    expect(dueTimes()).toEqual(times('2026-03-01T12:00:00', '2026-03-01T13:30:00'));
  });

  it('follow a new time zone from its change on', async () => {
    const { clock, create, change, dueTimes } = await startCronJobs({ startMs: utc('2026-06-01T12:00:00') });
    await create({ schedule: '0 9 * * *', timeZone: 'Europe/Berlin' });
    await clock.advance(30 * MINUTE);
    await change({ timeZone: 'America/New_York' });
    await clock.advance(12 * HOUR);
    expect(dueTimes()).toEqual(times('2026-06-01T13:00:00'));
  });

  it('are run for a schedule with a TZ prefix, with a warning for every reconcile counted in one event', async () => {
    const { clock, create, dueTimes, eventsOf, complaints, journal } = await startCronJobs();
    const from = clock.now();
    await create({ schedule: 'TZ=UTC * * * * *' });
    await clock.advance(MINUTE + SECOND);
    expect(dueTimes()).toEqual([from + MINUTE]);
    const reconciles = journal.read().filter(({ kind }) => kind === 'reconcile.started').length;
    expect(reconciles).toBeGreaterThan(1);
    expect(await eventsOf('UnsupportedSchedule')).toMatchObject([
      {
        type: 'Warning',
        count: reconciles,
        message:
          'CRON_TZ or TZ used in schedule "TZ=UTC * * * * *" is not officially supported, use timeZone instead',
      },
    ]);
    expect(complaints).toEqual([]);
  });

  it.each([
    [{ schedule: 'whenever' }, /schedule/],
    [{ timeZone: 'Nowhere/Land' }, /unknown time zone/],
  ])('are never run for a CronJob with %j, which is rejected', async (spec, message) => {
    const { clock, create, dueTimes } = await startCronJobs();
    await expect(create(spec)).rejects.toThrow(message);
    await clock.advance(2 * MINUTE);
    expect(dueTimes()).toEqual([]);
  });

  it('are run once each after the clock is set back', async () => {
    const { clock, create, dueTimes } = await startCronJobs();
    await create();
    const from = clock.now();
    await clock.advance(5 * MINUTE + SECOND);
    clock.jump(-3 * MINUTE);
    await clock.advance(10 * MINUTE);
    expect(dueTimes()).toEqual(Array.from({ length: 12 }, (_, at) => from + (at + 1) * MINUTE));
  });
});
