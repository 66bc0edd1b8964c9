import { describe, expect, it } from 'vitest';
import { customResourceDefinitions } from '../../api/groups/index.ts';
import type { ApiObject } from '../../api/kinds/kind.ts';
import type { CustomResourceDefinition } from '../../api/types/apiextensions-v1.ts';
import { customKind } from '../../runtime/index.ts';
import { MINUTE, start } from './resourcequota.fixture.ts';

describe('quotas of custom resources', () => {
  const definition = (...versions: readonly string[]): CustomResourceDefinition => ({
    metadata: { name: 'gadgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'gadgets', kind: 'Gadget' },
      versions: versions.map((name, at) => ({
        name,
        served: true,
        storage: at === versions.length - 1,
        schema: { openAPIV3Schema: { type: 'object' } },
      })),
    },
  });
  const gadgetsAt = (version: string) =>
    customKind<ApiObject>({
      group: 'example.com',
      version,
      kind: 'Gadget',
      plural: 'gadgets',
      namespaced: true,
    });
  /**
   * Options of a world with the garbage collector, which follows and releases the same kinds independently.
   */
  const both = { controllers: ['resourcequota', 'garbagecollector'] };
  const SOON = 10_000;

  async function startWithGadgets(versions: readonly string[]) {
    const world = await start(both);
    const { client, eventually, quota, used } = world;
    const definitions = client.cluster(customResourceDefinitions);
    const make = async (version: string, ...names: readonly string[]) => {
      const typeMeta = { apiVersion: `example.com/${version}`, kind: 'Gadget' };
      for (const name of names)
        await eventually(() =>
          client.namespaced(gadgetsAt(version), 'team').create({ ...typeMeta, metadata: { name } }),
        );
    };
    const remove = (version: string, name: string) =>
      client.namespaced(gadgetsAt(version), 'team').delete(name);
    const expectCount = (count: number) =>
      eventually(
        async () => expect(await used()).toEqual({ 'count/gadgets.example.com': String(count) }),
        SOON,
      );
    await definitions.create(definition(...versions));
    await make(versions[0] ?? '', 'a', 'b', 'c', 'd');
    await quota({ 'count/gadgets.example.com': '9' });
    await expectCount(4);
    // The delay lets the collector follow the kind too.
    await world.clock.advance(SOON);
    await remove(versions[0] ?? '', 'a');
    await expectCount(3);
    return { ...world, definitions, make, remove, expectCount };
  }

  it('decrease their usage for deletions after the preferred version of the definition changed', async () => {
    const { definitions, remove, expectCount, clock } = await startWithGadgets(['v1alpha1']);
    const { spec } = definition('v1alpha1', 'v1');
    await definitions.patch('gadgets.example.com', 'merge', { spec });
    await clock.advance(SOON);
    await remove('v1alpha1', 'b');
    await expectCount(2);
    await remove('v1', 'c');
    await expectCount(1);
    await clock.advance(6 * MINUTE);
    const unserved = spec.versions.map((each) => ({ ...each, served: each.name === 'v1' }));
    await definitions.patch('gadgets.example.com', 'merge', { spec: { versions: unserved } });
    await clock.advance(6 * MINUTE);
    await remove('v1', 'd');
    await expectCount(0);
  });

  it('decrease their usage for deletions after the definition was deleted and created again', async () => {
    const { definitions, make, remove, expectCount, clock } = await startWithGadgets(['v1']);
    await definitions.delete('gadgets.example.com');
    await clock.advance(3_000);
    await definitions.create(definition('v1'));
    await make('v1', 'x', 'y');
    await clock.advance(SOON);
    await remove('v1', 'x');
    await expectCount(1);
  });

  it('decrease their usage for deletions of a kind that is defined after the quota', async () => {
    const { client, clock, quota, used, eventually } = await start(both);
    await quota({ 'count/gadgets.example.com': '9' });
    await clock.advance(SOON);
    await client.cluster(customResourceDefinitions).create(definition('v1'));
    const gadgets = client.namespaced(gadgetsAt('v1'), 'team');
    for (const name of ['a', 'b'])
      await eventually(() =>
        gadgets.create({ apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name } }),
      );
    await clock.advance(31_000);
    await gadgets.delete('a');
    await eventually(async () => expect(await used()).toEqual({ 'count/gadgets.example.com': '1' }), SOON);
  });
});
