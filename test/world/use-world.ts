import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { namespaces } from '../../api/groups/core-v1.ts';
import { type World, type WorldOptions, createWorld } from './world.ts';

/** Creates a world with the namespace `team`; it ends with the test. */
export async function useWorld(options?: WorldOptions): Promise<World> {
  const world = await createWorld(options);
  onTestFinished(() => world.stop());
  await world.client.cluster(namespaces).create({ metadata: { name: 'team' } });
  await world.clock.advance(0);
  return world;
}

/** Shares one world with the namespace `team` among all tests of a file, which must use distinct names. */
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
