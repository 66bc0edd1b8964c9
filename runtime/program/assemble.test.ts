import { expect, it, onTestFinished } from 'vitest';
import { builtinKinds, configMaps } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import type { Clock } from '../../base/clock/clock.ts';
import { withWallOffset } from '../../base/clock/offset.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { createPlanMachine } from '../../machines/reconcile/plan-machine.ts';
import { useWorld } from '../../test/world/use-world.ts';
import type { World } from '../../test/world/world.ts';
import { createInMemoryTransport } from '../client/in-memory-transport.ts';
import type { ControllerDefinition } from '../controller/controller.ts';
import { defineController } from '../controller/define.ts';
import { watch } from '../controller/watch.ts';
import { createMemoryQueues } from '../queue/memory-queue.ts';
import { assembleControllerManager } from './assemble.ts';

const HOUR_MS = 3_600_000;

/** Creates a manager of `controller` on `world`. The manager stops at the end of the test. */
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

// A CronJob controller on a machine with a fast clock once started Jobs minutes before they were due.
it("assembleControllerManager uses the server's time in the first reconcile of a leader with a wrong clock", async () => {
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

// A CronJob scheduled while the server's clock was three hours behind once ran nothing for three hours.
it("assembleControllerManager enqueues every key after a jump of the server's clock", async () => {
  const world = await useWorld({ controllers: [] });
  const reconciles: number[] = [];
  const waiting = defineController({
    name: 'waiting',
    machine: createPlanMachine({ id: 'waiting', actions: [], plan: () => ({ actions: [] }) }),
    watches: () => [watch(configMaps, { namespace: 'team' })],
    effects: ({ client }) => ({ observe: async () => void reconciles.push(client.serverClock.now()) }),
  });
  const manager = assembled(world, waiting, world.clock, false);
  await world.client.namespaced(configMaps, 'team').create({ metadata: { name: 'a' } });
  await manager.start();
  await world.eventually(() => expect(reconciles).toHaveLength(1));
  world.clock.jump(-3 * HOUR_MS);
  // No controller sends a request, so the jump is only detected by the periodic request for the time.
  await world.clock.advance(11_000);
  expect(reconciles).toHaveLength(2);
  expect((reconciles[1] ?? Infinity) < (reconciles[0] ?? 0)).toBe(true);
});
