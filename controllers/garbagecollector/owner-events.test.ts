import { describe, expect, it } from 'vitest';
import { events, namespaces, secrets } from '../../api/groups/core-v1.ts';
import { clusterRoles } from '../../api/groups/rbac-v1.ts';
import { customResourceDefinitions } from '../../api/groups/apiextensions-v1.ts';
import { type ApiObject } from '../../api/kinds/kind.ts';
import type { OwnerReference } from '../../api/types/meta-v1.ts';
import { type Owner, HOUR, MINUTE, referenceTo, start } from './garbagecollector.fixture.ts';

describe('owner references reported by garbageCollectorController', () => {
  describe("to an owner in a namespace other than the dependent's", () => {
    const watches = (plural: string) => (request: { readonly path: string }) =>
      new RegExp(`/${plural}\\?.*watch=true`).test(request.path);
    /** Starts a collector that receives changes of `plural` only after a call of `release`. */
    const startBehind = async (plural: string) => {
      // The initial objects of every world were created with seed 1, so seed 1 would produce the same uids
      // again.
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
    ])('are reported once for a cluster-scoped dependent if %s', async (_order, late) => {
      const world = await startBehind(late);
      const { client, make, clock, release, eventWrites } = world;
      await client.cluster(namespaces).create({ metadata: { name: 'new' } });
      await makeRole(world, await make('owner', [], { namespace: 'new' }));
      await clock.advance(MINUTE);
      release();
      await clock.advance(MINUTE);
      expect(await world.events()).toEqual([['OwnerRefInvalidNamespace', 'ClusterRole', 'child']]);
      // A time that includes several resyncs of every object.
      await clock.advance(12 * HOUR);
      expect(eventWrites()).toHaveLength(1);
      await expect(client.cluster(clusterRoles).get('child')).resolves.toBeDefined();
    });

    it('are reported even if the dependent is collected before the owner is observed', async () => {
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

    it('are not reported if the reference is removed before the owner is observed', async () => {
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

  describe('to a kind or version that is not served', () => {
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
});
