import { describe, expect, it } from 'vitest';
import { customResourceDefinitions } from '../../api/groups/apiextensions-v1.ts';
import { type ApiObject, type DeepReadonly, defineKind } from '../../api/kinds/kind.ts';
import { struct } from '../../api/schema/schema.ts';
import { isNotFound } from '../../api/status/api-error.ts';
import { HOUR, MINUTE, referenceTo, start } from './garbagecollector.fixture.ts';

describe('garbageCollectorController with kinds that are defined while it runs', () => {
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

  it('backs off from reading an owner whose kind it cannot list', async () => {
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

  it("collects objects whose owner was deleted before the owner's kind was followed", async () => {
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

  it("follows a new kind and stops after the kind's definition is deleted", async () => {
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
