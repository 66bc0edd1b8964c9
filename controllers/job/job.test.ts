import { describe, expect, it } from 'vitest';
import { toTime } from '../../base/clock/clock.ts';
import { HOUR, MINUTE, SECOND, startJobs } from './job.fixture.ts';

const template = { spec: { restartPolicy: 'Never' as const, containers: [{ name: 'c', image: 'i' }] } };

const PAST_DOUBLES = 2n ** 53n + 1n;

describe('pods and completions in jobController', () => {
  it.each([2n ** 63n - 1n, PAST_DOUBLES])(
    'include the 64-bit integer %i of the template unchanged',
    async (grace) => {
      const { create, active } = await startJobs();
      const tolerations = [
        { operator: 'Exists' as const, effect: 'NoExecute' as const, tolerationSeconds: PAST_DOUBLES },
      ];
      await create({
        activeDeadlineSeconds: PAST_DOUBLES,
        template: { spec: { ...template.spec, terminationGracePeriodSeconds: grace, tolerations } },
      });
      const [pod] = await active();
      expect(pod?.spec?.terminationGracePeriodSeconds).toBe(grace);
      expect(pod?.spec?.tolerations?.[0]?.tolerationSeconds).toBe(PAST_DOUBLES);
    },
  );

  it('include a pod with the labels, finalizer and controller reference of the Job', async () => {
    const { create, active, tracking } = await startJobs();
    const job = await create({
      template: { ...template, metadata: { labels: { a: 'b' }, annotations: { c: 'd' } } },
    });
    const [pod] = await active();
    expect(pod?.metadata).toMatchObject({
      labels: { a: 'b', 'controller-uid': job.metadata?.uid, 'job-name': 'work' },
      annotations: { c: 'd' },
      finalizers: [tracking],
      ownerReferences: [
        { kind: 'Job', name: 'work', uid: job.metadata?.uid, controller: true, blockOwnerDeletion: true },
      ],
    });
    expect(pod?.metadata?.name).toMatch(/^work-[a-z0-9]{5}$/);
    expect(pod?.spec?.containers).toMatchObject([{ name: 'c', image: 'i' }]);
  });

  // Columns: name, spec, initial number of pods, steps of [pods that succeed, pods that run afterwards].
  it.each([
    ['one pod by default', {}, 1, [[1, 0]]],
    [
      'as many pods at once as parallelism allows',
      { parallelism: 3, completions: 5 },
      3,
      [
        [1, 3],
        [2, 2],
        [2, 0],
      ],
    ],
    ['no more pods than completions are left', { parallelism: 10, completions: 2 }, 2, [[2, 0]]],
    ['no pod with parallelism 0', { parallelism: 0, completions: 2 }, 0, []],
    ['no pod with completions 0', { completions: 0 }, 0, []],
    [
      'no new pod of a work queue after the first success',
      { parallelism: 3 },
      3,
      [
        [1, 2],
        [2, 0],
      ],
    ],
  ] as const)('runs %s', async (_what, spec, first, rounds) => {
    const { create, active, finish, statusOf, condition } = await startJobs();
    await create(spec);
    expect(await active()).toHaveLength(first);
    let done = 0;
    for (const [succeed, left] of rounds) {
      await finish(succeed);
      done += succeed;
      expect(await active()).toHaveLength(left);
      expect(await statusOf()).toMatchObject({ active: left, succeeded: done });
    }
    const isDone = rounds.at(-1)?.[1] === 0 || ('completions' in spec && spec.completions === 0);
    expect((await condition('Complete'))?.status).toBe(isDone ? 'True' : undefined);
  });

  it('are counted once for each finished Job and pod in the metrics of release 1.24', async () => {
    const { create, finish, settle, manager } = await startJobs();
    await create({ completions: 2, parallelism: 2, backoffLimit: 5 });
    await finish(1, 'Failed');
    await settle(MINUTE);
    await finish(2);
    await create({ completions: 1, completionMode: 'Indexed', backoffLimit: 0 }, 'Never', 'other');
    await finish(1, 'Failed');
    await settle(HOUR);
    const { text } = await manager.manager.metrics();
    expect(text.match(/^job_controller_\w+_finished_total\{.*/gm)).toEqual([
      'job_controller_job_finished_total{completion_mode="Indexed",result="failed"} 1',
      'job_controller_job_finished_total{completion_mode="NonIndexed",result="succeeded"} 1',
      'job_controller_job_pods_finished_total{completion_mode="Indexed",result="failed"} 1',
      'job_controller_job_pods_finished_total{completion_mode="NonIndexed",result="failed"} 1',
      'job_controller_job_pods_finished_total{completion_mode="NonIndexed",result="succeeded"} 2',
    ]);
  });

  it('are counted and timed by action and result of each reconcile', async () => {
    const { create, finish, change, own, settle, manager } = await startJobs();
    const count = async (result: string, action: string) => {
      const labels = `{action="${action}",completion_mode="NonIndexed",result="${result}"}`;
      const { text } = await manager.manager.metrics();
      const lines = text.split('\n');
      const valueOf = (name: string) =>
        Number(lines.find((line) => line.startsWith(name))?.split(' ')[1] ?? 0);
      expect(valueOf(`job_controller_job_sync_duration_seconds_count${labels}`)).toBe(
        valueOf(`job_controller_job_sync_total${labels}`),
      );
      return valueOf(`job_controller_job_sync_total${labels}`);
    };
    const heal = manager.faults.add(({ method, path }) =>
      method === 'POST' && path.includes('/pods') ? { status: 403, reason: 'Forbidden' } : undefined,
    );
    await create({ completions: 2, parallelism: 2 });
    await settle(1_000);
    expect(await count('error', 'pods_created')).toBeGreaterThan(0);
    expect(await count('success', 'pods_created')).toBe(0);
    heal();
    await settle(MINUTE);
    expect(await count('success', 'pods_created')).toBe(1);
    expect(await count('success', 'tracking')).toBeGreaterThan(0);
    await change({ parallelism: 1 });
    await settle(MINUTE);
    expect(await count('success', 'pods_deleted')).toBe(1);
    await change({ parallelism: 2 });
    await settle(MINUTE);
    await finish(2);
    await settle(MINUTE);
    const passes = await count('success', 'tracking');
    await own.patch('work', 'merge', { metadata: { labels: { changed: 'yes' } } });
    await settle(MINUTE);
    expect(await count('success', 'tracking')).toBe(passes);
  });

  it('end with times and an event of the Job, no active or uncounted pods, and all pods retained', async () => {
    const { create, finish, statusOf, reasons, listPods, clock, settle } = await startJobs();
    await create({ completions: 2, parallelism: 2 });
    const startTime = toTime(clock.now() - SECOND);
    await settle(10 * SECOND);
    await finish(2);
    const status = await statusOf();
    expect(status).toMatchObject({
      startTime,
      active: 0,
      ready: 0,
      succeeded: 2,
      failed: 0,
      uncountedTerminatedPods: {},
    });
    expect(status.completionTime).toBe(status.conditions?.[0]?.lastTransitionTime);
    expect(status.conditions).toHaveLength(1);
    await settle(HOUR);
    expect(await reasons()).toEqual({ SuccessfulCreate: 2, Completed: 1 });
    expect((await listPods()).map((pod) => pod.metadata?.finalizers ?? [])).toEqual([[], []]);
  });

  it.each([
    ['with the finalizer', true],
    ['without the finalizer', false],
  ])('exclude a pod that a late request creates for a finished Job %s', async (_, isHeld) => {
    const { create, active, finish, ran, settle, listPods } = await startJobs();
    await create();
    const [pod] = await active();
    await finish(1);
    const { labels = {}, ownerReferences = [] } = pod?.metadata ?? {};
    const finalizers = isHeld ? (pod?.metadata?.finalizers ?? []) : [];
    await ran.create({ ...pod, metadata: { name: 'late', labels, ownerReferences, finalizers }, status: {} });
    await settle();
    expect((await listPods()).map(({ metadata }) => metadata?.name)).toEqual([pod?.metadata?.name]);
  });

  it('include the number of ready pods in the status', async () => {
    const { create, active, move, settle, statusOf } = await startJobs();
    await create({ parallelism: 2, completions: 2 });
    for (const pod of (await active()).slice(0, 1)) await move(pod, 'Running');
    await settle();
    expect(await statusOf()).toMatchObject({ active: 2, ready: 1 });
  });

  it('increase with parallelism, and decrease with it by deleting the pods with the least progress, uncounted', async () => {
    const { create, change, active, move, statusOf, reasons } = await startJobs();
    await create({ parallelism: 2, completions: 9 });
    const [running] = await active();
    if (running) await move(running, 'Running');
    await change({ parallelism: 4 });
    expect(await active()).toHaveLength(4);
    await change({ parallelism: 1 });
    expect((await active()).map((pod) => pod.metadata?.name)).toEqual([running?.metadata?.name]);
    expect(await statusOf()).toMatchObject({ active: 1, failed: 0 });
    expect(await reasons()).toMatchObject({ SuccessfulDelete: 3 });
  });

  it('include a pod that a user deletes as failed, with a replacement', async () => {
    const { create, active, ran, settle, statusOf } = await startJobs();
    await create();
    const [pod] = await active();
    await ran.delete(pod?.metadata?.name ?? '');
    await settle();
    expect(await active()).toHaveLength(1);
    expect(await statusOf()).toMatchObject({ active: 1, failed: 1 });
    await expect(ran.get(pod?.metadata?.name ?? '')).rejects.toThrow('not found');
  });

  it('cause no write for an hour without changes', async () => {
    const { create, get, settle, manager } = await startJobs();
    await create({ parallelism: 3, completions: 3, activeDeadlineSeconds: 86_400 });
    const { resourceVersion } = (await get()).metadata ?? {};
    const sent = manager.faults.seen.filter((each) => !each.startsWith('GET')).length;
    await settle(HOUR);
    expect((await get()).metadata?.resourceVersion).toBe(resourceVersion);
    expect(manager.faults.seen.filter((each) => !each.startsWith('GET'))).toHaveLength(sent);
  });
});
