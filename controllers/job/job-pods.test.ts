import { describe, expect, it } from 'vitest';
import { MINUTE, startJobs } from './job.fixture.ts';

const template = { spec: { restartPolicy: 'Never' as const, containers: [{ name: 'c', image: 'i' }] } };

describe('Indexed completion in jobController', () => {
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

describe('adoption and release of pods in jobController', () => {
  const selected = {
    manualSelector: true,
    selector: { matchLabels: { mine: 'yes' } },
    template: { ...template, metadata: { labels: { mine: 'yes' } } },
  };
  const stray = {
    metadata: { name: 'stray', labels: { mine: 'yes' } },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  };

  it('adopt and count a pod that matches the selector and has no controller', async () => {
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

  it('release a pod whose labels no longer match, and create a replacement', async () => {
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

  it('ignore pods of other controllers even if the selector matches them', async () => {
    const { create, ran, settle } = await startJobs();
    const other = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'x', uid: 'another', controller: true };
    const made = await ran.create({ ...stray, metadata: { ...stray.metadata, ownerReferences: [other] } });
    await create(selected);
    await settle();
    expect((await ran.get('stray')).metadata?.resourceVersion).toBe(made.metadata?.resourceVersion);
  });

  it('remove the finalizer from pods of a deleted Job', async () => {
    const { create, own, active, settle, ran } = await startJobs();
    await create();
    const name = (await active())[0]?.metadata?.name ?? '';
    await own.delete('work', { propagationPolicy: 'Background' });
    await settle();
    expect((await ran.get(name)).metadata?.finalizers ?? []).toEqual([]);
  });

  it.each(['Foreground', 'Background', 'Orphan'] as const)(
    'complete a deletion with propagation %s together with the garbage collector',
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
