import { describe, expect, it } from 'vitest';
import { toTime } from '../../base/clock/clock.ts';
import { type TransportRequest, isConditionFailed } from '../../runtime/index.ts';
import { SECOND, MINUTE, HOUR, startCronJobs } from './cronjob.fixture.ts';

describe('cronJobController under faults', () => {
  it('creates exactly one Job if a manager is killed between the status write and the creation', async () => {
    const { clock, create, manager, startManager, created, dueTimes, get } = await startCronJobs();
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

  it('creates exactly one Job if a manager is killed right after the creation', async () => {
    const { clock, create, manager, startManager, dueTimes, get } = await startCronJobs();
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

  it('runs the due time soon after a long outage, without waiting for the backoff', async () => {
    const { clock, create, manager, dueTimes } = await startCronJobs();
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

  it.each([
    ['at once', MINUTE / 2, MINUTE],
    ['after a later time', 2 * MINUTE, 3 * MINUTE],
  ])(
    'runs the latest missed time once if a CronJob is suspended before its Job exists, and resumed %s',
    async (_when, suspendedMs, dueMs) => {
      const { clock, create, change, manager, dueTimes } = await startCronJobs();
      await create();
      const from = clock.now();
      const heal = manager.faults.add(({ method, path }) =>
        method === 'POST' && path.includes('/jobs') ? { status: 403, reason: 'Forbidden' } : undefined,
      );
      await clock.advance(MINUTE + SECOND);
      await change({ suspend: true });
      heal();
      await clock.advance(suspendedMs);
      expect(dueTimes()).toEqual([]);
      await change({ suspend: false });
      await clock.advance(SECOND);
      expect(dueTimes()).toEqual([from + dueMs]);
    },
  );

  it('creates no second Job if a response is lost, and corrects the status', async () => {
    const { clock, create, manager, created, get, dueTimes } = await startCronJobs();
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

  it.each([
    ['the due time is reserved', 'PUT', '/status'],
    ['the running Job is deleted', 'DELETE', '/jobs/'],
  ])(
    'keeps the running Job of a CronJob that is changed from Replace to Forbid just before %s',
    async (_when, ...held) => {
      const { clock, create, change, manager, unfinished, eventsOf } = await startCronJobs();
      await create({ concurrencyPolicy: 'Replace' });
      await clock.advance(MINUTE + 30 * SECOND);
      const [running] = await unfinished();
      const [verb, path] = held;
      let release: () => void = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const heal = manager.faults.add((request) =>
        request.method === verb && request.path.includes(path) ? released : undefined,
      );
      await clock.advance(31 * SECOND);
      await change({ concurrencyPolicy: 'Forbid' });
      heal();
      release();
      await clock.advance(SECOND);
      expect((await unfinished()).map(({ metadata }) => metadata?.uid)).toEqual([running?.metadata?.uid]);
      expect(await eventsOf('FailedDelete')).toEqual([]);
    },
  );

  it('starts each due time exactly once with two managers at once', async () => {
    const { clock, create, startManager, dueTimes } = await startCronJobs();
    await startManager({ controllers: ['cronjob'] });
    await create();
    const from = clock.now();
    await clock.advance(HOUR + SECOND);
    expect(dueTimes()).toEqual(Array.from({ length: 60 }, (_, i) => from + (i + 1) * MINUTE));
  });

  it('does not report a Job as missing that is created while another manager reads the Job', async () => {
    const { clock, create, manager, startManager, eventsOf, get, ran } = await startCronJobs();
    const other = await startManager({ controllers: ['cronjob'] });
    await create({ schedule: '0 * * * *' });
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    for (const { faults } of [manager, other])
      faults.add(({ method, path }) => (method === 'POST' && path.includes('/jobs') ? released : undefined));
    await clock.advance(HOUR + 500);
    expect((await get()).status?.active?.[0]).not.toHaveProperty('uid');
    release();
    await clock.advance(MINUTE);
    const [job] = (await ran.list()).items;
    expect((await get()).status?.active).toMatchObject([{ uid: job?.metadata?.uid }]);
    expect(await eventsOf('MissingJob')).toEqual([]);
    expect(await eventsOf('UnexpectedJob')).toEqual([]);
  });

  it('never re-creates a deleted Job for the same due time', async () => {
    const { clock, create, ran, dueTimes, eventsOf, get } = await startCronJobs();
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

  it('never re-creates a Job that was deleted before the controller observed it', async () => {
    const { clock, create, ran, manager, dueTimes, get, startManager } = await startCronJobs();
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

  it.each(['Allow', 'Forbid'] as const)(
    'does not re-create a Job under %s that was deleted after the manager was killed',
    async (concurrencyPolicy) => {
      const { clock, create, ran, manager, dueTimes, get, startManager, eventsOf } = await startCronJobs();
      await create({ schedule: '0 * * * *', concurrencyPolicy });
      let isMade = false;
      manager.faults.add(({ method, path }) => {
        if (method === 'PUT' && isMade) return 'hanging';
        if (method !== 'POST' || !path.includes('/jobs')) return undefined;
        isMade = true;
        return 'unanswered';
      });
      await clock.advance(HOUR + 100);
      manager.kill();
      expect(dueTimes()).toHaveLength(1);
      expect((await get()).status?.active?.[0]).not.toHaveProperty('uid');
      await ran.deleteCollection({ propagationPolicy: 'Background' });
      await startManager({ controllers: ['cronjob'] });
      await clock.advance(30 * MINUTE);
      expect(dueTimes()).toHaveLength(1);
      expect((await get()).status?.active ?? []).toEqual([]);
      expect(await eventsOf('MissingJob')).toHaveLength(1);
      await clock.advance(HOUR);
      expect(dueTimes()).toHaveLength(2);
    },
  );

  it('creates no second Job if a create request arrives long after the run', async () => {
    const { client, clock, create, manager, dueTimes, ran, get } = await startCronJobs();
    await create({ schedule: '0 * * * *' });
    let late: TransportRequest | undefined;
    manager.faults.add((request) => {
      if (late !== undefined || request.method !== 'POST' || !request.path.includes('/jobs'))
        return undefined;
      late = request;
      return 'refused';
    });
    await clock.advance(HOUR + MINUTE);
    expect(dueTimes()).toHaveLength(1);
    await ran.deleteCollection({ propagationPolicy: 'Background' });
    await clock.advance(MINUTE);
    expect((await get()).status?.active ?? []).toEqual([]);
    const { method, path, headers, body } = late as unknown as TransportRequest;
    const arriving = client.request({ method, path, headers, body: JSON.parse(String(body)) });
    await expect(arriving).rejects.toSatisfy(isConditionFailed);
    expect(dueTimes()).toHaveLength(1);
  });

  it("creates the Job of a reserved due time if the server's history does not reach back to the status write", async () => {
    const { clock, create, manager, dueTimes, startManager } = await startCronJobs();
    await create({ schedule: '0 * * * *' });
    manager.faults.add(({ method, path }) =>
      method === 'POST' && path.includes('/jobs') ? 'refused' : undefined,
    );
    await clock.advance(HOUR + 100);
    manager.kill();
    const next = await startManager({ controllers: ['cronjob'], ready: false });
    let asked = 0;
    next.faults.add(({ path }) => {
      if (!path.includes('/jobs') || !path.includes('fieldSelector=metadata.name')) return undefined;
      asked++;
      return { status: 410, reason: 'Expired' };
    });
    await clock.advance(MINUTE);
    expect(asked).toBe(1);
    expect(dueTimes()).toHaveLength(1);
  });

  it('writes nothing between two due times', async () => {
    const { clock, create, manager } = await startCronJobs();
    await create({ schedule: '0 * * * *' });
    await clock.advance(HOUR + MINUTE);
    const before = manager.faults.seen.filter((line) => !line.startsWith('GET')).length;
    await clock.advance(58 * MINUTE);
    expect(manager.faults.seen.filter((line) => !line.startsWith('GET'))).toHaveLength(before);
  });
});
