import { describe, expect, it } from 'vitest';
import { configMaps, events, namespaces, secrets } from '../../api/groups/core-v1.ts';
import { podDisruptionBudgets } from '../../api/groups/policy-v1.ts';
import { clusterRoles } from '../../api/groups/rbac-v1.ts';
import { customResourceDefinitions } from '../../api/groups/apiextensions-v1.ts';
import { type ApiObject, type DeepReadonly, defineKind } from '../../api/kinds/kind.ts';
import { struct } from '../../api/schema/schema.ts';
import { isNotFound } from '../../api/status/api-error.ts';
import type { OwnerReference } from '../../api/types/meta-v1.ts';
import { useWorld } from '../../test/world/use-world.ts';
import type { WorldOptions } from '../../test/world/world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

type Owner = DeepReadonly<ApiObject> | OwnerReference;

/** ConfigMap to refer to, or a complete reference. */
const referenceTo = (owner: Owner, block = false): OwnerReference =>
  'uid' in owner
    ? owner
    : {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: owner.metadata?.name ?? '',
        uid: owner.metadata?.uid ?? '',
        ...(block ? { blockOwnerDeletion: true } : {}),
      };

async function start(options: WorldOptions = {}) {
  const world = await useWorld({ controllers: ['garbagecollector'], ...options });
  const { client } = world;
  const maps = (namespace = 'team') => client.namespaced(configMaps, namespace);
  const make = (
    name: string,
    owners: readonly Owner[] = [],
    { block = false, namespace = 'team', finalizers = [] as string[] } = {},
  ) =>
    maps(namespace).create({
      metadata: {
        name,
        ...(finalizers.length > 0 ? { finalizers } : {}),
        ...(owners.length > 0 ? { ownerReferences: owners.map((owner) => referenceTo(owner, block)) } : {}),
      },
    });
  return {
    ...world,
    maps,
    make,
    names: async (namespace = 'team') =>
      (await maps(namespace).list()).items.map(({ metadata }) => metadata?.name ?? '').sort(),
    ownersOf: async (name: string) =>
      ((await maps().get(name)).metadata?.ownerReferences ?? []).map((owner) => owner.name),
  };
}

