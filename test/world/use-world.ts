import { afterEach } from 'vitest';
import { namespaces } from '../../api/groups/core-v1.ts';
import { type World, type WorldOptions, createWorld } from './world.ts';

const worlds: World[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.stop();
});

/** A world that ends with the test, with the namespace `team` in it. */
export async function useWorld(options?: WorldOptions): Promise<World> {
  const world = await createWorld(options);
  worlds.push(world);
  await world.client.cluster(namespaces).create({ metadata: { name: 'team' } });
  await world.clock.advance(0);
  return world;
}
