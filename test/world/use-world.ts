import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { namespaces } from '../../api/groups/core-v1.ts';
import { type World, type WorldOptions, createWorld } from './world.ts';

/** Creates a world with the namespace `team`. The world ends with the test. */
export async function useWorld(options?: WorldOptions): Promise<World> {
  const world = await createWorld(options);
  onTestFinished(() => world.stop());
  await world.client.cluster(namespaces).create({ metadata: { name: 'team' } });
  await world.clock.advance(0);
  return world;
}

/** Creates one world with the namespace `team` for all tests of a file. The tests must use distinct names. */
export function shareWorld(options?: WorldOptions): () => World {
  let world: World | undefined;
  beforeAll(async () => {
    world = await createWorld(options);
    await world.client.cluster(namespaces).create({ metadata: { name: 'team' } });
    await world.clock.advance(0);
  });
  afterAll(async () => world?.stop());
  return () => {
    if (!world) throw new Error('the world is only available once the tests run');
    return world;
  };
}
