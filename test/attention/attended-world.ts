import { onTestFinished } from 'vitest';
import { attentionRules } from '../../controllers/attention/index.ts';
import { createControllers } from '../../controllers/index.ts';
import { createInMemoryOutbound } from '../../base/http/in-memory-outbound.ts';
import type { HttpHandler } from '../../base/http/message.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createMetrics } from '../../base/metrics/metrics.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import {
  type AssembledManager,
  type AttentionItem,
  assembleControllerManager,
  createInMemoryTransport,
  createMemoryQueues,
} from '../../runtime/index.ts';
import { useWorld } from '../world/use-world.ts';
import type { World } from '../world/world.ts';

/** World whose controllers feed the list of what needs attention. */
export interface AttendedWorld {
  readonly world: World;
  readonly manager: AssembledManager;
  /** Returns the current list. */
  items(): readonly AttentionItem[];
}

/** Origin that resets every connection, next to one that denies every review. */
export const DENYING = 'https://denying.test';

const denying: HttpHandler = async (request) => {
  const review = JSON.parse((await request.body(1e6)).toString()) as {
    readonly apiVersion: string;
    readonly kind: string;
    readonly request: { readonly uid: string };
  };
  const { apiVersion, kind } = review;
  const response = { uid: review.request.uid, allowed: false, status: { message: 'no pods today' } };
  return { status: 200, headers: {}, body: Buffer.from(JSON.stringify({ apiVersion, kind, response })) };
};

/** Starts a real server and all controllers in one thread on virtual time. */
export async function useAttendedWorld(): Promise<AttendedWorld> {
  const outbound = createInMemoryOutbound((origin) =>
    origin.startsWith(DENYING) ? { handler: denying } : undefined,
  );
  const world = await useWorld({ controllers: [], assembly: { outbound } });
  const environment = { clock: world.clock, random: createSeededRandom(3), log: silentLogger };
  const manager = assembleControllerManager({
    scheme: world.scheme,
    environment,
    transport: createInMemoryTransport({
      handler: world.server.handler,
      clock: world.clock,
      peer: world.peerOf(world.vocabulary.component('controller-manager')),
    }),
    component: 'controller-manager',
    queues: createMemoryQueues(environment),
    controllers: createControllers(world.settings),
    selection: ['*'],
    metrics: createMetrics(),
    attention: attentionRules,
  });
  await untilDone(world, manager.start());
  onTestFinished(() => untilDone(world, manager.stop()));
  return { world, manager, items: () => manager.attention?.items() ?? [] };
}

async function untilDone(world: World, work: Promise<unknown>): Promise<void> {
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  await world.eventually(() => isDone);
  await done;
}
