import { expect, it, onTestFinished } from 'vitest';
import { builtinKinds, configMaps } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import type { Clock } from '../../base/clock/clock.ts';
import { withWallOffset } from '../../base/clock/offset.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { createPlanMachine } from '../../machines/pass/plan-machine.ts';
import { useWorld } from '../../test/world/use-world.ts';
import type { World } from '../../test/world/world.ts';
import { createInMemoryTransport } from '../client/in-memory-transport.ts';
import type { ControllerDefinition } from '../controller/controller.ts';
import { defineController } from '../controller/define.ts';
import { watch } from '../controller/watch.ts';
import { createMemoryQueues } from '../queue/memory-queue.ts';
import { assembleControllerManager } from './assemble.ts';

const HOUR_MS = 3_600_000;

/** What runs `controller` against `world`, stopped at the end of the test. */
function assembled(world: World, controller: ControllerDefinition, clock: Clock, single: boolean) {
  const environment = { clock, random: createSeededRandom(1), log: silentLogger };
  const manager = assembleControllerManager({
    controllers: [controller],
    scheme: createScheme(world.vocabulary, builtinKinds),
    environment,
    transport: createInMemoryTransport({
      handler: world.server.handler,
      clock: world.clock,
      peer: world.peerOf('admin', 'system:masters'),
    }),
    component: 'timed-manager',
    queues: createMemoryQueues(environment),
    ...(single && {
      leaderElection: {
        identity: 'one',
        namespace: 'default',
        resourceName: 'timed-manager',
        all: false,
      },
    }),
  });
  onTestFinished(async () => {
    const stopped = manager.stop();
    await world.clock.advance(15_000);
    await stopped;
  });
  return manager;
}

// A CronJob controller whose term began on a machine whose clock was ahead started Jobs minutes before they were due.
it('the first pass of a leader goes by the time of the server, however wrong the own clock is', async () => {
  const world = await useWorld({ controllers: [] });
  const aheadMs: number[] = [];
  const timed = defineController({
    name: 'timed',
    single: true,
    machine: createPlanMachine({ id: 'timed', actions: [], plan: () => ({ actions: [] }) }),
    watches: () => [watch(configMaps, { namespace: 'team' })],
    effects: ({ client }) => ({
      observe: async () => void aheadMs.push(client.serverClock.now() - world.clock.now()),
    }),
  });
  const clock = withWallOffset(world.clock, () => HOUR_MS);
  const manager = assembled(world, timed, clock, true);
  await world.client.namespaced(configMaps, 'team').create({ metadata: { name: 'a' } });
  await manager.start();
  await world.eventually(() => expect(aheadMs).toHaveLength(1));
  expect(Math.abs(aheadMs[0] ?? Infinity)).toBeLessThan(2_000);
});

// A CronJob whose next time was reckoned while the server's clock was three hours behind ran nothing for three hours.
it('every key is looked at again once an answer shows that the time of the server has jumped', async () => {
  const world = await useWorld({ controllers: [] });
  const passes: number[] = [];
  const waiting = defineController({
    name: 'waiting',
    machine: createPlanMachine({ id: 'waiting', actions: [], plan: () => ({ actions: [] }) }),
    watches: () => [watch(configMaps, { namespace: 'team' })],
    effects: ({ client }) => ({ observe: async () => void passes.push(client.serverClock.now()) }),
  });
  const manager = assembled(world, waiting, world.clock, false);
  await world.client.namespaced(configMaps, 'team').create({ metadata: { name: 'a' } });
  await manager.start();
  await world.eventually(() => expect(passes).toHaveLength(1));
  world.clock.jump(-3 * HOUR_MS);
  // No controller asks for anything.
  await world.clock.advance(11_000);
  expect(passes).toHaveLength(2);
  expect((passes[1] ?? Infinity) < (passes[0] ?? 0)).toBe(true);
});
