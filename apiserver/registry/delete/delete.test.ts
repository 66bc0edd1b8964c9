import { describe, expect, it } from 'vitest';
import { configMaps, events, jobs, namespaces, pods, priorityClasses } from '../../../api/groups/index.ts';
import type { ApiObject } from '../../../api/kinds/kind.ts';
import type { AnyKind } from '../../../api/kinds/scheme.ts';
import { configMap, deleting, listing, pod, refusal, startFixture, writing } from '../registry.fixture.ts';
import type { DeleteParameters, Deleted } from '../registry.ts';

async function withObject(kind: AnyKind, body: object, namespace = 'default') {
  const fixture = await startFixture();
  const registry = fixture.of(kind);
  const { object } = await registry.create(namespace, body, writing());
  const name = object.metadata?.name ?? '';
  const remove = (changes: Partial<DeleteParameters> = {}, dryRun = false): Promise<Deleted> =>
    registry.delete(namespace, name, deleting(changes), writing({ dryRun }));
  const exists = async (): Promise<boolean> => (await fixture.storage.list('/registry/')).items.length > 0;
  return { ...fixture, registry, object, remove, exists };
}

const NOW = '2026-01-01T00:00:00Z';

describe('delete', () => {
  it('removes an object without finalizers and returns its last state', async () => {
    const { remove, exists, object } = await withObject(configMaps, configMap('a'));
    const deleted = await remove();
    expect([deleted.isRemoved, deleted.returnsObject, deleted.object.metadata?.uid]).toEqual([
      true,
      false,
      object.metadata?.uid,
    ]);
    expect(await exists()).toBe(false);
    expect((await refusal(remove())).message).toBe('configmaps "a" not found');
  });

  it('removes nothing in a dry run', async () => {
    const { remove, exists } = await withObject(configMaps, configMap('a'));
    expect((await remove({}, true)).isRemoved).toBe(true);
    expect((await remove({ propagationPolicy: 'Foreground' }, true)).object.metadata?.finalizers).toEqual([
      'foregroundDeletion',
    ]);
    expect(await exists()).toBe(true);
  });

  it('rejects a system PriorityClass, except as part of a collection', async () => {
    const name = 'system-node-critical';
    const { remove, exists } = await withObject(
      priorityClasses,
      { metadata: { name }, value: 2_000_001_000 },
      '',
    );
    const error = await refusal(remove());
    expect([error.code, error.message]).toEqual([
      403,
      `priorityclasses.scheduling.k8s.io "${name}" is forbidden: this is a system priority class and cannot be deleted`,
    ]);
    await remove({ isOfCollection: true });
    expect(await exists()).toBe(false);
  });

  it('rejects preconditions that do not hold', async () => {
    const { remove, object } = await withObject(configMaps, configMap('x1'));
    const uid = await refusal(remove({ preconditions: { uid: '0' } }));
    expect([uid.code, uid.status.details, uid.message]).toEqual([
      409,
      { name: 'x1', kind: 'ConfigMap' },
      `Operation cannot be fulfilled on ConfigMap "x1": the UID in the precondition (0) does not match the UID in record (${object.metadata?.uid}). The object might have been deleted and then recreated`,
    ]);
    const version = await refusal(remove({ preconditions: { resourceVersion: '7' } }));
    expect(version.message).toBe(
      'Operation cannot be fulfilled on ConfigMap "x1": the ResourceVersion in the precondition (7) does not match the ResourceVersion in record (1). The object might have been modified',
    );
    expect(
      (await remove({ preconditions: { uid: object.metadata?.uid ?? '', resourceVersion: '1' } })).isRemoved,
    ).toBe(true);
  });

  it("reports a failed precondition of a namespace in upstream's words", async () => {
    const { remove, object } = await withObject(namespaces, { metadata: { name: 'n' } }, '');
    const refused = (text: string) =>
      `Operation cannot be fulfilled on namespaces "n": Precondition failed: ${text}`;
    expect((await refusal(remove({ preconditions: { uid: '0' } }))).message).toBe(
      refused(`UID in precondition: 0, UID in object meta: ${object.metadata?.uid}`),
    );
    expect((await refusal(remove({ preconditions: { resourceVersion: '7' } }))).message).toBe(
      refused('ResourceVersion in precondition: 7, ResourceVersion in object meta: 1'),
    );
  });

  it('sets the deletion time of an object with finalizers only once', async () => {
    const { remove, storage, clock } = await withObject(
      configMaps,
      configMap('x3', {}, { finalizers: ['a.b/c'] }),
    );
    const first = await remove();
    expect([first.isRemoved, first.returnsObject]).toEqual([false, true]);
    expect(first.object.metadata).toMatchObject({
      deletionTimestamp: NOW,
      deletionGracePeriodSeconds: 0,
      finalizers: ['a.b/c'],
    });
    await clock.advance(5_000);
    expect((await remove()).object.metadata?.deletionTimestamp).toBe(NOW);
    expect(await storage.revision()).toBe(2);
  });

  it.each([
    ['Orphan', [], ['orphan']],
    ['Foreground', [], ['foregroundDeletion']],
    ['Foreground', ['a.b/c', 'orphan'], ['a.b/c', 'foregroundDeletion']],
    ['Orphan', ['foregroundDeletion'], ['orphan']],
    ['Background', ['a.b/c', 'orphan'], ['a.b/c']],
    [undefined, ['orphan'], ['orphan']],
  ] as const)(
    'with propagation policy %s turns finalizers %j into %j',
    async (propagationPolicy, before, after) => {
      const { remove } = await withObject(configMaps, configMap('a', {}, { finalizers: [...before] }));
      const deleted = await remove({ propagationPolicy });
      expect([deleted.isRemoved, deleted.object.metadata?.finalizers]).toEqual([false, after]);
    },
  );

  it('removes an object at once if background deletion releases its last finalizer', async () => {
    const { remove, exists } = await withObject(configMaps, configMap('a', {}, { finalizers: ['orphan'] }));
    expect((await remove({ propagationPolicy: 'Background' })).isRemoved).toBe(true);
    expect(await exists()).toBe(false);
  });

  it('orphans the pods of a Job by default, with a warning', async () => {
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
    const { registry } = await withObject(jobs, { metadata: { name: 'j' }, spec: { template } });
    const warnings: string[] = [];
    const { object } = await registry.delete(
      'default',
      'j',
      deleting(),
      writing({ warn: (text) => warnings.push(text) }),
    );
    expect(object.metadata?.finalizers).toEqual(['orphan']);
    expect(warnings).toEqual([
      expect.stringMatching(/^child pods are preserved by default when jobs are deleted/),
    ]);
  });

  it('never sets finalizers on an Event', async () => {
    const { remove } = await withObject(events, {
      metadata: { name: 'e' },
      involvedObject: { namespace: 'default' },
    });
    expect((await remove({ propagationPolicy: 'Foreground' })).isRemoved).toBe(true);
  });
});

