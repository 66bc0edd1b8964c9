import { describe, expect, it } from 'vitest';
import { configMaps, namespaces, pods, secrets, serviceAccounts } from '../../api/groups/core-v1.ts';
import { jobs } from '../../api/groups/batch-v1.ts';
import { clusterRoles } from '../../api/groups/rbac-v1.ts';
import { isNotFound } from '../../api/status/api-error.ts';
import { useWorld } from '../../test/world/use-world.ts';
import type { WorldOptions } from '../../test/world/world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

async function start(options: WorldOptions = {}) {
  const world = await useWorld({ controllers: ['namespace'], ...options });
  const all = world.client.cluster(namespaces);
  const maps = (namespace = 'team') => world.client.namespaced(configMaps, namespace);
  return {
    ...world,
    all,
    maps,
    isGone: () =>
      all.get('team').then(
        () => false,
        (thrown: unknown) => isNotFound(thrown),
      ),
    condition: async (type: string) =>
      (await all.get('team')).status?.conditions?.find((each) => each.type === type),
  };
}

describe('namespaceController', () => {
  it('deletes all content, then the namespace, and nothing else', async () => {
    const { all, maps, client, eventually, isGone } = await start();
    await all.create({ metadata: { name: 'other' } });
    for (const namespace of ['team', 'other']) {
      await maps(namespace).create({ metadata: { name: 'a' } });
      await client.namespaced(secrets, namespace).create({ metadata: { name: 'b' } });
      await client.namespaced(jobs, namespace).create({
        metadata: { name: 'c' },
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
      });
    }
    await client.cluster(clusterRoles).create({ metadata: { name: 'wide' }, rules: [] });
    await all.delete('team');
    expect((await all.get('team')).status?.phase).toBe('Terminating');
    await eventually(async () => expect(await isGone()).toBe(true));
    expect((await maps('other').list()).items).toHaveLength(1);
    expect((await client.namespaced(jobs, 'other').list()).items).toHaveLength(1);
    await client.cluster(clusterRoles).get('wide');
    for (const kind of [configMaps, secrets, serviceAccounts, jobs])
      expect((await client.namespaced(kind as typeof configMaps, 'team').list()).items).toEqual([]);
  });

  it('deletes an empty namespace', async () => {
    const { all, eventually, isGone } = await start();
    await all.delete('team');
    await eventually(async () => expect(await isGone()).toBe(true));
  });

  it('does nothing to a namespace that is not being deleted', async () => {
    const { maps, clock, manager } = await start();
    await maps().create({ metadata: { name: 'a' } });
    await clock.advance(HOUR);
    expect(manager.faults.seen.filter((line) => !line.startsWith('GET'))).toEqual([]);
  });

  it('waits for finalizers of other controllers, reports them, and finishes once they are removed', async () => {
    const { all, maps, clock, condition, eventually, isGone } = await start();
    await maps().create({ metadata: { name: 'held', finalizers: ['example.com/hold'] } });
    await maps().create({ metadata: { name: 'free' } });
    await all.delete('team');
    await clock.advance(2 * MINUTE);
    expect(await isGone()).toBe(false);
    expect((await maps().get('held')).metadata?.finalizers).toEqual(['example.com/hold']);
    expect(await condition('NamespaceContentRemaining')).toMatchObject({
      status: 'True',
      reason: 'SomeResourcesRemain',
      message: 'Some resources are remaining: configmaps. has 1 resource instances',
    });
    expect(await condition('NamespaceFinalizersRemaining')).toMatchObject({
      status: 'True',
      reason: 'SomeFinalizersRemain',
      message:
        'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
    });
    for (const type of ['DiscoveryFailure', 'GroupVersionParsingFailure', 'ContentFailure'])
      expect(await condition(`NamespaceDeletion${type}`)).toMatchObject({ status: 'False' });
    await maps().patch('held', 'merge', { metadata: { finalizers: null } });
    await eventually(async () => expect(await isGone()).toBe(true));
  });

  it('writes conditions only when they change, and retains their transition time', async () => {
    const { all, maps, clock, condition, manager } = await start();
    await maps().create({ metadata: { name: 'held', finalizers: ['example.com/hold'] } });
    await all.delete('team');
    await clock.advance(MINUTE);
    const since = (await condition('NamespaceContentRemaining'))?.lastTransitionTime;
    const writes = () => manager.faults.seen.filter((line) => line.startsWith('PUT')).length;
    expect(writes()).toBe(1);
    await clock.advance(2 * MINUTE);
    expect(writes()).toBe(1);
    expect((await condition('NamespaceContentRemaining'))?.lastTransitionTime).toBe(since);
  });

  it('reports in every condition that an empty namespace has no content left', async () => {
    const { all, condition, eventually } = await start();
    await all.patch('team', 'merge', { metadata: { finalizers: ['example.com/hold'] } });
    await all.delete('team');
    for (const [type, reason] of [
      ['NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered'],
      ['NamespaceDeletionGroupVersionParsingFailure', 'ParsedGroupVersions'],
      ['NamespaceDeletionContentFailure', 'ContentDeleted'],
      ['NamespaceContentRemaining', 'ContentRemoved'],
      ['NamespaceFinalizersRemaining', 'ContentHasNoFinalizers'],
    ] as const)
      await eventually(async () => expect(await condition(type)).toMatchObject({ status: 'False', reason }));
  });

  it('keeps the namespace while a group cannot be discovered, and reports the group', async () => {
    const { all, clock, condition, eventually, isGone, manager } = await start();
    const heal = manager.faults.add(({ path }) =>
      path === '/api' ? { status: 503, reason: 'ServiceUnavailable' } : undefined,
    );
    await all.delete('team');
    await clock.advance(2 * MINUTE);
    expect(await isGone()).toBe(false);
    const failure = await condition('NamespaceDeletionDiscoveryFailure');
    expect(failure).toMatchObject({ status: 'True', reason: 'DiscoveryFailed' });
    expect(failure?.message).toBe(
      'Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: v1: ServiceUnavailable',
    );
    heal();
    await eventually(async () => expect(await isGone()).toBe(true));
  });

  it.each([
    ['listed', 'GET'],
    ['deleted', 'DELETE'],
  ])('keeps the namespace while an object cannot be %s, and reports the failure', async (_what, verb) => {
    const { all, maps, clock, condition, eventually, isGone, manager } = await start();
    await maps().create({ metadata: { name: 'a' } });
    const heal = manager.faults.add(({ method, path }) =>
      method === verb && path.includes('/team/configmaps') ? { status: 403, reason: 'Forbidden' } : undefined,
    );
    await all.delete('team');
    await clock.advance(2 * MINUTE);
    expect(await isGone()).toBe(false);
    const failure = await condition('NamespaceDeletionContentFailure');
    expect(failure).toMatchObject({ status: 'True', reason: 'ContentDeletionFailed' });
    expect(failure?.message).toMatch(/^Failed to delete all resource types, 1 remaining: /);
    await maps().get('a');
    heal();
    await eventually(async () => expect(await isGone()).toBe(true));
  });

  it('reports the messages of failed deletions in alphabetical order', async () => {
    const { all, maps, client, clock, condition, manager } = await start();
    await maps().create({ metadata: { name: 'a' } });
    await client.namespaced(secrets, 'team').create({ metadata: { name: 'b' } });
    manager.faults.add(({ method, path }) =>
      method === 'DELETE' && /team\/(configmaps|secrets)/.test(path)
        ? {
            status: 403,
            reason: 'Forbidden',
            message: path.includes('secrets') ? 'a hook denied it' : 'not now',
          }
        : undefined,
    );
    await all.delete('team');
    await clock.advance(MINUTE);
    expect((await condition('NamespaceDeletionContentFailure'))?.message).toBe(
      'Failed to delete all resource types, 2 remaining: a hook denied it, not now',
    );
  });

  it('reports a pod as unexpected only after its grace period', async () => {
    const { all, client, clock, condition, eventually, isGone } = await start({
      controllers: ['namespace', 'serviceaccount'],
    });
    await clock.advance(2_000);
    const teamPods = client.namespaced(pods, 'team');
    await teamPods.create({
      metadata: { name: 'slow' },
      spec: { nodeName: 'n1', terminationGracePeriodSeconds: 40, containers: [{ name: 'c', image: 'i' }] },
    });
    await all.delete('team');
    await clock.advance(30_000);
    expect(await condition('NamespaceDeletionContentFailure')).toMatchObject({ status: 'False' });
    expect(await condition('NamespaceContentRemaining')).toMatchObject({
      status: 'True',
      message: 'Some resources are remaining: pods. has 1 resource instances',
    });
    await clock.advance(20_000);
    expect(await condition('NamespaceDeletionContentFailure')).toMatchObject({
      status: 'True',
      reason: 'ContentDeletionFailed',
      message:
        'Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: team for gvr: /v1, Resource=pods',
    });
    await teamPods.delete('slow', { gracePeriodSeconds: 0 });
    await eventually(async () => expect(await isGone()).toBe(true));
  });

  it('reads the namespace once before each step, however much content it has', async () => {
    const { all, maps, client, manager, eventually, isGone } = await start();
    await maps().create({ metadata: { name: 'a' } });
    await client.namespaced(secrets, 'team').create({ metadata: { name: 'b' } });
    await all.delete('team');
    await eventually(async () => expect(await isGone()).toBe(true));
    const reads = manager.faults.seen.filter((line) => /^GET \S*namespaces\/team$/.test(line));
    // The reads are before the deletions, before the conditions are written and before the finalizer is
    // removed.
    expect(reads).toHaveLength(3);
  });

  it('retries a persistent failure with growing delays of at most five minutes', async () => {
    const { all, clock, manager, eventually, isGone } = await start();
    const heal = manager.faults.add(({ path }) =>
      path === '/api' ? { status: 503, reason: 'ServiceUnavailable' } : undefined,
    );
    await all.delete('team');
    const sweepsWithin = async (ms: number): Promise<number> => {
      const before = manager.faults.seen.length;
      await clock.advance(ms);
      return manager.faults.seen.slice(before).filter((line) => line.endsWith(' /api')).length;
    };
    const first = await sweepsWithin(2 * MINUTE);
    await clock.advance(2 * HOUR);
    const later = await sweepsWithin(HOUR);
    expect(first).toBeGreaterThan(5);
    expect(later).toBeLessThanOrEqual(13);
    expect(later).toBeGreaterThanOrEqual(11);
    heal();
    await eventually(async () => expect(await isGone()).toBe(true), HOUR);
  });

  it('does not report an object with a finalizer as a failure', async () => {
    const { all, maps, clock, condition } = await start();
    await maps().create({ metadata: { name: 'held', finalizers: ['example.com/hold'] } });
    await all.delete('team');
    await clock.advance(MINUTE);
    expect(await condition('NamespaceDeletionContentFailure')).toMatchObject({ status: 'False' });
  });

  it('retains conditions of other writers', async () => {
    const { all, maps, clock, condition } = await start();
    await maps().create({ metadata: { name: 'held', finalizers: ['example.com/hold'] } });
    const object = await all.get('team');
    await all.subresource('status').update({
      ...object,
      status: { ...object.status, conditions: [{ type: 'Foreign', status: 'True' }] },
    });
    await all.delete('team');
    await clock.advance(MINUTE);
    expect(await condition('Foreign')).toMatchObject({ status: 'True' });
    expect(await condition('NamespaceContentRemaining')).toMatchObject({ status: 'True' });
  });

  it('retains finalizers of other controllers on the namespace, and removes its own', async () => {
    const { all, maps, clock, eventually, isGone } = await start();
    await all.patch('team', 'merge', { metadata: { finalizers: ['example.com/last'] } });
    await maps().create({ metadata: { name: 'a' } });
    await all.delete('team');
    await clock.advance(MINUTE);
    const left = await all.get('team');
    expect(left.spec?.finalizers ?? []).toEqual([]);
    expect(left.metadata?.finalizers).toEqual(['example.com/last']);
    await all.patch('team', 'merge', { metadata: { finalizers: null } });
    await eventually(async () => expect(await isGone()).toBe(true));
  });

  it('rejects creations in a namespace that is being deleted', async () => {
    const { all, maps } = await start({ controllers: [] });
    await all.delete('team');
    await expect(maps().create({ metadata: { name: 'a' } })).rejects.toThrow(/being terminated/);
  });

  it('keeps the content of a new namespace of the same name while an old sweep continues', async () => {
    const { all, maps, clock, manager, startManager, eventually, isGone } = await start();
    await maps().create({ metadata: { name: 'old' } });
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const hold = manager.faults.add(({ method, path }) =>
      method === 'GET' && path.startsWith('/api/v1/namespaces/team/configmaps') ? released : undefined,
    );
    await all.delete('team');
    await clock.advance(1_000);
    await startManager({ controllers: ['namespace'] });
    await eventually(async () => expect(await isGone()).toBe(true), 10_000);
    await all.create({ metadata: { name: 'team' } });
    await maps().create({ metadata: { name: 'new' } });
    hold();
    release();
    await clock.advance(HOUR);
    await maps().get('new');
    expect(await isGone()).toBe(false);
    expect(manager.faults.seen.filter((line) => line.startsWith('DELETE'))).toEqual([]);
  });

  it('deletes each object by its uid with background propagation', async () => {
    const { all, maps, eventually, isGone, manager, client } = await start();
    const bodies: string[] = [];
    manager.faults.add(({ method, path, body }) => {
      if (method === 'DELETE' && path.includes('/team/')) bodies.push(String(body));
      return undefined;
    });
    await maps().create({ metadata: { name: 'a' } });
    await client.namespaced(secrets, 'team').create({ metadata: { name: 'b' } });
    await all.delete('team');
    await eventually(async () => expect(await isGone()).toBe(true));
    expect(bodies).toHaveLength(2);
    for (const body of bodies) {
      expect(body).toContain('"uid"');
      expect(body).toContain('"propagationPolicy":"Background"');
    }
  });

  it('does not delete an object again that is already being deleted', async () => {
    const { all, maps, clock, manager } = await start();
    await maps().create({ metadata: { name: 'held', finalizers: ['example.com/hold'] } });
    await maps().delete('held');
    await all.delete('team');
    await clock.advance(2 * MINUTE);
    expect(manager.faults.seen.filter((line) => line.startsWith('DELETE'))).toEqual([]);
  });

  it('counts remaining objects by resource and by finalizer, in the order of their names', async () => {
    const { all, maps, client, clock, condition } = await start();
    for (const name of ['a', 'b'])
      await maps().create({ metadata: { name, finalizers: ['example.com/z', 'example.com/a'] } });
    await client
      .namespaced(secrets, 'team')
      .create({ metadata: { name: 'c', finalizers: ['example.com/a'] } });
    await all.delete('team');
    await clock.advance(MINUTE);
    expect((await condition('NamespaceContentRemaining'))?.message).toBe(
      'Some resources are remaining: configmaps. has 2 resource instances, secrets. has 1 resource instances',
    );
    expect((await condition('NamespaceFinalizersRemaining'))?.message).toBe(
      'Some content in the namespace has finalizers remaining: example.com/a in 3 resource instances, example.com/z in 2 resource instances',
    );
  });

  it('sets the transition time each time a condition changes', async () => {
    const { all, maps, clock, condition, manager } = await start();
    await maps().create({ metadata: { name: 'held', finalizers: ['example.com/hold'] } });
    const heal = manager.faults.add(({ method, path }) =>
      method === 'GET' && path.startsWith('/api/v1/namespaces/team/secrets')
        ? { status: 500, reason: 'InternalError' }
        : undefined,
    );
    await all.delete('team');
    await clock.advance(MINUTE);
    const failing = await condition('NamespaceDeletionContentFailure');
    expect(failing).toMatchObject({ status: 'True' });
    heal();
    await clock.advance(2 * MINUTE);
    const healed = await condition('NamespaceDeletionContentFailure');
    expect(healed).toMatchObject({ status: 'False', reason: 'ContentDeleted' });
    expect(healed?.lastTransitionTime).not.toBe(failing?.lastTransitionTime);
  });

  it('finishes a namespace that was deleted while no manager ran, and writes nothing afterwards', async () => {
    const { all, maps, manager, startManager, eventually, isGone, clock } = await start();
    await manager.stop();
    await maps().create({ metadata: { name: 'a' } });
    await all.delete('team');
    await clock.advance(MINUTE);
    expect(await isGone()).toBe(false);
    const next = await startManager({ controllers: ['namespace'] });
    await eventually(async () => expect(await isGone()).toBe(true));
    const before = next.faults.seen.length;
    await clock.advance(5 * MINUTE);
    expect(next.faults.seen.slice(before).filter((line) => !line.startsWith('GET'))).toEqual([]);
  });

  it('deletes a namespace with two managers at once', async () => {
    const { all, maps, eventually, isGone, startManager } = await start();
    await startManager({ controllers: ['namespace'] });
    for (let i = 0; i < 5; i++) await maps().create({ metadata: { name: `m${i}` } });
    await all.delete('team');
    await eventually(async () => expect(await isGone()).toBe(true));
  });
});
