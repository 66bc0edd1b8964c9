import type { ConnectionOptions } from 'bullmq';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { createSystemClock } from '../../base/clock/system.ts';
import { messageOf } from '../../base/errors/coded.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { createRedisChanges } from '../../runtime/queue/redis-changes.ts';
import { createRedisTimers } from '../../runtime/queue/redis-timers.ts';
import { LONG } from '../../test/long.ts';
import { createRedisServer, type RedisServer } from '../../test/redis-server.ts';
import { service } from '../../test/services.ts';
import { type Bullmq, loadBullmq, requireOfBullmq } from './bullmq-scope.ts';
import type { Send } from './command.ts';
import { type Operation, type Side, dumpOfMemory, dumpOfRedis, operations } from './like-redis.fixture.ts';
import { MemoryClient, type Unpack } from './memory-client.ts';
import { createMemoryRedis } from './memory-redis.ts';
import { createMemoryQueueServer } from './queue-server.ts';

const redis = service('redis-server', 'redis in memory beside a real one');

const random = createSeededRandom(1);
const name = 'now';

/** Creates BullMQ clients with a fixed time. Locks are long, so only a deletion releases them. */
function partsOver(
  bullmq: Bullmq,
  connection: ConnectionOptions,
  prefix: string,
): Pick<Side, 'queue' | 'worker'> {
  const queue = new bullmq.Queue(name, { connection, prefix });
  const worker = new bullmq.Worker(name, () => Promise.resolve(), {
    connection,
    prefix,
    autorun: false,
    maxStalledCount: 1,
    lockDuration: 10_000_000,
    stalledInterval: 10_000_000,
  });
  queue.on('error', () => {});
  worker.on('error', () => {});
  return { queue, worker };
}

function memorySide(bullmq: Bullmq, prefix: string): Side {
  const server = createMemoryRedis(createSystemClock(), random);
  const send: Send = async (command, signal) => server.execute(command, signal);
  const { unpack } = requireOfBullmq('msgpackr') as { readonly unpack: Unpack };
  const { timers, changes } = createMemoryQueueServer({ bullmq, send, random });
  return {
    ...partsOver(bullmq, new MemoryClient({ send, prefix, unpack }) as unknown as ConnectionOptions, prefix),
    timers: timers(prefix),
    changes: changes(prefix),
    delete: (key) => send({ name: 'del', prefix, args: [key] }),
    dump: () => Promise.resolve(dumpOfMemory(server.snapshot())),
  };
}

const redisSide = (bullmq: Bullmq, client: Redis, prefix: string): Side => ({
  ...partsOver(bullmq, client as unknown as ConnectionOptions, prefix),
  timers: createRedisTimers(client, prefix, random),
  changes: createRedisChanges(client, prefix),
  delete: (key) => client.del(key),
  dump: () => dumpOfRedis(client, prefix),
});

const answerOf = async (operation: Operation, side: Side): Promise<unknown> => {
  try {
    // JSON drops undefined values, and jobs are compared without their queue.
    return JSON.parse(JSON.stringify((await operation.run(side)) ?? null)) as unknown;
  } catch (thrown) {
    return { thrown: messageOf(thrown), code: (thrown as { code?: unknown }).code };
  }
};

describe.skipIf(redis.missing)('the simulated Redis', () => {
  let server: RedisServer;
  let client: Redis;
  beforeAll(async () => {
    server = await createRedisServer(redis.path ?? '', { durable: false });
    await server.start();
    client = new Redis(server.port, '127.0.0.1', { maxRetriesPerRequest: null });
    client.setMaxListeners(0);
  });
  afterAll(async () => {
    client.disconnect();
    await server.close();
  });

  it('returns the same replies and data as a real Redis for any sequence of operations', async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(operations, fc.array(fc.nat(1_000)), async (asked, pauses) => {
        const clock = createSimulatedClock();
        const bullmq = loadBullmq(clock, createSeededRandom(1));
        const prefix = `{run-${++runs}}`;
        const sides = [memorySide(bullmq, prefix), redisSide(bullmq, client, prefix)] as const;
        await Promise.all(
          sides.flatMap(({ queue, worker }) => [queue.getVersion(), worker.waitUntilReady()]),
        );
        for (const [i, operation] of asked.entries()) {
          await clock.advance(pauses[i] ?? 10);
          const [ours, theirs] = [await answerOf(operation, sides[0]), await answerOf(operation, sides[1])];
          expect(ours, operation.text).toEqual(theirs);
        }
        expect(await sides[0].dump()).toEqual(await sides[1].dump());
        await Promise.all(sides.flatMap(({ queue, worker }) => [queue.close(), worker.close(true)]));
      }),
      { numRuns: LONG ? 3_000 : 150 },
    );
  }, 600_000);
});