describe('delete of a pod', () => {
  it.each([
    ['that was never bound', {}, undefined],
    ['that is bound, without grace', { nodeName: 'n' }, 0],
  ])('%s removes the pod at once and returns it', async (_name, spec, gracePeriodSeconds) => {
    const { remove, exists } = await withObject(pods, pod('p', spec));
    const deleted = await remove({ gracePeriodSeconds });
    expect([deleted.isRemoved, deleted.returnsObject]).toEqual([true, true]);
    expect(deleted.object.metadata).toMatchObject({ deletionTimestamp: NOW, deletionGracePeriodSeconds: 0 });
    expect(await exists()).toBe(false);
  });

  it.each([
    [undefined, 30, '2026-01-01T00:00:30Z'],
    [5, 5, '2026-01-01T00:00:05Z'],
    [-1, 1, '2026-01-01T00:00:01Z'],
  ])(
    'that is bound stores the grace period: requested %s, stored %s seconds',
    async (requested, seconds, due) => {
      const { remove } = await withObject(
        pods,
        pod('p', { nodeName: 'n', terminationGracePeriodSeconds: 30 }),
      );
      const deleted = await remove({ gracePeriodSeconds: requested });
      expect(deleted.isRemoved).toBe(false);
      expect(deleted.object.metadata).toMatchObject({
        deletionTimestamp: due,
        deletionGracePeriodSeconds: seconds,
      });
    },
  );

  it('shortens the grace period of an earlier request and never extends it', async () => {
    const { remove, storage, exists } = await withObject(pods, pod('p', { nodeName: 'n' }));
    await remove({ gracePeriodSeconds: 30 });
    expect((await remove({ gracePeriodSeconds: 60 })).object.metadata?.deletionGracePeriodSeconds).toBe(30);
    expect((await remove()).isRemoved).toBe(false);
    expect(await storage.revision()).toBe(2);
    expect((await remove({ gracePeriodSeconds: 10 })).object.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:10Z',
      deletionGracePeriodSeconds: 10,
    });
    expect((await remove({ gracePeriodSeconds: 0 })).isRemoved).toBe(true);
    expect(await exists()).toBe(false);
  });
});

