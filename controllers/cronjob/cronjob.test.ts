import { describe, expect, it } from 'vitest';
import { cronJobs, jobs } from '../../api/groups/batch-v1.ts';
import { events } from '../../api/groups/core-v1.ts';
import type { DeepReadonly } from '../../api/kinds/kind.ts';
import type { CronJob, CronJobSpec, Job, JobSpec } from '../../api/types/batch-v1.ts';
import { toTime } from '../../base/clock/clock.ts';
import { useWorld } from '../../test/world/use-world.ts';
import type { WorldOptions } from '../../test/world/world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const jobSpec: JobSpec = {
  template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
};

async function start(options: WorldOptions = {}) {
  const world = await useWorld({ controllers: ['cronjob'], ...options });
  const own = world.client.namespaced(cronJobs, 'team');
  const ran = world.client.namespaced(jobs, 'team');
  const created: { readonly name: string; readonly atMs: number }[] = [];
  void (async () => {
    // A watch ends after a while, as the server has it; the next goes on where it was.
    for (let resourceVersion = '0'; ;)
      for await (const { type, object } of ran.watch({ resourceVersion })) {
        resourceVersion = object.metadata?.resourceVersion ?? resourceVersion;
        if (type === 'ADDED') created.push({ name: object.metadata?.name ?? '', atMs: world.clock.now() });
      }
  })().catch(() => {});
  return {
    ...world,
    own,
    ran,
    /** Every Job ever created, in order. */
    created,
    /** Due times of the Jobs ever created, read from their names. */
    dueTimes: (name = 'tick') =>
      created
        .filter((each) => each.name.startsWith(`${name}-`))
        .map((each) => Number(each.name.slice(name.length + 1)) * MINUTE),
    create: (spec: Partial<CronJobSpec> = {}, name = 'tick') =>
      own.create({
        metadata: { name },
        spec: { schedule: '* * * * *', jobTemplate: { spec: jobSpec }, ...spec },
      }),
    get: (name = 'tick') => own.get(name),
    change: (spec: Partial<CronJobSpec>, name = 'tick') => own.patch(name, 'merge', { spec }),
    unfinished: async () =>
      (await ran.list()).items.filter((job) => (job.status?.conditions ?? []).length === 0),
    finish: async (job: DeepReadonly<Job>, type: 'Complete' | 'Failed' = 'Complete') =>
      ran.subresource('status').update({
        ...job,
        status: {
          startTime: job.metadata?.creationTimestamp ?? '',
          ...(type === 'Complete' ? { completionTime: toTime(world.clock.now()), succeeded: 1 } : {}),
          conditions: [{ type, status: 'True' }],
        },
      }),
    eventsOf: async (reason: string) =>
      (await world.client.namespaced(events, 'team').list()).items.filter((each) => each.reason === reason),
  };
}

const utc = (text: string): number => Date.parse(`${text}Z`);
const times = (...texts: string[]): number[] => texts.map(utc);

