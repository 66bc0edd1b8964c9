import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { namespaces } from '../../api/groups/core-v1.ts';
import { type World, type WorldOptions, createWorld } from './world.ts';

/** A world that ends with the test, with the namespace `team` in it. */
export async function useWorld(options?: WorldOptions): Promise<World> {
  const world = await createWorld(options);
  onTestFinished(() => world.stop());
  await world.client.cluster(namespaces).create({ metadata: { name: 'team' } });
  await world.clock.advance(0);
  return world;
}

/** One world for all tests of a file, with the namespace `team` in it: for rules that names of their own keep apart. */
export function shareWorld(options?: WorldOptions): () => World {
  let world: World | undefined;
  beforeAll(async () => {
    world = await createWorld(options);
    await world.client.cluster(namespaces).create({ metadata: { name: 'team' } });
    await world.clock.advance(0);
  });
  afterAll(async () => world?.stop());
  return () => {
    if (!world) throw new Error('the world is there once a test runs');
    return world;
  };
}
