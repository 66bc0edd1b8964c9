import { onTestFinished } from 'vitest';
import type { ControllerDefinition } from '../../runtime/index.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { type RunningControllers, createInMemoryTransport, runControllers } from '../../runtime/index.ts';
import { useWorld } from './use-world.ts';
import type { World } from './world.ts';

/** A third-party program in a world without built-in controllers. */
export interface Program {
  readonly world: World;
  readonly running: RunningControllers;
}

/** Runs controllers with `runControllers` as an administrator against the API server of a new world. */
export async function useControllers(...controllers: readonly ControllerDefinition[]): Promise<Program> {
  const world = await useWorld({ controllers: [] });
  const running = await runControllers({
    controllers,
    server: {
      transport: createInMemoryTransport({
        handler: world.server.handler,
        peer: world.peerOf('admin', 'system:masters'),
      }),
    },
    vocabulary: world.vocabulary,
    environment: { clock: world.clock, random: createSeededRandom(1), log: silentLogger },
  });
  onTestFinished(async () => {
    const stopped = running.stop();
    await world.clock.advance(5_000);
    await stopped;
  });
  return { world, running };
}
