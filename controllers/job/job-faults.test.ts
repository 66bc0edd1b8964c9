import { describe, expect, it } from 'vitest';
import type { Fault } from '../../test/world/faults.ts';
import { MINUTE, SECOND, startJobs } from './job.fixture.ts';

const controllers = ['job', 'serviceaccount'];
const isPods = (path: string): boolean => /\/pods(\/|\?|$)/.test(path);

describe('jobController under faults', () => {
  it('creates no extra pod if responses to creations are lost', async () => {
    const { create, watchPods, manager, settle, statusOf } = await startJobs();
    const created = watchPods();
    let faults = 0;
    manager.faults.add(({ method, path }) =>
      method === 'POST' && isPods(path) && faults++ < 5 ? 'unanswered' : undefined,
    );
    await create({ parallelism: 8, completions: 8 });
    await settle(MINUTE);
    expect(faults).toBeGreaterThan(5);
    expect(created).toHaveLength(8);
    expect(await statusOf()).toMatchObject({ active: 8 });
  });

  it('reads the pods before it repeats a creation that exceeded the time limit', async () => {
    const { create, manager, settle, statusOf } = await startJobs();
    const sent: string[] = [];
    manager.faults.add(({ method, path }) => {
      if (!isPods(path) || path.includes('watch=')) return undefined;
      sent.push(method);
      return method === 'POST' && sent.filter((each) => each === 'POST').length === 1 ? 'hanging' : undefined;
    });
    await create({ parallelism: 1 });
    await settle(5 * MINUTE);
    expect(await statusOf()).toMatchObject({ active: 1 });
    const first = sent.indexOf('POST');
    expect(sent.slice(first, sent.indexOf('POST', first + 1) + 1)).toEqual(['POST', 'GET', 'POST']);
  });

  it('creates no extra pod if the cache never receives the created pods', async () => {
    const { create, watchPods, manager, startManager, settle, finish, statusOf } = await startJobs();
    await manager.stop();
    const created = watchPods();
    const next = await startManager({ controllers, ready: false });
    // The list of pods gets a response, but the watch after it never does.
    let hanging = 0;
    next.faults.add(({ path }) =>
      path.includes('watch=') && isPods(path) && ++hanging > 0 ? 'hanging' : undefined,
    );
    await settle();
    await create({ parallelism: 3, completions: 3 });
    await settle(MINUTE);
    expect(created).toHaveLength(3);
    await finish(1);
    await settle(10 * SECOND);
    expect(created).toHaveLength(3);
    expect((await statusOf()).failed).toBe(0);
    expect(hanging).toBeGreaterThan(0);
  });

  it('neither counts a pod twice nor replaces it if a list is stale', async () => {
    const { create, ran, watchPods, manager, finish, settle, statusOf, condition } = await startJobs();
    const { resourceVersion: asOf } = await ran.list();
    const created = watchPods();
    const met: string[] = [];
    const once = (name: string, fault: Fault): Fault | undefined => {
      if (met.includes(name)) return undefined;
      met.push(name);
      return fault;
    };
    manager.faults.add(({ method, path }) => {
      if (method === 'PATCH' && isPods(path)) return once('conflict', { status: 409, reason: 'Conflict' });
      const isList = method === 'GET' && path.includes('/pods?') && !path.includes('watch=');
      return isList && met.includes('conflict') ? once('past', { asOf }) : undefined;
    });
    await create({ parallelism: 1, completions: 2 });
    await finish(1);
    await settle(MINUTE);
    expect(met).toEqual(['conflict', 'past']);
    expect(created).toHaveLength(2);
    expect(await statusOf()).toMatchObject({ succeeded: 1, active: 1 });
    await finish(1);
    await settle(MINUTE);
    expect(await condition('Complete')).toMatchObject({ status: 'True' });
    expect(await statusOf()).toMatchObject({ succeeded: 2, failed: 0 });
    expect(created).toHaveLength(2);
  });

  it('does not count a released pod again if a list is stale', async () => {
    const { create, ran, active, move, manager, finish, settle, statusOf, condition } = await startJobs();
    await create({ parallelism: 2, completions: 2 });
    const cannot = manager.faults.add(({ method, path }) =>
      method === 'PATCH' && isPods(path) ? 'refused' : undefined,
    );
    await finish(1);
    const { resourceVersion: asOf } = await ran.list();
    cannot();
    await settle(MINUTE);
    expect(await statusOf()).toMatchObject({ succeeded: 1, active: 1 });
    const met: string[] = [];
    manager.faults.add(({ method, path }) => {
      const isList = method === 'GET' && path.includes('/pods?') && !path.includes('watch=');
      const isPast = isList && met.length === 1;
      if (!isPast && (method !== 'PUT' || met.length > 0)) return undefined;
      met.push(isPast ? 'past' : 'conflict');
      return isPast ? { asOf } : { status: 409, reason: 'Conflict' };
    });
    for (const pod of await active()) await move(pod, 'Running');
    await settle(MINUTE);
    expect(met).toEqual(['conflict', 'past']);
    expect(await statusOf()).toMatchObject({ succeeded: 1, active: 1 });
    expect(await condition('Complete')).toBeUndefined();
    await finish(1);
    await settle(MINUTE);
    expect(await statusOf()).toMatchObject({ succeeded: 2, active: 0 });
    expect(await condition('Complete')).toMatchObject({ status: 'True' });
  });

  it('finishes the work of a manager that is killed midway, and creates exactly the missing pods', async () => {
    const { create, watchPods, manager, startManager, settle, finish, statusOf, condition } =
      await startJobs();
    const created = watchPods();
    let creations = 0;
    manager.faults.add(({ method, path }) =>
      method === 'POST' && isPods(path) && ++creations > 3 ? 'hanging' : undefined,
    );
    await create({ parallelism: 6, completions: 6 });
    expect(created).toHaveLength(3);
    manager.kill();
    await startManager({ controllers });
    await settle();
    expect(created).toHaveLength(6);
    await finish(6);
    expect(await statusOf()).toMatchObject({ succeeded: 6, failed: 0 });
    expect(await condition('Complete')).toMatchObject({ status: 'True' });
    expect(created).toHaveLength(6);
  });

  it.each<[string, string, Fault]>([
    ['status writes are lost', 'PUT', 'unanswered'],
    ['status writes are rejected', 'PUT', { status: 500, reason: 'InternalError' }],
    ['finalizer removals get no response', 'PATCH', 'unanswered'],
    ['finalizer removals are not connected', 'PATCH', 'refused'],
  ])('counts each pod once even if every other time %s', async (_what, verb, fault) => {
    const { create, manager, finish, settle, statusOf, listPods, condition } = await startJobs();
    let seen = 0;
    manager.faults.add(({ method }) => (method === verb && seen++ % 2 === 0 ? fault : undefined));
    await create({ parallelism: 5, completions: 9, backoffLimit: 9 });
    await settle(10 * SECOND);
    await finish(1, 'Failed');
    await finish(2);
    await settle(MINUTE);
    expect(await statusOf()).toMatchObject({ succeeded: 2, failed: 1, active: 5 });
    await finish(5);
    await settle(MINUTE);
    await finish(2);
    await settle(MINUTE);
    expect(await statusOf()).toMatchObject({
      succeeded: 9,
      failed: 1,
      active: 0,
      uncountedTerminatedPods: {},
    });
    expect(await condition('Complete')).toBeDefined();
    expect((await listPods()).every(({ metadata }) => (metadata?.finalizers ?? []).length === 0)).toBe(true);
    expect(seen).toBeGreaterThan(4);
  });

  it('counts no pod twice after a manager is killed between the count and the removal of finalizers', async () => {
    const { create, manager, startManager, finish, settle, statusOf } = await startJobs();
    manager.faults.add(({ method }) => (method === 'PATCH' ? 'refused' : undefined));
    await create({ parallelism: 2, completions: 4 });
    await finish(2);
    expect((await statusOf()).uncountedTerminatedPods?.succeeded).toHaveLength(2);
    manager.kill();
    await startManager({ controllers });
    await settle();
    expect(await statusOf()).toMatchObject({ succeeded: 2, active: 2, uncountedTerminatedPods: {} });
  });

  it('creates few pods while creation is rejected, reports the rejection, and continues once creation is allowed', async () => {
    const { create, manager, settle, active, reasons, clock } = await startJobs();
    let tries = 0;
    const allow = manager.faults.add(({ method, path }) => {
      if (method !== 'POST' || !isPods(path)) return undefined;
      tries++;
      return { status: 403, reason: 'Forbidden', message: 'exceeded quota' };
    });
    await create({ parallelism: 50, completions: 50 });
    await settle(10 * SECOND);
    expect(tries).toBeLessThan(20);
    expect((await reasons())['FailedCreate']).toBeGreaterThan(0);
    allow();
    await clock.advance(5 * MINUTE);
    expect(await active()).toHaveLength(50);
  });

  it('adopts no pod that another manager counted and released, if its cache lacks the start of the Job', async () => {
    const { create, manager, startManager, settle, finish, listPods, condition } = await startJobs();
    await manager.stop();
    await create({ parallelism: 2, completions: 2 });
    const behind = await startManager({ controllers, ready: false });
    let refused = 0;
    behind.faults.add(({ method, path }) => {
      if (path.includes('/jobs') && path.includes('watch=')) return 'hanging';
      return method === 'PUT' && ++refused > 0 ? 'refused' : undefined;
    });
    await settle();
    await startManager({ controllers });
    await settle();
    await finish(2);
    await settle(10 * SECOND);
    expect(await condition('Complete')).toBeDefined();
    const versions = async () => (await listPods()).map(({ metadata }) => metadata?.resourceVersion);
    const before = await versions();
    await settle(MINUTE);
    expect(await versions()).toEqual(before);
    expect((await listPods()).flatMap(({ metadata }) => metadata?.finalizers ?? [])).toEqual([]);
    expect(refused).toBeGreaterThan(0);
  });

  it.each(['the Job has finished', 'the Job runs on', 'the Job was deleted', 'their labels were removed'])(
    'releases pods that changed without a watch event after one live read, if %s',
    async (how) => {
      const { create, manager, startManager, settle, finish, own, ran, listPods } = await startJobs();
      manager.faults.add(({ method, path }) => (method === 'PATCH' && isPods(path) ? 'refused' : undefined));
      const isOver = how === 'the Job has finished';
      await create({ parallelism: 2, completions: isOver ? 2 : 9 });
      await finish(2);
      if (how === 'the Job was deleted') await own.delete('work', { propagationPolicy: 'Orphan' });
      const ended = (await listPods()).filter(({ status }) => status?.phase === 'Succeeded');
      const change =
        how === 'their labels were removed' ? { labels: null } : { annotations: { seen: 'yes' } };
      const touch = (metadata: object) =>
        Promise.all(ended.map((pod) => ran.patch(pod.metadata?.name ?? '', 'merge', { metadata })));
      if (how === 'their labels were removed') await touch(change);
      await settle(10 * SECOND);
      manager.kill();
      // The list of pods gets a response, but the watches after it never do.
      const next = await startManager({ controllers, ready: false });
      let isHeldBack = true;
      let tries = 0;
      next.faults.add(({ method, path }) => {
        if (!isPods(path)) return undefined;
        if (path.includes('watch=')) return 'hanging';
        if (method !== 'PATCH') return undefined;
        if (isHeldBack) return 'refused';
        tries++;
        return undefined;
      });
      await settle();
      await touch({ annotations: { seen: 'again' } });
      isHeldBack = false;
      await settle(MINUTE);
      const held = (await listPods())
        .filter(({ metadata }) => ended.some((pod) => pod.metadata?.uid === metadata?.uid))
        .flatMap(({ metadata }) => metadata?.finalizers ?? []);
      expect(held).toEqual([]);
      // Expect two failed and two successful patches. There are more only if a Job event enqueues the key
      // while the cache is stale.
      expect(tries).toBeGreaterThanOrEqual(4);
      expect(tries).toBeLessThanOrEqual(8);
    },
  );

  it('reaches the same result with two managers at once', async () => {
    const { create, startManager, settle, active, finish, statusOf } = await startJobs();
    await startManager({ controllers });
    await create({ parallelism: 4, completions: 4 });
    await settle(10 * SECOND);
    expect(await active()).toHaveLength(4);
    await finish(4);
    await settle(10 * SECOND);
    expect(await statusOf()).toMatchObject({ succeeded: 4, failed: 0, active: 0 });
  });
});
