import { describe, expect, it } from 'vitest';
import type { DeepReadonly } from '../../api/kinds/kind.ts';
import type { CronJob } from '../../api/types/batch-v1.ts';
import { toTime } from '../../base/clock/clock.ts';
import { SECOND, MINUTE, jobSpec, startCronJobs } from './cronjob.fixture.ts';

describe('Jobs and status of cronJobController', () => {
  it('contain 64-bit integers of the template unchanged, and a maximum deadline is treated as none', async () => {
    const { clock, create, ran, created } = await startCronJobs();
    const activeDeadlineSeconds = 2n ** 53n + 1n;
    await create({
      startingDeadlineSeconds: 2n ** 63n - 1n,
      jobTemplate: { spec: { ...jobSpec, activeDeadlineSeconds } },
    });
    await clock.advance(MINUTE + SECOND);
    const job = await ran.get(created[0]?.name ?? '');
    expect(job.spec?.activeDeadlineSeconds).toBe(activeDeadlineSeconds);
  });

  it('include a Job with the template, its owner and a name derived from the due time', async () => {
    const { clock, create, ran } = await startCronJobs();
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

  it('include the creation delay of Jobs in the metric of release 1.24', async () => {
    const { clock, create, manager } = await startCronJobs();
    await create();
    await clock.advance(2 * MINUTE + SECOND);
    const name = 'cronjob_controller_cronjob_job_creation_skew_duration_seconds';
    const { text } = await manager.manager.metrics();
    expect(text).toContain(`${name}_bucket{le="1"} 2`);
    expect(text).toContain(`${name}_bucket{le="512"} 2`);
  });

  // Webhooks receive the sent object, and servers before 1.22 record its fields as changed by the sender, so
  // the object must be complete.
  it('include a status update that sends the complete unchanged CronJob', async () => {
    const { clock, create, manager } = await startCronJobs();
    const { spec } = await create();
    const sent: unknown[] = [];
    manager.faults.add(({ method, path, body }) => {
      if (method === 'PUT' && path.endsWith('/tick/status')) sent.push(JSON.parse(String(body)));
      return undefined;
    });
    await clock.advance(MINUTE + SECOND);
    expect(sent[0]).toMatchObject({ spec });
  });

  it('include running Jobs, the last due time and the last success in the status', async () => {
    const { clock, create, get, ran, finish, eventually, eventsOf } = await startCronJobs();
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
          resourceVersion: expect.stringMatching(/^\d+$/),
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

  it('retain the last success after a Job fails', async () => {
    const { clock, create, get, unfinished, finish } = await startCronJobs();
    await create();
    await clock.advance(MINUTE + SECOND);
    for (const job of await unfinished()) await finish(job, 'Failed');
    await clock.advance(SECOND);
    expect((await get()).status).toMatchObject({ lastScheduleTime: expect.any(String) as string });
    expect((await get()).status).not.toHaveProperty('lastSuccessfulTime');
    expect((await get()).status?.active ?? []).toEqual([]);
  });

  it('include concurrent Jobs under Allow', async () => {
    const { clock, create, get, unfinished } = await startCronJobs();
    await create({ concurrencyPolicy: 'Allow' });
    await clock.advance(3 * MINUTE + SECOND);
    expect(await unfinished()).toHaveLength(3);
    expect((await get()).status?.active).toHaveLength(3);
  });

  it('include at most one unfinished Job under Forbid; the latest due time runs after the blocking Job', async () => {
    const { clock, create, unfinished, finish, dueTimes, eventsOf } = await startCronJobs();
    await create({ concurrencyPolicy: 'Forbid' });
    const from = clock.now();
    await clock.advance(3 * MINUTE + 30 * SECOND);
    expect(dueTimes()).toEqual([from + MINUTE]);
    expect((await eventsOf('JobAlreadyActive')).length).toBeGreaterThan(0);
    for (const job of await unfinished()) await finish(job);
    await clock.advance(SECOND);
    expect(dueTimes()).toEqual([from + MINUTE, from + 3 * MINUTE]);
  });

  it('skip a due time under Forbid whose deadline passes before the blocking Job ends', async () => {
    const { clock, create, unfinished, finish, dueTimes } = await startCronJobs();
    await create({ concurrencyPolicy: 'Forbid', startingDeadlineSeconds: 10 });
    const from = clock.now();
    await clock.advance(2 * MINUTE + 30 * SECOND);
    for (const job of await unfinished()) await finish(job);
    await clock.advance(SECOND);
    expect(dueTimes()).toEqual([from + MINUTE]);
    await clock.advance(MINUTE);
    expect(dueTimes()).toEqual([from + MINUTE, from + 3 * MINUTE]);
  });

  it('never include an older unfinished Job next to the new Job under Replace', async () => {
    const { clock, create, get, ran, dueTimes, eventsOf } = await startCronJobs();
    await create({ concurrencyPolicy: 'Replace' });
    for (let minute = 1; minute <= 3; minute++) {
      await clock.advance(MINUTE);
      await clock.advance(SECOND);
      expect((await ran.list()).items).toHaveLength(1);
      expect((await get()).status?.active).toHaveLength(1);
    }
    expect(dueTimes()).toHaveLength(3);
    expect((await eventsOf('SuccessfulDelete')).length).toBeGreaterThan(0);
    expect(await eventsOf('MissingJob')).toEqual([]);
  });

  it.each([
    [3, 1, 3, 1],
    [0, 0, 0, 0],
    [1, 2, 1, 2],
  ])(
    'include the newest %i successful and %i failed Jobs',
    async (successful, failed, keptComplete, keptFailed) => {
      const { clock, create, ran, unfinished, finish } = await startCronJobs();
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

  it('are not reduced by running Jobs or by Jobs of other owners to limit the history', async () => {
    const { clock, create, ran, unfinished } = await startCronJobs();
    await create({ successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 });
    const foreign = await ran.create({ metadata: { name: 'tick-1' }, spec: jobSpec });
    await ran
      .subresource('status')
      .update({ ...foreign, status: { conditions: [{ type: 'Complete', status: 'True' }] } });
    await clock.advance(2 * MINUTE + SECOND);
    expect(await unfinished()).toHaveLength(2);
    await expect(ran.get('tick-1')).resolves.toBeDefined();
  });

  it('include a Job of another owner that has the name, and an event for the failed creation', async () => {
    const { clock, create, ran, eventsOf } = await startCronJobs();
    await create();
    const name = `tick-${(clock.now() + MINUTE) / MINUTE}`;
    const foreign = await ran.create({ metadata: { name }, spec: jobSpec });
    await clock.advance(MINUTE + SECOND);
    expect((await ran.get(name)).metadata?.uid).toBe(foreign.metadata?.uid);
    expect((await eventsOf('FailedCreate'))[0]?.message).toMatch(/^Error creating job: /);
    await clock.advance(MINUTE);
    await expect(ran.get(`tick-${Math.floor(clock.now() / MINUTE)}`)).resolves.toBeDefined();
  });

  it('include no new Job for a CronJob that is being deleted, and Jobs for a new CronJob of the same name', async () => {
    const { clock, own, create, dueTimes } = await startCronJobs();
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
});