describe('the watchers of a deletion', () => {
  interface DeletionCase {
    readonly kind: AnyKind;
    readonly body: object;
    readonly options?: Partial<DeleteParameters>;
    readonly then?: Partial<DeleteParameters>;
  }

  /** Returns the type, deletion time and grace period of each change that a deletion causes. */
  async function changesOf({ kind, body, options, then }: DeletionCase): Promise<unknown[]> {
    const { remove, storage } = await withObject(kind, body);
    const changes: unknown[] = [];
    await storage.watch('/registry/', await storage.revision(), {
      onChange: ({ type, value }) => {
        const { metadata } = JSON.parse(value.toString()) as ApiObject;
        changes.push([type, metadata?.deletionTimestamp, metadata?.deletionGracePeriodSeconds]);
      },
      onEnd: () => {},
    });
    await remove(options);
    if (then) await remove(then);
    return changes;
  }

  const bound = pod('p', { nodeName: 'n' });
  const marked = ['put', NOW, 0];
  const removed = ['delete', NOW, 0];
  const finalizers = ['a.b/c'];

  it.each<[string, DeletionCase, unknown[]]>([
    ['an unbound pod', { kind: pods, body: pod('p') }, [marked, removed]],
    [
      'an unbound pod with a grace period',
      { kind: pods, body: pod('p'), options: { gracePeriodSeconds: 30 } },
      [marked, removed],
    ],
    [
      'a bound pod without grace',
      { kind: pods, body: bound, options: { gracePeriodSeconds: 0 } },
      [marked, removed],
    ],
    [
      'a pod whose grace period is cancelled',
      { kind: pods, body: bound, options: { gracePeriodSeconds: 9 }, then: { gracePeriodSeconds: 0 } },
      [['put', '2026-01-01T00:00:09Z', 9], marked, removed],
    ],
    ['a pod with a finalizer', { kind: pods, body: pod('p', {}, { finalizers }) }, [marked]],
    [
      'a pod deleted in the foreground',
      { kind: pods, body: pod('p'), options: { propagationPolicy: 'Foreground' } },
      [marked],
    ],
    [
      'an object without grace periods',
      { kind: configMaps, body: configMap('a') },
      [['delete', undefined, undefined]],
    ],
    ['an object with a finalizer', { kind: configMaps, body: configMap('a', {}, { finalizers }) }, [marked]],
  ])('receive the events of release 1.24 for %s', async (_name, given, changes) => {
    expect(await changesOf(given)).toEqual(changes);
  });

  it('receive nothing for a dry run', async () => {
    const { remove, storage } = await withObject(pods, pod('p'));
    const deleted = await remove({}, true);
    expect(deleted.object.metadata).toMatchObject({ deletionTimestamp: NOW, deletionGracePeriodSeconds: 0 });
    expect(await storage.revision()).toBe(1);
  });

  it.each([
    ['was removed by another client', true],
    ['was changed by another client', false],
  ])('returns the object if it %s after its deletion time was set', async (_name, removes) => {
    let steps = 0;
    const fixture = await startFixture({
      wrap: (storage) => ({
        ...storage,
        async delete(key, revision, options) {
          steps++;
          if (steps > 1) return storage.delete(key, revision, options);
          const current = await storage.get(key);
          if (removes) await storage.delete(key, revision);
          else await storage.put(key, current?.value ?? Buffer.of(), revision);
          return storage.delete(key, revision, options);
        },
      }),
    });
    const registry = fixture.of(pods);
    await registry.create('default', pod('p'), writing());
    const deleted = await registry.delete('default', 'p', deleting(), writing());
    expect([deleted.isRemoved, deleted.object.metadata?.deletionGracePeriodSeconds]).toEqual([true, 0]);
    expect((await fixture.storage.list('/registry/')).items).toEqual([]);
  });
});

