import { describe, expect, it } from 'vitest';
import { configMaps, secrets } from '../../api/groups/index.ts';
import { keyOf } from '../../api/kinds/scheme.ts';
import { type ReconcileInput, createPlanMachine } from '../../machines/index.ts';
import { useWorld } from '../../test/world/use-world.ts';
import type { ControllerContext, Watch } from './controller.ts';
import { defineController } from './define.ts';
import { watch } from './watch.ts';

type See = (context: ControllerContext, key: string) => number;

/** Starts a controller of ConfigMaps that records each result of `see`, which reads a cache. */
async function run(see: See, watches: (context: ControllerContext) => readonly Watch[]) {
  const seen: number[] = [];
  const controller = defineController({
    name: 'cold',
    machine: createPlanMachine<null, { readonly type: 'none' }>({
      id: 'cold',
      actions: ['none'],
      plan: () => ({ actions: [] }),
    }),
    watches,
    effects: (context) => ({
      observe: async ({ key }: ReconcileInput) => {
        seen.push(see(context, key));
        return null;
      },
      none: async () => {},
    }),
  });
  const world = await useWorld({ definitions: () => [controller], controllers: [] });
  await world.client.namespaced(secrets, 'team').create({ metadata: { name: 's' } });
  await world.client.namespaced(configMaps, 'team').create({ metadata: { name: 'm' } });
  const started = await world.startManager({ ready: false });
  const heal = started.faults.add(({ path }) =>
    path.includes('secrets') ? { status: 500, reason: 'InternalError' } : undefined,
  );
  return { ...world, ...started, heal, seen };
}

describe('a controller that reads an undeclared cache', () => {
  it.each<[string, See]>([
    ['of another kind', ({ informers }) => informers.of(secrets).store.list().length],
    ['of another scope', ({ informers }) => informers.of(secrets, { namespace: 'team' }).store.list().length],
  ])('fails each reconcile and is unhealthy until the cache %s is filled', async (_, see) => {
    const { clock, manager, heal, seen, eventually } = await run(see, () => [
      watch(configMaps, { namespace: 'team' }),
    ]);
    await clock.advance(5_000);
    expect(seen).toEqual([]);
    expect(manager.healthy().reasons).toEqual([
      expect.stringMatching(
        /^cold: reads the cache of secrets.*, which is not filled and not in its watches$/,
      ),
    ]);
    heal();
    await eventually(async () => expect(new Set(seen)).toEqual(new Set([1])));
    expect(manager.healthy().healthy).toBe(true);
  });

  it('enqueues keys again once the cache that a key mapping read is filled', async () => {
    const { clock, heal, seen, eventually } = await run(
      () => 1,
      ({ informers }) => [
        watch(configMaps, { namespace: 'team', keys: () => informers.of(secrets).store.list().map(keyOf) }),
      ],
    );
    await clock.advance(5_000);
    expect(seen).toEqual([]);
    heal();
    await eventually(async () => expect(seen).not.toEqual([]));
  });
});