describe('cron job controller', () => {
  // The change is in the middle of the day; local midnight to midnight is not what a day is here.
  it.each([
    ['America/New_York', '2026-03-07T19:00:00', 'spring'],
    ['America/New_York', '2026-10-31T18:00:00', 'autumn'],
    ['Europe/Berlin', '2026-03-28T13:00:00', 'spring'],
    ['Europe/Berlin', '2026-10-24T13:00:00', 'autumn'],
  ])(
    'creates one Job a minute in %s for the day from %s, when the clocks change in %s: none twice, none missed, none late',
    async (timeZone, first) => {
      const from = utc(first);
      const { clock, create, created, dueTimes } = await start({ startMs: from });
      // Each gives way to the next: nobody finishes Jobs here, and a day of them side by side is another test.
      await create({ concurrencyPolicy: 'Replace', timeZone });
      await clock.advance(DAY + SECOND);
      expect(dueTimes()).toEqual(Array.from({ length: 1_440 }, (_, i) => from + (i + 1) * MINUTE));
      for (const [i, { atMs }] of created.entries())
        expect(atMs - (from + (i + 1) * MINUTE)).toBeLessThan(SECOND);
    },
    120_000,
  );

  it.each([
    // 02:30 does not exist on 8 March in New York, 01:30 exists twice on 1 November.
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
  ])('%s in %s from %s runs as robfig/cron has it', async (schedule, timeZone, from, wanted) => {
    const { clock, create, dueTimes } = await start({ startMs: utc(from) });
    await create({ schedule, timeZone });
    await clock.advance(3 * DAY - MINUTE);
    expect(dueTimes()).toEqual(wanted);
  });

  it('a Job carries the template, its owner, and the name of its due time', async () => {
    const { clock, create, ran } = await start();
    const cronJob = await create({
      jobTemplate: {
        metadata: { labels: { a: 'b' }, annotations: { c: 'd' } },
        spec: { ...jobSpec, backoffLimit: 2 },
      },
    });
    const dueMs = clock.now() + MINUTE;
    await clock.advance(MINUTE + SECOND);
    const job = await ran.get(`tick-${dueMs / MINUTE}`);
    expect(job.metadata?.labels).toMatchObject({ a: 'b' });
    expect(job.metadata?.annotations).toEqual({ c: 'd' });
    expect(job.spec?.backoffLimit).toBe(2);
    expect(job.metadata?.ownerReferences).toEqual([
      {
        apiVersion: 'batch/v1',
        kind: 'CronJob',
        name: 'tick',
        uid: cronJob.metadata?.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
  });

  it('the status names what runs, the last due time and the last success', async () => {
    const { clock, create, get, ran, finish, eventually, eventsOf } = await start();
    await create();
    const dueMs = clock.now() + MINUTE;
    await clock.advance(MINUTE + SECOND);
    const job = await ran.get(`tick-${dueMs / MINUTE}`);
    await eventually(async () => {
      const { status } = await get();
      expect(status?.lastScheduleTime).toBe(toTime(dueMs));
      expect(status?.active).toEqual([
        {
          apiVersion: 'batch/v1',
          kind: 'Job',
          namespace: 'team',
          name: job.metadata?.name,
          uid: job.metadata?.uid,
        },
      ]);
    });
    await clock.advance(10 * SECOND);
    await finish(job);
    const finishedMs = clock.now();
    await clock.advance(SECOND);
    const { status } = await get();
    expect(status?.active ?? []).toEqual([]);
    expect(status?.lastSuccessfulTime).toBe(toTime(finishedMs));
    expect((await eventsOf('SuccessfulCreate')).map(({ message }) => message)).toEqual([
      `Created job ${job.metadata?.name}`,
    ]);
    expect((await eventsOf('SawCompletedJob')).map(({ message }) => message)).toEqual([
      `Saw completed job: ${job.metadata?.name}, status: Complete`,
    ]);
  });

  it('a failed Job leaves the last success as it was', async () => {
    const { clock, create, get, unfinished, finish } = await start();
    await create();
    await clock.advance(MINUTE + SECOND);
    for (const job of await unfinished()) await finish(job, 'Failed');
    await clock.advance(SECOND);
    expect((await get()).status).toMatchObject({ lastScheduleTime: expect.any(String) as string });
    expect((await get()).status).not.toHaveProperty('lastSuccessfulTime');
    expect((await get()).status?.active ?? []).toEqual([]);
  });

  it('Allow lets Jobs run side by side', async () => {
    const { clock, create, get, unfinished } = await start();
    await create({ concurrencyPolicy: 'Allow' });
    await clock.advance(3 * MINUTE + SECOND);
    expect(await unfinished()).toHaveLength(3);
    expect((await get()).status?.active).toHaveLength(3);
  });

  it('Forbid never has two unfinished Jobs, and runs the latest due time once the one that blocks has ended', async () => {
    const { clock, create, unfinished, finish, dueTimes, eventsOf } = await start();
    await create({ concurrencyPolicy: 'Forbid' });
    const from = clock.now();
    await clock.advance(3 * MINUTE + 30 * SECOND);
    expect(dueTimes()).toEqual([from + MINUTE]);
    expect((await eventsOf('JobAlreadyActive')).length).toBeGreaterThan(0);
    for (const job of await unfinished()) await finish(job);
    await clock.advance(SECOND);
    expect(dueTimes()).toEqual([from + MINUTE, from + 3 * MINUTE]);
  });

  it('Forbid with a deadline leaves a due time out whose deadline has passed when the blocking Job ends', async () => {
    const { clock, create, unfinished, finish, dueTimes } = await start();
    await create({ concurrencyPolicy: 'Forbid', startingDeadlineSeconds: 10 });
    const from = clock.now();
    await clock.advance(2 * MINUTE + 30 * SECOND);
    for (const job of await unfinished()) await finish(job);
    await clock.advance(SECOND);
    expect(dueTimes()).toEqual([from + MINUTE]);
    await clock.advance(MINUTE);
    expect(dueTimes()).toEqual([from + MINUTE, from + 3 * MINUTE]);
  });

  it('Replace never has an older unfinished Job beside the new one', async () => {
    const { clock, create, get, ran, dueTimes, eventsOf } = await start();
    await create({ concurrencyPolicy: 'Replace' });
    for (let minute = 1; minute <= 3; minute++) {
      await clock.advance(MINUTE);
      await clock.advance(SECOND);
      expect((await ran.list()).items).toHaveLength(1);
      expect((await get()).status?.active).toHaveLength(1);
    }
    expect(dueTimes()).toHaveLength(3);
    expect((await eventsOf('SuccessfulDelete')).length).toBeGreaterThan(0);
  });

  it('starts nothing while suspended, and once the latest missed time when resumed', async () => {
    const { clock, create, change, dueTimes } = await start();
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

  it('resumed with a deadline, it leaves out what is too late', async () => {
    const { clock, create, change, dueTimes } = await start();
    await create({ suspend: true, startingDeadlineSeconds: 20 });
    const from = clock.now();
    await clock.advance(5 * MINUTE + 30 * SECOND);
    await change({ suspend: false });
    await clock.advance(MINUTE);
    expect(dueTimes()).toEqual([from + 6 * MINUTE]);
  });

  it('after downtime it runs the latest missed time once, however many there were', async () => {
    const { clock, create, manager, startManager, dueTimes, eventsOf } = await start();
    await create();
    const from = clock.now();
    await clock.advance(MINUTE + SECOND);
    await manager.stop();
    await clock.advance(200 * MINUTE);
    await startManager({ controllers: ['cronjob'] });
    await clock.advance(SECOND);
    expect(dueTimes()).toEqual([from + MINUTE, from + 201 * MINUTE]);
    const [event] = await eventsOf('TooManyMissedTimes');
    expect(event?.message).toMatch(
      /^too many missed start times: .*Set or decrease \.spec\.startingDeadlineSeconds or check clock skew$/,
    );
  });

  it('after downtime it leaves out what the starting deadline forbids', async () => {
    const { clock, create, manager, startManager, dueTimes } = await start();
    await create({ startingDeadlineSeconds: 15 });
    await manager.stop();
    const from = clock.now();
    await clock.advance(10 * MINUTE + 30 * SECOND);
    await startManager({ controllers: ['cronjob'] });
    await clock.advance(MINUTE);
    expect(dueTimes().filter((dueMs) => dueMs > from)).toEqual([from + 11 * MINUTE]);
  });

  it.each([
    [3, 1, 3, 1],
    [0, 0, 0, 0],
    [1, 2, 1, 2],
  ])(
    'keeps %i successful and %i failed Jobs, the newest',
    async (successful, failed, keptComplete, keptFailed) => {
      const { clock, create, ran, unfinished, finish } = await start();
      await create({ successfulJobsHistoryLimit: successful, failedJobsHistoryLimit: failed });
      const history: { readonly name: string; readonly type: 'Complete' | 'Failed' }[] = [];
      for (let minute = 0; minute < 10; minute++) {
        await clock.advance(MINUTE);
        for (const job of await unfinished()) {
          const type = minute % 2 === 0 ? 'Complete' : 'Failed';
          history.push({ name: job.metadata?.name ?? '', type });
          await finish(job, type);
        }
        await clock.advance(SECOND);
      }
      const newest = (type: string, count: number) =>
        count === 0
          ? []
          : history
              .filter((each) => each.type === type)
              .slice(-count)
              .map(({ name }) => name);
      const left = (await ran.list()).items.map(({ metadata }) => metadata?.name);
      expect(left.sort()).toEqual(
        [...newest('Complete', keptComplete), ...newest('Failed', keptFailed)].sort(),
      );
    },
  );

  it("never deletes another's Job, or one that runs, for the sake of the history", async () => {
    const { clock, create, ran, unfinished } = await start();
    await create({ successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 });
    const foreign = await ran.create({ metadata: { name: 'tick-1' }, spec: jobSpec });
    await ran
      .subresource('status')
      .update({ ...foreign, status: { conditions: [{ type: 'Complete', status: 'True' }] } });
    await clock.advance(2 * MINUTE + SECOND);
    expect(await unfinished()).toHaveLength(2);
    await expect(ran.get('tick-1')).resolves.toBeDefined();
  });

  it('follows a new schedule from its change on, and never runs a time that was due by it before', async () => {
    const { clock, create, change, dueTimes } = await start();
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

  it('follows a new time zone from its change on', async () => {
    const { clock, create, change, dueTimes } = await start({ startMs: utc('2026-06-01T12:00:00') });
    await create({ schedule: '0 9 * * *', timeZone: 'Europe/Berlin' });
    await clock.advance(30 * MINUTE);
    await change({ timeZone: 'America/New_York' });
    await clock.advance(12 * HOUR);
    expect(dueTimes()).toEqual(times('2026-06-01T13:00:00'));
  });

  it('a time zone or schedule that is none is told once a change, and runs nothing', async () => {
    const { clock, create, dueTimes, eventsOf, complaints } = await start();
    await expect(create({ schedule: 'whenever' })).rejects.toThrow(/schedule/);
    await expect(create({ timeZone: 'Nowhere/Land' })).rejects.toThrow(/unknown time zone/);
    await create({ schedule: 'TZ=UTC * * * * *' });
    await clock.advance(MINUTE + SECOND);
    expect(dueTimes()).toHaveLength(1);
    expect((await eventsOf('UnsupportedSchedule')).length).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
  });

  it('a manager that dies between claim and creation leaves exactly one Job behind its successor', async () => {
    const { clock, create, manager, startManager, created, dueTimes, get } = await start();
    await create();
    const from = clock.now();
    manager.faults.add(({ method, path }) =>
      method === 'POST' && path.includes('/jobs') ? 'hanging' : undefined,
    );
    await clock.advance(MINUTE + SECOND);
    expect((await get()).status?.lastScheduleTime).toBe(toTime(from + MINUTE));
    expect(created).toEqual([]);
    manager.kill();
    await startManager({ controllers: ['cronjob'] });
    await clock.advance(SECOND);
    expect(dueTimes()).toEqual([from + MINUTE]);
    await clock.advance(MINUTE);
    expect(dueTimes()).toEqual([from + MINUTE, from + 2 * MINUTE]);
  });

  it('a manager that dies right after creation leaves exactly one Job', async () => {
    const { clock, create, manager, startManager, dueTimes, get } = await start();
    await create();
    const from = clock.now();
    manager.faults.add(({ method, path }) =>
      method === 'POST' && path.includes('/jobs') ? 'unanswered' : undefined,
    );
    await clock.advance(MINUTE + 100);
    manager.kill();
    await startManager({ controllers: ['cronjob'] });
    await clock.advance(SECOND);
    expect(dueTimes()).toEqual([from + MINUTE]);
    expect((await get()).status?.active).toHaveLength(1);
  });

  it('runs the due time after a long outage, however long the pauses between retries have become', async () => {
    const { clock, create, manager, dueTimes } = await start();
    await create();
    const from = clock.now();
    const heal = manager.faults.add(({ method }) =>
      method === 'GET' ? undefined : { status: 500, reason: 'InternalError' },
    );
    await clock.advance(HOUR + 30 * SECOND);
    expect(dueTimes()).toEqual([]);
    heal();
    await clock.advance(MINUTE);
    expect(dueTimes()).toEqual([from + 61 * MINUTE]);
  });

  it('an answer that is lost never makes a second Job, and the status still comes right', async () => {
    const { clock, create, manager, created, get, dueTimes } = await start();
    await create();
    let countdown = 0;
    manager.faults.add(({ method }) =>
      method !== 'GET' && countdown++ % 3 === 0 ? 'unanswered' : undefined,
    );
    await clock.advance(20 * MINUTE + 30 * SECOND);
    expect(dueTimes()).toHaveLength(20);
    expect(new Set(created.map(({ name }) => name)).size).toBe(20);
    expect((await get()).status?.active).toHaveLength(20);
  });

  it('two managers at once never start a due time twice, and none is missed', async () => {
    const { clock, create, startManager, dueTimes } = await start();
    await startManager({ controllers: ['cronjob'] });
    await create();
    const from = clock.now();
    await clock.advance(HOUR + SECOND);
    expect(dueTimes()).toEqual(Array.from({ length: 60 }, (_, i) => from + (i + 1) * MINUTE));
  });

  it('a Job that was deleted never comes again for the same due time', async () => {
    const { clock, create, ran, dueTimes, eventsOf, get } = await start();
    await create({ schedule: '0 * * * *' });
    await clock.advance(HOUR + SECOND);
    const [name = ''] = (await ran.list()).items.map(({ metadata }) => metadata?.name ?? '');
    await ran.delete(name, { propagationPolicy: 'Background' });
    await clock.advance(30 * MINUTE);
    expect(dueTimes()).toHaveLength(1);
    expect((await get()).status?.active ?? []).toEqual([]);
    expect((await eventsOf('MissingJob')).map(({ message }) => message)).toEqual([
      `Active job went missing: ${name}`,
    ]);
  });

  it('a Job that was deleted before the controller ever saw it never comes again either', async () => {
    const { clock, create, ran, manager, dueTimes, get, startManager } = await start();
    await manager.stop();
    const blind = await startManager({ controllers: ['cronjob'], ready: false });
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    blind.faults.add(({ method, path }) => {
      if (path.includes('/jobs') && path.includes('watch=')) return 'hanging';
      return method === 'GET' && path.includes('/jobs/tick-') ? released : undefined;
    });
    await clock.advance(50 * MINUTE);
    await create({ schedule: '0 * * * *' });
    await clock.advance(10 * MINUTE + SECOND);
    expect(dueTimes()).toHaveLength(1);
    expect((await get()).status?.active?.[0]).not.toHaveProperty('uid');
    await ran.deleteCollection({ propagationPolicy: 'Background' });
    release();
    await clock.advance(30 * MINUTE);
    expect(dueTimes()).toHaveLength(1);
    expect((await get()).status?.active ?? []).toEqual([]);
  });

  it('a clock that is set back never runs a due time again', async () => {
    const { clock, create, dueTimes } = await start();
    await create();
    await clock.advance(5 * MINUTE + SECOND);
    clock.jump(-3 * MINUTE);
    await clock.advance(10 * MINUTE);
    expect(new Set(dueTimes()).size).toBe(dueTimes().length);
    expect(dueTimes()).toEqual([...dueTimes()].sort((a, b) => a - b));
  });

  it("a Job of that name that is another's stays, and is told", async () => {
    const { clock, create, ran, eventsOf } = await start();
    await create();
    const name = `tick-${(clock.now() + MINUTE) / MINUTE}`;
    const foreign = await ran.create({ metadata: { name }, spec: jobSpec });
    await clock.advance(MINUTE + SECOND);
    expect((await ran.get(name)).metadata?.uid).toBe(foreign.metadata?.uid);
    expect((await eventsOf('FailedCreate'))[0]?.message).toMatch(/^Error creating job: /);
    await clock.advance(MINUTE);
    await expect(ran.get(`tick-${Math.floor(clock.now() / MINUTE)}`)).resolves.toBeDefined();
  });

  it('starts nothing for a CronJob that is being deleted, and a successor of the name begins anew', async () => {
    const { clock, own, create, dueTimes } = await start();
    const first = await own.create({
      metadata: { name: 'tick', finalizers: ['example.com/hold'] },
      spec: { schedule: '* * * * *', jobTemplate: { spec: jobSpec } },
    });
    await own.delete('tick');
    await clock.advance(5 * MINUTE);
    expect(dueTimes()).toEqual([]);
    await own.patch('tick', 'merge', { metadata: { finalizers: null } });
    const second: DeepReadonly<CronJob> = await create();
    expect(second.metadata?.uid).not.toBe(first.metadata?.uid);
    await clock.advance(MINUTE + SECOND);
    expect(dueTimes()).toHaveLength(1);
  });

  it('writes nothing between two due times', async () => {
    const { clock, create, manager } = await start();
    await create({ schedule: '0 * * * *' });
    await clock.advance(HOUR + MINUTE);
    const before = manager.faults.seen.filter((line) => !line.startsWith('GET')).length;
    await clock.advance(58 * MINUTE);
    expect(manager.faults.seen.filter((line) => !line.startsWith('GET'))).toHaveLength(before);
  });
});