describe('delete of a namespace', () => {
  it('marks the namespace, and removes it when both finalizer lists are empty', async () => {
    const { registry, remove, exists } = await withObject(
      namespaces,
      { metadata: { name: 'n', finalizers: ['a.b/c'] } },
      '',
    );
    const marked = await remove();
    expect(marked.isRemoved).toBe(false);
    expect(marked.object).toMatchObject({
      metadata: { deletionTimestamp: NOW },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Terminating' },
    });
    expect((await remove()).isRemoved).toBe(false);
    const { metadata } = marked.object;
    await registry.update(
      '',
      'n',
      'finalize',
      { metadata: { ...metadata }, spec: { finalizers: [] } },
      writing(),
    );
    expect(await exists()).toBe(true);
    await registry.patch(
      '',
      'n',
      '',
      'application/merge-patch+json',
      { metadata: { finalizers: null } },
      writing(),
    );
    expect(await exists()).toBe(false);
  });

  it('removes the namespace when the last finalizer in its spec is released', async () => {
    const { registry, remove, exists } = await withObject(namespaces, { metadata: { name: 'n' } }, '');
    await remove();
    await registry.update('', 'n', 'finalize', { metadata: { name: 'n' }, spec: {} }, writing());
    expect(await exists()).toBe(false);
  });
});

describe('deletecollection', () => {
  const withLabels = async () => {
    const fixture = await startFixture();
    const registry = fixture.of(configMaps);
    for (const [name, dc] of [
      ['dc0', 'y'],
      ['dc1', 'y'],
      ['dc2', 'y'],
      ['dc3', 'n'],
    ] as const)
      await registry.create('default', configMap(name, {}, { labels: { dc } }), writing());
    const names = async () =>
      (await registry.list(listing())).items.map(({ object }) => object.metadata?.name);
    return { ...fixture, registry, names };
  };

  it('deletes the objects that its selectors match, up to its limit, and returns them', async () => {
    const { registry, names } = await withLabels();
    const limited = await registry.deleteCollection(
      listing({ labelSelector: 'dc=y', limit: 1 }),
      deleting(),
      writing(),
    );
    expect(limited.items.map(({ object }) => object.metadata?.name)).toEqual(['dc0']);
    expect(limited.continueToken).not.toBe('');
    await registry.deleteCollection(listing({ labelSelector: 'dc=y' }), deleting(), writing());
    expect(await names()).toEqual(['dc3']);
    await registry.deleteCollection(listing({ fieldSelector: 'metadata.name=dc3' }), deleting(), writing());
    expect(await names()).toEqual([]);
  });

  it('deletes nothing in a dry run', async () => {
    const { registry, names } = await withLabels();
    const all = await registry.deleteCollection(listing(), deleting(), writing({ dryRun: true }));
    expect([all.items.length, (await names()).length]).toEqual([4, 4]);
  });
});
