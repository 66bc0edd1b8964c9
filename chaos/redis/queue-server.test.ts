import { describe, expect, it } from 'vitest';
import { createSimulatedClock, type SimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { workQueueConformance } from '../../runtime/queue/work-queue.conformance.ts';
import type { WorkQueueFactory } from '../../runtime/index.ts';
import { createSharedQueues, type QueueLink } from '../../runtime/queue/index.ts';
import { loadBullmq } from './bullmq-scope.ts';
import type { Command, Send } from './command.ts';
import { createMemoryRedis, type MemoryRedis } from './memory-redis.ts';
import { createMemoryQueueServer } from './queue-server.ts';

const untilOn =
  (clock: SimulatedClock) =>
  async (done: () => boolean): Promise<void> => {
    for (let i = 0; i < 10_000 && !done(); i++) await clock.advance(10);
    if (!done()) throw new Error('the awaited state was not reached');
  };

/** Creates one process of a controller manager with its connection to the server. */
function process(clock: SimulatedClock, redis: MemoryRedis, seed: number, send: Send) {
  const random = createSeededRandom(seed);
  const bullmq = loadBullmq(clock, random);
  const server = createMemoryQueueServer({ bullmq, send, random });
  const reported: unknown[] = [];
  const link: QueueLink = {
    clock,
    random,
    log: silentLogger,
    ready: () => Promise.resolve(),
    open: () => Promise.resolve(server),
    report: (_queue, thrown) => void reported.push(thrown),
    close() {},
  };
  const queues: WorkQueueFactory = createSharedQueues(link, { prefix: 'work', graceMs: 1_500 });
  return { queues, reported, redis };
}

const direct =
  (redis: MemoryRedis): Send =>
  async (command, signal) =>
    redis.execute(command, signal);

describe('shared queues over the simulated Redis', () => {
  workQueueConformance(async () => {
    const clock = createSimulatedClock();
    const redis = createMemoryRedis(clock, createSeededRandom(1));
    const [first, second] = [2, 3].map((seed) => process(clock, redis, seed, direct(redis)).queues);
    if (first === undefined || second === undefined) throw new Error('there are two');
    const until = untilOn(clock);
    return {
      create: (options) => first.create('test', options),
      createReplica: (options) => second.create('test', options),
      wait: (ms) => clock.advance(ms),
      until,
      nowMs: () => clock.monotonic(),
      slackMs: 500,
      unitMs: 100,
      manyKeys: 2_000,
      async close() {
        let closed = false;
        void Promise.all([first.close(), second.close()]).then(() => (closed = true));
        await until(() => closed);
      },
    };
  });

  it('send the same commands in every run', async () => {
    const commands = async (): Promise<readonly Command[]> => {
      const clock = createSimulatedClock();
      const redis = createMemoryRedis(clock, createSeededRandom(1));
      const sent: Command[] = [];
      const send: Send = async (command, signal) => {
        sent.push(command);
        return redis.execute(command, signal);
      };
      const queues = [2, 3].map((seed) => process(clock, redis, seed, send).queues.create('test'));
      for (const queue of queues) await queue.run(() => clock.advance(0).then(() => {}));
      for (let i = 0; i < 50; i++) {
        for (const [at, queue] of queues.entries()) queue.add(`key-${(i * 7 + at) % 11}`, `change-${i}`);
        await clock.advance(13);
      }
      await clock.advance(5_000);
      return structuredClone(sent);
    };
    const first = await commands();
    expect(first.length).toBeGreaterThan(200);
    expect(await commands()).toEqual(first);
  });
});
