import { describe, expect, it } from 'vitest';
import { events, namespaces, secrets } from '../../api/groups/core-v1.ts';
import { podDisruptionBudgets } from '../../api/groups/policy-v1.ts';
import { clusterRoles } from '../../api/groups/rbac-v1.ts';
import { isNotFound } from '../../api/status/api-error.ts';
import { HOUR, MINUTE, referenceTo, start } from './garbagecollector.fixture.ts';

describe('garbageCollectorController', () => {
  it('deletes dependents after their owner, recursively, in a background deletion', async () => {
    const { make, maps, names, eventually } = await start();
    const owner = await make('owner');
    const child = await make('child', [owner]);
    await make('grandchild', [child]);
    await make('bystander');
    await maps().delete('owner', { propagationPolicy: 'Background' });
    await expect(maps().get('owner')).rejects.toSatisfy(isNotFound);
    await eventually(async () => expect(await names()).toEqual(['bystander']));
  });

  it('keeps the owner in a foreground deletion until its blocking dependents are deleted', async () => {
    const { make, maps, names, eventually, clock } = await start();
    const owner = await make('owner');
    await make('held', [owner], { block: true, finalizers: ['example.com/hold'] });
    await make('quick', [owner], { block: true });
    await maps().delete('owner', { propagationPolicy: 'Foreground' });
    await clock.advance(2 * MINUTE);
    expect(await names()).toEqual(['held', 'owner']);
    expect((await maps().get('owner')).metadata?.deletionTimestamp).toBeDefined();
    expect((await maps().get('held')).metadata?.deletionTimestamp).toBeDefined();
    await maps().patch('held', 'merge', { metadata: { finalizers: null } });
    await eventually(async () => expect(await names()).toEqual([]));
  });

  it('does not wait for dependents that do not block in a foreground deletion', async () => {
    const { make, maps, names, eventually } = await start();
    const owner = await make('owner');
    await make('held', [owner], { finalizers: ['example.com/hold'] });
    await maps().delete('owner', { propagationPolicy: 'Foreground' });
    await eventually(async () => expect(await names()).toEqual(['held']));
    await eventually(async () =>
      expect((await maps().get('held')).metadata?.deletionTimestamp).toBeDefined(),
    );
  });

  it('deletes the whole tree from the leaves in a foreground deletion', async () => {
    const { make, maps, names, eventually } = await start();
    const owner = await make('a-owner');
    const child = await make('b-child', [owner], { block: true });
    await make('c-grandchild', [child], { block: true });
    await maps().delete('a-owner', { propagationPolicy: 'Foreground' });
    await eventually(async () => expect(await names()).toEqual([]));
  });

  it('removes the references of dependents before it deletes the owner in an orphan deletion', async () => {
    const { make, maps, names, ownersOf, eventually } = await start();
    const owner = await make('owner');
    const other = await make('other');
    await make('one', [owner]);
    await make('two', [owner, other]);
    await maps().delete('owner', { propagationPolicy: 'Orphan' });
    await eventually(async () => expect(await names()).toEqual(['one', 'other', 'two']));
    expect(await ownersOf('one')).toEqual([]);
    expect(await ownersOf('two')).toEqual(['other']);
  });

  it('keeps the owner in an orphan deletion while one reference cannot be removed', async () => {
    const { make, maps, names, ownersOf, eventually, clock, manager } = await start();
    const owner = await make('owner');
    await make('one', [owner]);
    const heal = manager.faults.add(({ method, path }) =>
      method === 'PATCH' && path.includes('/one') ? { status: 500, reason: 'InternalError' } : undefined,
    );
    await maps().delete('owner', { propagationPolicy: 'Orphan' });
    await clock.advance(MINUTE);
    expect(await names()).toEqual(['one', 'owner']);
    heal();
    await eventually(async () => expect(await names()).toEqual(['one']), HOUR);
    expect(await ownersOf('one')).toEqual([]);
  });

  // A patch replaces the whole list of references, so that one on a stale list would drop what was added since.
  it.each([
    ['in an orphan deletion', 'Orphan'],
    ['to a deleted owner', 'Background'],
  ] as const)(
    'keeps a reference that is added while the reference %s is being removed',
    async (_, propagationPolicy) => {
      const { make, maps, ownersOf, eventually, clock, manager } = await start();
      const owner = await make('owner');
      const second = await make('second');
      const added = await make('added');
      await make('one', [owner, second]);
      let release = (): void => {};
      const held = new Promise<void>((resolve) => (release = resolve));
      const isPatched = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
        method === 'PATCH' && path.includes('/one');
      const heal = manager.faults.add((request) => (isPatched(request) ? held : undefined));
      await maps().delete('owner', { propagationPolicy });
      await clock.advance(10_000);
      const { ownerReferences = [] } = (await maps().get('one')).metadata ?? {};
      expect(ownerReferences).toHaveLength(2);
      await maps().patch('one', 'merge', {
        metadata: { ownerReferences: [...ownerReferences, referenceTo(added)] },
      });
      heal();
      release();
      await eventually(async () => expect(await ownersOf('one')).not.toContain('owner'));
      expect(await ownersOf('one')).toEqual(['second', 'added']);
    },
  );

  it('deletes a dependent only with its last owner, and removes references to deleted owners', async () => {
    const { make, maps, names, ownersOf, eventually } = await start();
    const first = await make('first');
    const second = await make('second');
    await make('child', [first, second]);
    await maps().delete('first', { propagationPolicy: 'Background' });
    await eventually(async () => expect(await ownersOf('child')).toEqual(['second']));
    await maps().delete('second', { propagationPolicy: 'Background' });
    await eventually(async () => expect(await names()).toEqual([]));
  });

  it('does not treat a new object of the same name as the owner', async () => {
    const { make, maps, names, eventually, manager, startManager } = await start();
    const owner = await make('owner');
    await make('child', [owner]);
    await manager.stop();
    await maps().delete('owner', { propagationPolicy: 'Background' });
    await make('owner');
    await startManager({ controllers: ['garbagecollector'] });
    await eventually(async () => expect(await names()).toEqual(['owner']));
  });

  it('deletes a dependent that is created after its owner was deleted', async () => {
    const { make, maps, names, eventually } = await start();
    const owner = await make('owner');
    await maps().delete('owner', { propagationPolicy: 'Background' });
    await make('late', [owner]);
    await eventually(async () => expect(await names()).toEqual([]));
  });

  it('deletes objects whose owner was deleted before the collector started', async () => {
    const { make, maps, names, eventually, startManager } = await start({ controllers: [] });
    const owner = await make('owner');
    await make('child', [owner]);
    await maps().delete('owner', { propagationPolicy: 'Background' });
    await startManager({ controllers: ['garbagecollector'] });
    await eventually(async () => expect(await names()).toEqual([]));
  });

  it('keeps an object whose owner has a kind that is not served', async () => {
    const { make, names, clock } = await start();
    await make('child', [{ apiVersion: 'example.com/v1', kind: 'Thing', name: 'x', uid: 'u' }]);
    await make('cousin', [{ apiVersion: 'v1', kind: 'Thing', name: 'x', uid: 'u' }]);
    await clock.advance(5 * MINUTE);
    expect(await names()).toEqual(['child', 'cousin']);
  });

  it('keeps an object that names its owner at a version that is not served', async () => {
    const { make, maps, names, clock } = await start();
    const owner = await make('owner');
    await make('of-one-there', [{ ...referenceTo(owner), apiVersion: 'v2' }]);
    await make('of-one-gone', [{ apiVersion: 'v2', kind: 'ConfigMap', name: 'nobody', uid: 'u' }]);
    await maps().delete('owner', { propagationPolicy: 'Background' });
    await clock.advance(5 * MINUTE);
    expect(await names()).toEqual(['of-one-gone', 'of-one-there']);
  });

  it('finds an owner at every served version', async () => {
    const { make, names, client, clock, eventually } = await start();
    const budgets = client.namespaced(podDisruptionBudgets, 'team');
    const budget = await budgets.create({ metadata: { name: 'owner' }, spec: { minAvailable: 1 } });
    const reference = { kind: 'PodDisruptionBudget', name: 'owner', uid: budget.metadata?.uid ?? '' };
    await make('child', [{ ...reference, apiVersion: 'policy/v1beta1' }]);
    await clock.advance(MINUTE);
    expect(await names()).toEqual(['child']);
    await budgets.delete('owner');
    await eventually(async () => expect(await names()).toEqual([]));
  });

  it('sends no request and runs no reconcile for objects whose owners are cached', async () => {
    const { make, maps, names, clock, manager, journal, eventually } = await start();
    const owner = await make('owner');
    const child = await make('child', [owner], { block: true });
    const grandchild = await make('grandchild', [child, owner]);
    await maps().update({ ...grandchild, data: { changed: 'yes' } });
    await clock.advance(5 * MINUTE);
    expect(manager.faults.seen.filter((each) => /configmaps\/(owner|child|grandchild)$/.test(each))).toEqual(
      [],
    );
    expect(journal.read().filter(({ kind }) => kind === 'reconcile.started')).toEqual([]);
    await maps().delete('owner', { propagationPolicy: 'Background' });
    await eventually(async () => expect(await names()).toEqual([]));
  });

  it('reads a deleted owner once for all objects that name the owner', async () => {
    const { make, maps, names, eventually, startManager } = await start({ controllers: [] });
    const owner = await make('owner');
    for (let i = 0; i < 40; i++) await make(`child-${i}`, [owner]);
    await maps().delete('owner', { propagationPolicy: 'Background' });
    const { faults } = await startManager({ controllers: ['garbagecollector'] });
    await eventually(async () => expect(await names()).toEqual([]));
    expect(faults.seen.filter((each) => /^GET .*\/configmaps\/owner$/.test(each))).toHaveLength(1);
  });

  it.each([
    ['forbidden', { status: 403, reason: 'Forbidden' }],
    ['broken', { status: 500, reason: 'InternalError' }],
    ['not connected', 'refused'],
    ['without a response', 'hanging'],
    ['answered with 404 for the path', { status: 404, reason: 'NotFound' }],
  ] as const)(
    'keeps a dependent while the read of its owner is %s, and deletes it after the owner is deleted',
    async (_what, fault) => {
      const { make, maps, names, clock, eventually, manager } = await start();
      const owner = await make('owner');
      const heal = manager.faults.add(({ method, path }) =>
        method === 'GET' && path.includes('/configmaps/owner') ? fault : undefined,
      );
      await make('child', [owner]);
      await clock.advance(2 * MINUTE);
      expect(await names()).toEqual(['child', 'owner']);
      await maps().delete('owner', { propagationPolicy: 'Background' });
      await clock.advance(2 * MINUTE);
      expect(await names()).toEqual(['child']);
      heal();
      await eventually(async () => expect(await names()).toEqual([]), HOUR);
    },
  );

  it('ignores and reports an owner in another namespace, without effects on objects with correct references', async () => {
    const { make, names, clock, client, ownersOf, eventually } = await start();
    await client.cluster(namespaces).create({ metadata: { name: 'elsewhere' } });
    const owner = await make('owner');
    await make('stray', [owner], { namespace: 'elsewhere' });
    await eventually(async () => expect(await names('elsewhere')).toEqual([]));
    await make('child', [owner]);
    await make('misnamed', [{ ...referenceTo(owner), name: 'wrong' }]);
    await clock.advance(5 * MINUTE);
    expect(await names()).toEqual(['child', 'owner']);
    expect(await ownersOf('child')).toEqual(['owner']);
    const reported = (await client.all(events).list()).items.filter(
      ({ reason }) => reason === 'OwnerRefInvalidNamespace',
    );
    const uid = owner.metadata?.uid ?? '';
    expect(reported).toMatchObject([
      {
        type: 'Warning',
        message: `ownerRef [v1/ConfigMap, namespace: elsewhere, name: owner, uid: ${uid}] does not exist in namespace "elsewhere"`,
        involvedObject: { kind: 'ConfigMap', apiVersion: 'v1', namespace: 'elsewhere', name: 'stray' },
        source: { component: 'garbage-collector-controller' },
      },
    ]);
  });

  it('does not change objects of other namespaces in foreground and orphan deletions', async () => {
    const { make, maps, names, client, clock, startManager } = await start({ controllers: [] });
    await client.cluster(namespaces).create({ metadata: { name: 'elsewhere' } });
    const owner = await make('owner');
    const stray = await make('stray', [owner], { namespace: 'elsewhere', block: true });
    await maps().delete('owner', { propagationPolicy: 'Orphan' });
    const collector = await startManager({ controllers: ['garbagecollector'] });
    await clock.advance(MINUTE);
    expect(await names()).toEqual([]);
    expect(stray.metadata?.ownerReferences).toHaveLength(1);
    expect(collector.faults.seen.filter((line) => /^PATCH .*elsewhere/.test(line))).toEqual([]);
  });

  it('accepts a cluster-scoped owner in every namespace, and keeps a cluster-scoped object with a namespaced owner', async () => {
    const { make, names, client, eventually, clock } = await start();
    const roles = client.cluster(clusterRoles);
    const role = await roles.create({ metadata: { name: 'owner' }, rules: [] });
    const reference = {
      apiVersion: role.apiVersion ?? '',
      kind: 'ClusterRole',
      name: 'owner',
      uid: role.metadata?.uid ?? '',
    };
    await make('child', [reference]);
    await roles.create({
      metadata: {
        name: 'dependent',
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'u' }],
      },
      rules: [],
    });
    await clock.advance(MINUTE);
    expect(await names()).toEqual(['child']);
    await roles.delete('owner', { propagationPolicy: 'Background' });
    await eventually(async () => expect(await names()).toEqual([]));
    await expect(roles.get('dependent')).resolves.toBeDefined();
  });

  it('deletes a cycle of objects that block each other in the background and in the foreground', async () => {
    for (const propagationPolicy of ['Foreground', 'Background'] as const) {
      const { make, maps, names, eventually } = await start();
      const a = await make('a');
      const b = await make('b', [a], { block: true });
      const c = await make('c', [b], { block: true });
      await maps().patch('a', 'merge', { metadata: { ownerReferences: [referenceTo(c, true)] } });
      await maps().delete('a', { propagationPolicy });
      await eventually(async () => expect(await names()).toEqual([]), 10 * MINUTE);
    }
  });

  it('deletes an object that owns and blocks itself in the foreground', async () => {
    const { make, maps, names, eventually } = await start();
    const own = await make('own');
    await maps().patch('own', 'merge', { metadata: { ownerReferences: [referenceTo(own, true)] } });
    await maps().delete('own', { propagationPolicy: 'Foreground' });
    await eventually(async () => expect(await names()).toEqual([]));
  });

  it('deletes two objects that block each other if both were deleted before the collector starts', async () => {
    const { make, maps, names, startManager, eventually } = await start({ controllers: [] });
    const a = await make('a');
    const b = await make('b', [a], { block: true });
    await maps().patch('a', 'merge', { metadata: { ownerReferences: [referenceTo(b, true)] } });
    for (const name of ['a', 'b']) await maps().delete(name, { propagationPolicy: 'Foreground' });
    expect(await names()).toEqual(['a', 'b']);
    await startManager({ controllers: ['garbagecollector'] });
    await eventually(async () => expect(await names()).toEqual([]));
  });

  it('does not write objects that wait for waiting dependents until those are deleted', async () => {
    const { make, maps, names, manager, clock, eventually } = await start();
    const a = await make('a');
    const b = await make('b', [a], { block: true });
    await make('c', [b], { block: true, finalizers: ['example.com/hold'] });
    await maps().delete('a', { propagationPolicy: 'Foreground' });
    await clock.advance(MINUTE);
    const before = manager.faults.seen.length;
    await clock.advance(2 * MINUTE);
    expect(manager.faults.seen.slice(before).filter((line) => !line.startsWith('GET'))).toEqual([]);
    expect(await names()).toEqual(['a', 'b', 'c']);
    await maps().patch('c', 'merge', { metadata: { finalizers: null } });
    await eventually(async () => expect(await names()).toEqual([]));
  });

  it('deletes dependents of another kind', async () => {
    const { make, maps, client, eventually } = await start();
    const owner = await make('owner');
    const child = client.namespaced(secrets, 'team');
    await child.create({ metadata: { name: 'child', ownerReferences: [referenceTo(owner)] } });
    await maps().delete('owner', { propagationPolicy: 'Background' });
    await eventually(async () => expect((await child.list()).items).toEqual([]));
  });

  it('deletes nothing until every cache is filled', async () => {
    const { make, maps, names, startManager, clock, eventually } = await start({ controllers: [] });
    const owner = await make('owner');
    await make('child', [owner]);
    await maps().delete('owner', { propagationPolicy: 'Background' });
    const collector = await startManager({ controllers: ['garbagecollector'], ready: false });
    const heal = collector.faults.add(({ path }) =>
      path.includes('/secrets') ? { status: 500, reason: 'InternalError' } : undefined,
    );
    await clock.advance(2 * MINUTE);
    expect(await names()).toEqual(['child']);
    heal();
    await eventually(async () => expect(await names()).toEqual([]), HOUR);
  });

  it('starts only after every group could be discovered', async () => {
    const { make, maps, names, startManager, clock, eventually } = await start({ controllers: [] });
    const owner = await make('owner');
    await make('child', [owner]);
    await maps().delete('owner', { propagationPolicy: 'Background' });
    const collector = await startManager({ controllers: ['garbagecollector'], ready: false });
    const heal = collector.faults.add(({ path }) =>
      path === '/api' ? { status: 503, reason: 'ServiceUnavailable' } : undefined,
    );
    await clock.advance(2 * MINUTE);
    expect(await names()).toEqual(['child']);
    heal();
    await eventually(async () => expect(await names()).toEqual([]), HOUR);
  });

  it('keeps an object that gets another owner during its deletion', async () => {
    const { make, maps, clock, names, manager } = await start();
    const owner = await make('owner');
    const saviour = await make('saviour');
    await make('child', [owner]);
    let saved: Promise<unknown> | undefined;
    manager.faults.add(({ method, path }) => {
      if (method !== 'DELETE' || !path.includes('/child') || saved) return undefined;
      saved = maps().patch('child', 'merge', { metadata: { ownerReferences: [referenceTo(saviour)] } });
      return 'refused';
    });
    await maps().delete('owner', { propagationPolicy: 'Background' });
    await clock.advance(5 * MINUTE);
    await saved;
    expect(await names()).toEqual(['child', 'saviour']);
  });

  it('collects objects even if writes fail or lose their responses', async () => {
    const { make, maps, names, eventually, manager } = await start();
    const owner = await make('owner');
    for (let i = 0; i < 10; i++) await make(`child-${i}`, [owner], { block: i % 2 === 0 });
    let count = 0;
    manager.faults.add(({ method }) => {
      if (method === 'GET' || ++count > 30) return undefined;
      return count % 3 === 0 ? 'unanswered' : count % 3 === 1 ? 'refused' : undefined;
    });
    await maps().delete('owner', { propagationPolicy: 'Foreground' });
    await eventually(async () => expect(await names()).toEqual([]), HOUR);
  });
});