describe('garbage collector', () => {
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

  it('keeps the owner in a foreground deletion until its blocking dependents were deleted', async () => {
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

  it('removes the references of dependents before the owner is deleted in an orphan deletion', async () => {
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

  it('deletes a dependent only with its last owner, and removes references to deleted ones', async () => {
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
    expect(journal.read().filter(({ kind }) => kind === 'pass.started')).toEqual([]);
    await maps().delete('owner', { propagationPolicy: 'Background' });
    await eventually(async () => expect(await names()).toEqual([]));
  });

  it('reads a deleted owner once for all objects that name it', async () => {
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
    ['lost', 'refused'],
    ['never answered', 'hanging'],
    ['of a path that is not served', { status: 404, reason: 'NotFound' }],
  ] as const)('does not treat a read of the owner that is %s as absence', async (_what, fault) => {
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
  });

  it('ignores an owner in another namespace and reports it, and isolates other objects from a wrong reference', async () => {
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

  describe('an owner in a namespace other than that of its dependent', () => {
    const watches = (plural: string) => (request: { readonly path: string }) =>
      new RegExp(`/${plural}\\?.*watch=true`).test(request.path);
    /** Starts a collector that receives changes of `plural` only after `release` is called. */
    const startBehind = async (plural: string) => {
      // Seed 1 created the initial objects of every world, so it would produce the same uids again.
      const world = await start({ controllers: [], seed: 2 });
      await world.client.cluster(namespaces).create({ metadata: { name: 'elsewhere' } });
      let release = (): void => {};
      const held = new Promise<void>((resolve) => (release = resolve));
      const manager = await world.startManager({ controllers: ['garbagecollector'], ready: false });
      manager.faults.add((request) => (watches(plural)(request) ? held : undefined));
      await world.clock.advance(5_000);
      const eventWrites = (): readonly string[] =>
        manager.faults.seen.filter((line) => /^(POST|PATCH) .*\/events/.test(line));
      const list = async () =>
        (await world.client.all(events).list()).items.map(({ reason, involvedObject }) => [
          reason,
          involvedObject?.kind,
          involvedObject?.name,
        ]);
      return { ...world, release, eventWrites, events: list };
    };
    const makeRole = async ({ client }: Pick<Awaited<ReturnType<typeof start>>, 'client'>, owner: Owner) =>
      client
        .cluster(clusterRoles)
        .create({ metadata: { name: 'child', ownerReferences: [referenceTo(owner)] }, rules: [] });

    it.each([
      ['the owner is observed after its dependent', 'configmaps'],
      ['the dependent is observed after its owner', 'clusterroles'],
      ['the namespace is observed after both', 'namespaces'],
    ])('is reported once for a cluster-scoped dependent if %s', async (_order, late) => {
      const world = await startBehind(late);
      const { client, make, clock, release, eventWrites } = world;
      await client.cluster(namespaces).create({ metadata: { name: 'new' } });
      await makeRole(world, await make('owner', [], { namespace: 'new' }));
      await clock.advance(MINUTE);
      release();
      await clock.advance(MINUTE);
      expect(await world.events()).toEqual([['OwnerRefInvalidNamespace', 'ClusterRole', 'child']]);
      // Long enough for several resyncs of every object.
      await clock.advance(12 * HOUR);
      expect(eventWrites()).toHaveLength(1);
      await expect(client.cluster(clusterRoles).get('child')).resolves.toBeDefined();
    });

    it('is reported even if the dependent is collected before the owner is observed', async () => {
      const { client, make, clock, release, ...world } = await startBehind('configmaps');
      const owner = await make('owner');
      const child = client.namespaced(secrets, 'elsewhere');
      await child.create({ metadata: { name: 'stray', ownerReferences: [referenceTo(owner)] } });
      await clock.advance(MINUTE);
      expect((await child.list()).items).toEqual([]);
      release();
      await clock.advance(MINUTE);
      expect(await world.events()).toEqual([['OwnerRefInvalidNamespace', 'Secret', 'stray']]);
    });

    it('is not reported if the reference is removed before the owner is observed', async () => {
      const world = await startBehind('configmaps');
      await makeRole(world, await world.make('owner'));
      await world.clock.advance(MINUTE);
      await world.client
        .cluster(clusterRoles)
        .patch('child', 'merge', { metadata: { ownerReferences: null } });
      await world.clock.advance(MINUTE);
      world.release();
      await world.clock.advance(MINUTE);
      expect(await world.events()).toEqual([]);
    });
  });

  describe('owner references to a kind or version that is not served', () => {
    const GROUP = 'example.com';
    const versionsOf = (...served: readonly string[]) =>
      ['v1alpha1', 'v1'].map((name) => ({
        name,
        served: served.includes(name),
        storage: name === 'v1',
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      }));
    const startWith = async (...served: readonly string[]) => {
      const world = await start();
      const definitions = world.client.cluster(customResourceDefinitions);
      await definitions.create({
        metadata: { name: `parents.${GROUP}` },
        spec: {
          group: GROUP,
          scope: 'Namespaced',
          names: { plural: 'parents', singular: 'parent', kind: 'Parent' },
          versions: versionsOf(...served),
        },
      } as never);
      await world.clock.advance(10_000);
      const body = { apiVersion: `${GROUP}/v1`, kind: 'Parent', metadata: { name: 'p' } };
      const owner = (await world.client
        .request({ method: 'POST', path: `/apis/${GROUP}/v1/namespaces/team/parents`, body })
        .then((answer) => answer.body)) as ApiObject;
      const gauges = async (): Promise<readonly string[]> =>
        (await world.manager.manager.metrics()).text
          .split('\n')
          .filter((line) => line.startsWith('garbagecollector_controller_unserved_owner_references'));
      return {
        ...world,
        ownerAt: (apiVersion: string, kind = 'Parent'): OwnerReference => ({
          apiVersion,
          kind,
          name: 'p',
          uid: owner.metadata?.uid ?? '',
        }),
        serve: (...versions: readonly string[]) =>
          definitions.patch(`parents.${GROUP}`, 'merge', { spec: { versions: versionsOf(...versions) } }),
        reports: async () =>
          (await world.client.all(events).list()).items
            .filter(({ reason }) => reason === 'OwnerRefNotServed')
            .map(({ type, involvedObject, message = '', source }) => [
              type,
              source?.component,
              `${involvedObject?.kind ?? ''}/${involvedObject?.name ?? ''}`,
              message.replace(/uid: [-0-9a-f]+/, 'uid: U'),
            ]),
        gauges,
      };
    };
    const line = (labels: string, value: number): string =>
      `garbagecollector_controller_unserved_owner_references{${labels}} ${value}`;
    const reported = (child: string, reference: string, what: string) => [
      'Warning',
      'garbage-collector-controller',
      `ConfigMap/${child}`,
      `ownerRef [${reference}, namespace: team, name: p, uid: U] ${what}; the object is not collected until the reference is corrected`,
    ];

    it('are reported once a version is no longer served, and counted until it is served again', async () => {
      const { make, names, ownerAt, serve, reports, gauges, clock, manager } = await startWith(
        'v1alpha1',
        'v1',
      );
      await make('child', [ownerAt(`${GROUP}/v1alpha1`)]);
      await make('other', [ownerAt(`${GROUP}/v1`)]);
      await clock.advance(10 * MINUTE);
      expect(await reports()).toEqual([]);
      expect(await gauges()).toEqual([]);
      await serve('v1');
      await clock.advance(10_000);
      const labels = `group="${GROUP}",kind="Parent",version="v1alpha1"`;
      expect(await reports()).toEqual([
        reported(
          'child',
          `${GROUP}/v1alpha1/Parent`,
          `names a version that is not served; served are ${GROUP}/v1`,
        ),
      ]);
      expect(await gauges()).toEqual([line(labels, 1)]);
      await clock.advance(30 * MINUTE);
      expect(manager.faults.seen.filter((each) => /^(POST|PATCH) .*\/events/.test(each))).toHaveLength(1);
      expect(await names()).toEqual(['child', 'other']);
      await serve('v1alpha1', 'v1');
      await clock.advance(10_000);
      expect(await gauges()).toEqual([line(labels, 0)]);
    });

    it.each([
      ['a kind without a group', 'v1', 'Parent', 'group="",kind="Parent",version="v1"'],
      ['a kind in another spelling', `${GROUP}/v1`, 'parent', `group="${GROUP}",kind="parent",version="v1"`],
      ['a group that is not served', 'no.such/v1', 'Parent', 'group="no.such",kind="Parent",version="v1"'],
    ])('are counted for %s until the reference is corrected', async (_what, apiVersion, kind, labels) => {
      const { make, maps, names, ownerAt, reports, gauges, clock } = await startWith('v1');
      await make('child', [ownerAt(apiVersion, kind)]);
      expect(await gauges()).toEqual([line(labels, 1)]);
      await clock.advance(6 * MINUTE);
      expect(await reports()).toEqual([
        reported('child', `${apiVersion}/${kind}`, 'names a kind that is not served'),
      ]);
      await maps().patch('child', 'merge', { metadata: { ownerReferences: [ownerAt(`${GROUP}/v1`)] } });
      await clock.advance(6 * MINUTE);
      expect(await gauges()).toEqual([line(labels, 0)]);
      await make('gone', [ownerAt(apiVersion, kind)]);
      await maps().delete('gone');
      await clock.advance(6 * MINUTE);
      expect(await gauges()).toEqual([line(labels, 0)]);
      expect(await reports()).toHaveLength(1);
      expect(await names()).toEqual(['child']);
    });

    it('are not reported if the version is served shortly after the reference is written', async () => {
      const { make, ownerAt, serve, reports, gauges, clock } = await startWith('v1');
      await make('child', [ownerAt(`${GROUP}/v1alpha1`)]);
      await serve('v1alpha1', 'v1');
      await clock.advance(10 * MINUTE);
      expect(await reports()).toEqual([]);
      expect(await gauges()).toEqual([line(`group="${GROUP}",kind="Parent",version="v1alpha1"`, 0)]);
    });

    it('are counted in at most a hundred label sets', async () => {
      const { make, ownerAt, gauges, clock } = await startWith('v1');
      for (let nth = 0; nth < 103; nth++)
        await make(`child-${nth}`, [
          ownerAt(nth === 0 ? 'v1' : `v${nth}.example/v1`, nth === 102 ? 'K'.repeat(300) : 'P'),
        ]);
      await clock.advance(MINUTE);
      const lines = await gauges();
      expect(lines).toHaveLength(101);
      expect(lines).toContain(line('group="other",kind="other",version="other"', 3));
    });
  });

  it('leaves objects of other namespaces alone in foreground and orphan deletions', async () => {
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

  it('deletes a cycle of objects that block each other, also in the foreground', async () => {
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

  it('does not write objects that wait for waiting dependents until those were deleted', async () => {
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

describe('garbage collector with kinds that are defined while it runs', () => {
  const definition = {
    metadata: { name: 'gadgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'gadgets', kind: 'Gadget' },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
      ],
    },
  };
  const gadgets = defineKind<ApiObject>({
    group: 'example.com',
    version: 'v1',
    kind: 'Gadget',
    plural: 'gadgets',
    namespaced: true,
    schema: struct('unknown', {}),
  });

  const typeMeta = { apiVersion: 'example.com/v1', kind: 'Gadget' };
  const makeOwner = async ({ client, eventually }: Awaited<ReturnType<typeof start>>) => {
    await client.cluster(customResourceDefinitions).create(definition);
    const objects = client.namespaced(gadgets, 'team');
    let owner: DeepReadonly<ApiObject> = {};
    await eventually(async () => {
      owner = await objects.create({ ...typeMeta, metadata: { name: 'owner' } });
    });
    return { objects, reference: { ...typeMeta, name: 'owner', uid: owner.metadata?.uid ?? '' } };
  };

  it('backs off from reading an owner of a kind that it cannot list', async () => {
    const world = await start();
    const { clock, make, names, eventually, manager } = world;
    const heal = manager.faults.add(({ path }) =>
      /\/gadgets(\?|$)/.test(path) ? { status: 403, reason: 'Forbidden' } : undefined,
    );
    const { objects, reference } = await makeOwner(world);
    await make('dependent', [reference]);
    await clock.advance(HOUR);
    const asked = manager.faults.seen.filter((each) => /^GET .*\/gadgets\/owner$/.test(each));
    expect(asked.length).toBeGreaterThan(3);
    expect(asked.length).toBeLessThan(25);
    heal();
    await objects.delete('owner');
    await eventually(async () => expect(await names()).toEqual([]), 6 * MINUTE);
  });

  it('neither orphans nor unblocks an object while the dependents of one kind are unknown', async () => {
    const world = await start();
    const { clock, make, maps, names, client, eventually, manager } = world;
    const heal = manager.faults.add(({ path, method }) =>
      method === 'GET' && /\/gadgets(\?|$)/.test(path) ? { status: 500, reason: 'InternalError' } : undefined,
    );
    const { objects } = await makeOwner(world);
    await clock.advance(5_000);
    for (const propagationPolicy of ['Orphan', 'Foreground'] as const) {
      const map = await make(propagationPolicy.toLowerCase());
      const ownerReferences = [{ ...referenceTo(map), blockOwnerDeletion: true }];
      await objects.create({
        ...typeMeta,
        metadata: { name: `of-${propagationPolicy.toLowerCase()}`, ownerReferences },
      });
      await maps().delete(map.metadata?.name ?? '', { propagationPolicy });
    }
    await clock.advance(10 * MINUTE);
    expect(await names()).toEqual(['foreground', 'orphan']);
    heal();
    await eventually(async () => expect(await names()).toEqual([]), 6 * MINUTE);
    await eventually(async () => {
      const left = (await client.namespaced(gadgets, 'team').list()).items;
      expect(left.map(({ metadata }) => metadata?.name)).toEqual(['of-orphan', 'owner']);
      expect(left[0]?.metadata?.ownerReferences ?? []).toEqual([]);
    });
  });

  it('collects objects whose owner was deleted before its kind was followed', async () => {
    const world = await start();
    const { clock, make, names, eventually, manager } = world;
    const heal = manager.faults.add(({ path }) =>
      path.startsWith('/apis/example.com') ? { status: 503, reason: 'ServiceUnavailable' } : undefined,
    );
    const { objects, reference } = await makeOwner(world);
    await make('dependent', [reference]);
    await objects.delete('owner');
    await clock.advance(MINUTE);
    expect(await names()).toEqual(['dependent']);
    heal();
    await eventually(async () => expect(await names()).toEqual([]), 6 * MINUTE);
  });

  it('follows a new kind, and stops after its definition is deleted', async () => {
    const world = await start();
    const { clock, make, maps, names, eventually } = world;
    const { objects, reference } = await makeOwner(world);
    await make('dependent', [reference]);
    const map = await make('map');
    const owned = { name: 'owned', ownerReferences: [referenceTo(map)] };
    await objects.create({ ...typeMeta, metadata: owned });
    await clock.advance(5_000);
    await objects.delete('owner');
    await maps().delete('map', { propagationPolicy: 'Background' });
    await eventually(async () => {
      expect(await names()).toEqual([]);
      expect((await objects.list()).items).toEqual([]);
    });
    await world.client.cluster(customResourceDefinitions).delete('gadgets.example.com');
    await eventually(async () => expect(objects.list()).rejects.toSatisfy(isNotFound));
  });
});
