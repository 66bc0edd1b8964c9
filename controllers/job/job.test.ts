import { describe, expect, it } from 'vitest';
import { toTime } from '../../base/clock/clock.ts';
import { withWrongClock } from '../fast-clock.fixture.ts';
import { serviceAccountController } from '../serviceaccount/serviceaccount.ts';
import { HOUR, MINUTE, SECOND, startJobs } from './job.fixture.ts';
import { jobController } from './job.ts';

const template = { spec: { restartPolicy: 'Never' as const, containers: [{ name: 'c', image: 'i' }] } };

const PAST_DOUBLES = 2n ** 53n + 1n;

describe('job controller: pods and completions', () => {
  it.each([2n ** 63n - 1n, PAST_DOUBLES])(
    'copies the integer %i of the template to a pod unchanged',
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

  it('creates a pod from the template with the labels, finalizer and controller reference of the Job', async () => {
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

  // [name, spec, initial number of pods, steps of [pods that succeed, pods that run afterwards]]
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

  it('counts each finished Job and pod once in the metrics of release 1.24', async () => {
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

  it('counts and times reconciles by action and result', async () => {
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

  it('sets times and event of a finished Job, leaves nothing active or uncounted, and keeps its pods', async () => {
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
  ])('deletes a pod that a late request creates for a finished Job, %s', async (_, isHeld) => {
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

  it('reports the number of ready pods', async () => {
    const { create, active, move, settle, statusOf } = await startJobs();
    await create({ parallelism: 2, completions: 2 });
    for (const pod of (await active()).slice(0, 1)) await move(pod, 'Running');
    await settle();
    expect(await statusOf()).toMatchObject({ active: 2, ready: 1 });
  });

  it('adds pods for more parallelism, and deletes the least advanced ones uncounted for less', async () => {
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

  it('counts a pod that a user deletes as failed and replaces it', async () => {
    const { create, active, ran, settle, statusOf } = await startJobs();
    await create();
    const [pod] = await active();
    await ran.delete(pod?.metadata?.name ?? '');
    await settle();
    expect(await active()).toHaveLength(1);
    expect(await statusOf()).toMatchObject({ active: 1, failed: 1 });
    await expect(ran.get(pod?.metadata?.name ?? '')).rejects.toThrow('not found');
  });

  it('writes nothing for an hour without changes', async () => {
    const { create, get, settle, manager } = await startJobs();
    await create({ parallelism: 3, completions: 3, activeDeadlineSeconds: 86_400 });
    const { resourceVersion } = (await get()).metadata ?? {};
    const sent = manager.faults.seen.filter((each) => !each.startsWith('GET')).length;
    await settle(HOUR);
    expect((await get()).metadata?.resourceVersion).toBe(resourceVersion);
    expect(manager.faults.seen.filter((each) => !each.startsWith('GET'))).toHaveLength(sent);
  });
});

describe('job controller: failure', () => {
  it('replaces a failed pod at once, the next ones after 10 s, 20 s and 40 s', async () => {
    const { create, finish, active, clock } = await startJobs();
    await create({ backoffLimit: 6 });
    for (const waitMs of [0, 10, 20, 40].map((seconds) => seconds * SECOND)) {
      await finish(1, 'Failed');
      if (waitMs > 0) {
        await clock.advance(waitMs - 2 * SECOND);
        expect(await active()).toHaveLength(0);
        await clock.advance(2 * SECOND);
      }
      expect(await active()).toHaveLength(1);
    }
  });

  it('resets the backoff after a success', async () => {
    const { create, finish, active, clock } = await startJobs();
    await create({ completions: 5, parallelism: 1 });
    await finish(1, 'Failed');
    await finish(1, 'Failed');
    expect(await active()).toHaveLength(0);
    await clock.advance(10 * SECOND);
    await finish(1);
    await finish(1, 'Failed');
    expect(await active()).toHaveLength(1);
  });

  it.each([
    [0, 1],
    [1, 2],
    [3, 4],
  ])('fails with backoffLimit %d after %d failed pods', async (backoffLimit, failures) => {
    const { create, finish, clock, condition, statusOf, active, reasons } = await startJobs();
    await create({ backoffLimit });
    for (let i = 0; i < failures; i++) {
      expect(await condition('Failed')).toBeUndefined();
      await finish(1, 'Failed');
      await clock.advance(6 * MINUTE);
    }
    expect(await condition('Failed')).toMatchObject({
      status: 'True',
      reason: 'BackoffLimitExceeded',
      message: 'Job has reached the specified backoff limit',
    });
    expect(await statusOf()).toMatchObject({ active: 0, failed: failures });
    expect((await statusOf()).completionTime).toBeUndefined();
    expect(await active()).toHaveLength(0);
    expect(await reasons()).toMatchObject({ BackoffLimitExceeded: 1 });
  });

  it('deletes the pods that still run when the Job fails, and counts them as failed', async () => {
    const { create, finish, active, statusOf, condition, listPods } = await startJobs();
    await create({ backoffLimit: 0, parallelism: 3, completions: 3 });
    await finish(1, 'Failed');
    expect(await active()).toHaveLength(0);
    expect(await condition('Failed')).toMatchObject({ status: 'True' });
    expect(await statusOf()).toMatchObject({ active: 0, failed: 3 });
    expect(await listPods()).toHaveLength(1);
  });

  it.each([
    ['Never', 5, undefined],
    ['OnFailure', 2, undefined],
    ['OnFailure', 3, 'BackoffLimitExceeded'],
  ] as const)(
    'sets the failure reason for restartPolicy %s, %d restarts in place and backoffLimit 3 to %s',
    async (policy, restarts, reason) => {
      const { create, active, move, settle, condition } = await startJobs();
      await create({ backoffLimit: 3 }, policy);
      const [pod] = await active();
      if (pod) await move(pod, 'Running', restarts);
      await settle();
      expect((await condition('Failed'))?.reason).toBe(reason);
    },
  );

  it('fails after its active deadline, and not before', async () => {
    const { create, clock, condition, active, reasons, listPods } = await startJobs();
    await create({ activeDeadlineSeconds: 60, parallelism: 2, completions: 2 });
    await clock.advance(58 * SECOND);
    expect(await active()).toHaveLength(2);
    await clock.advance(2 * SECOND);
    expect(await condition('Failed')).toMatchObject({
      reason: 'DeadlineExceeded',
      message: 'Job was active longer than specified deadline',
    });
    expect(await listPods()).toHaveLength(0);
    expect(await reasons()).toMatchObject({ DeadlineExceeded: 1, SuccessfulDelete: 2 });
  });

  it('uses the time of the server for deadlines and status if its own clock is wrong', async () => {
    const ahead = withWrongClock(jobController, 2 * HOUR);
    const { create, clock, condition, statusOf } = await startJobs({
      definitions: () => [serviceAccountController, ahead],
    });
    await create({ activeDeadlineSeconds: 60 });
    expect((await statusOf()).startTime).toBe('2026-01-01T00:00:01Z');
    await clock.advance(50 * SECOND);
    expect(await condition('Failed')).toBeUndefined();
    await clock.advance(20 * SECOND);
    expect(await condition('Failed')).toMatchObject({ reason: 'DeadlineExceeded' });
  });
});

describe('job controller: suspension', () => {
  it('has neither pods nor a start time while created suspended, and both once resumed', async () => {
    const { create, change, active, condition, statusOf, settle, clock } = await startJobs();
    await create({ suspend: true, parallelism: 2, completions: 2 });
    expect(await active()).toHaveLength(0);
    expect(await condition('Suspended')).toMatchObject({ status: 'True', reason: 'JobSuspended' });
    expect((await statusOf()).startTime).toBeUndefined();
    await settle(HOUR);
    const resumed = toTime(clock.now());
    await change({ suspend: false });
    expect(await condition('Suspended')).toMatchObject({ status: 'False', reason: 'JobResumed' });
    expect((await statusOf()).startTime).toBe(resumed);
    expect(await active()).toHaveLength(2);
  });

  it('deletes running pods uncounted when suspended, and resets the start time when resumed', async () => {
    const { create, change, active, statusOf, settle, reasons, condition, finish } = await startJobs();
    await create({ parallelism: 3, completions: 3, activeDeadlineSeconds: 60, backoffLimit: 0 });
    await finish(1);
    await change({ suspend: true });
    expect(await active()).toHaveLength(0);
    expect(await statusOf()).toMatchObject({ active: 0, succeeded: 1, failed: 0 });
    await settle(HOUR);
    expect(await condition('Failed')).toBeUndefined();
    await change({ suspend: false });
    expect(await active()).toHaveLength(2);
    await settle(50 * SECOND);
    expect(await condition('Failed')).toBeUndefined();
    await finish(2);
    expect(await condition('Complete')).toMatchObject({ status: 'True' });
    expect(await reasons()).toMatchObject({ Suspended: 1, Resumed: 1, Completed: 1 });
  });
});

describe('job controller: Indexed completion', () => {
  const indexed = { completionMode: 'Indexed' } as const;

  it('sets the index of a pod in annotation, label, host name, name and environment', async () => {
    const { create, active, indexKey } = await startJobs();
    await create({ ...indexed, completions: 3, parallelism: 3 });
    const pods = (await active()).toSorted((a, b) =>
      (a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1,
    );
    expect(pods.map((pod) => pod.spec?.hostname)).toEqual(['work-0', 'work-1', 'work-2']);
    for (const [index, pod] of pods.entries()) {
      expect(pod.metadata?.annotations?.[indexKey]).toBe(String(index));
      expect(pod.metadata?.labels?.[indexKey]).toBe(String(index));
      expect(pod.metadata?.name).toMatch(new RegExp(`^work-${index}-[a-z0-9]{5}$`));
      expect(pod.spec?.containers?.[0]?.env).toMatchObject([
        {
          name: 'JOB_COMPLETION_INDEX',
          valueFrom: { fieldRef: { fieldPath: `metadata.annotations['${indexKey}']` } },
        },
      ]);
    }
  });

  it('completes each index once, and reports completed indexes as ranges', async () => {
    const { create, active, move, settle, statusOf, indexKey, condition } = await startJobs();
    await create({ ...indexed, completions: 7, parallelism: 7 });
    const run = async (...indexes: number[]) => {
      for (const pod of await active())
        if (indexes.includes(Number(pod.metadata?.annotations?.[indexKey]))) await move(pod, 'Succeeded');
      await settle();
    };
    await run(1, 3, 4, 5);
    expect(await statusOf()).toMatchObject({ completedIndexes: '1,3-5', succeeded: 4, active: 3 });
    await run(0);
    expect(await statusOf()).toMatchObject({ completedIndexes: '0,1,3-5' });
    await run(2, 6);
    expect(await statusOf()).toMatchObject({ completedIndexes: '0-6', succeeded: 7, active: 0 });
    expect(await condition('Complete')).toBeDefined();
  });

  it('retries failed indexes, the lowest first', async () => {
    const { create, active, finish, indexKey, statusOf } = await startJobs();
    await create({ ...indexed, completions: 4, parallelism: 2 });
    const indexes = async () => (await active()).map((pod) => pod.metadata?.annotations?.[indexKey]).sort();
    expect(await indexes()).toEqual(['0', '1']);
    await finish(1, 'Failed');
    expect(await indexes()).toEqual(['0', '1']);
    expect(await statusOf()).toMatchObject({ failed: 1 });
    await finish(2);
    expect(await indexes()).toEqual(['2', '3']);
  });
});

describe('job controller: adoption and release of pods', () => {
  const selected = {
    manualSelector: true,
    selector: { matchLabels: { mine: 'yes' } },
    template: { ...template, metadata: { labels: { mine: 'yes' } } },
  };
  const stray = {
    metadata: { name: 'stray', labels: { mine: 'yes' } },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  };

  it('adopts and counts a pod that matches its selector and has no controller', async () => {
    const { create, ran, active, statusOf, settle, tracking, get } = await startJobs();
    await ran.create(stray);
    await settle();
    await create({ ...selected, parallelism: 2, completions: 2 });
    expect(await active()).toHaveLength(2);
    const { metadata } = await ran.get('stray');
    expect(metadata?.ownerReferences).toMatchObject([{ uid: (await get()).metadata?.uid, controller: true }]);
    expect(metadata?.finalizers).toEqual([tracking]);
    expect(await statusOf()).toMatchObject({ active: 2 });
  });

  it('releases a pod whose labels no longer match, and creates another', async () => {
    const { create, ran, active, settle } = await startJobs();
    await create(selected);
    const name = (await active())[0]?.metadata?.name ?? '';
    await ran.patch(name, 'merge', { metadata: { labels: { mine: null } } });
    await settle();
    const { metadata } = await ran.get(name);
    expect(metadata?.ownerReferences ?? []).toEqual([]);
    expect(metadata?.finalizers ?? []).toEqual([]);
    expect((await active()).filter((pod) => pod.metadata?.labels?.['mine'] === 'yes')).toHaveLength(1);
  });

  it('leaves pods of other controllers alone even if its selector matches them', async () => {
    const { create, ran, settle } = await startJobs();
    const other = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'x', uid: 'another', controller: true };
    const made = await ran.create({ ...stray, metadata: { ...stray.metadata, ownerReferences: [other] } });
    await create(selected);
    await settle();
    expect((await ran.get('stray')).metadata?.resourceVersion).toBe(made.metadata?.resourceVersion);
  });

  it('removes the finalizer from pods of a deleted Job', async () => {
    const { create, own, active, settle, ran } = await startJobs();
    await create();
    const name = (await active())[0]?.metadata?.name ?? '';
    await own.delete('work', { propagationPolicy: 'Background' });
    await settle();
    expect((await ran.get(name)).metadata?.finalizers ?? []).toEqual([]);
  });

  it.each(['Foreground', 'Background', 'Orphan'] as const)(
    'completes a deletion with propagation %s together with the garbage collector',
    async (propagationPolicy) => {
      const { create, own, settle, listPods, watchPods } = await startJobs({
        controllers: ['job', 'serviceaccount', 'garbagecollector'],
      });
      await create({ parallelism: 2, completions: 2 });
      const created = watchPods();
      await settle(0);
      await own.delete('work', { propagationPolicy });
      await settle(MINUTE);
      await expect(own.get('work')).rejects.toThrow('not found');
      const left = await listPods();
      expect(left).toHaveLength(propagationPolicy === 'Orphan' ? 2 : 0);
      for (const { metadata } of left) expect(metadata?.finalizers ?? []).toEqual([]);
      expect(created).toHaveLength(2);
    },
  );
});
