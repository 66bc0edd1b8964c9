import { type TestContext, describe, expect, it } from 'vitest';
import { environment, pause, until } from '../../test/real-time.ts';
import { LONG } from '../../test/long.ts';
import {
  answered,
  createRedisServer,
  startRedisCluster,
  startRedisSentinel,
} from '../../test/redis-server.ts';
import { createServiceTls } from '../../test/service-tls.ts';
import { service } from '../../test/services.ts';
import { createBullmqQueues } from './bullmq-queue.ts';
import type { RedisTls } from './redis-url.ts';

const redis = service('redis-server', 'redis topologies');
const program = redis.path ?? '';

/** Script that returns 1 if a key waits for a later time. */
const HAS_TIMER = `
  for _, name in ipairs(redis.call('KEYS', '*:timer')) do
    if redis.call('ZCARD', name) > 0 then return 1 end
  end
  return 0`;

/** Returns a function that registers a resource to be closed at the end of the test, in reverse order. */
const closer = ({ onTestFinished }: TestContext) => {
  return <T extends { close(): Promise<void> }>(made: T): T => {
    onTestFinished(() => made.close());
    return made;
  };
};
type CloseAfter = ReturnType<typeof closer>;

/** Starts a queue that records the keys it has processed. */
async function startQueue(closeAfter: CloseAfter, redisUrl: string, redisTls?: RedisTls) {
  const options = { ...environment, redisUrl, ...(redisTls === undefined ? {} : { redisTls }) };
  const queue = closeAfter(await createBullmqQueues(options)).create('test', { concurrency: 4 });
  const seen: string[] = [];
  await queue.run(async (key) => void seen.push(key));
  return { queue, seen };
}

describe.skipIf(redis.missing).concurrent('createBullmqQueues', { timeout: 60_000 }, () => {
  it('verifies a TLS server with the given CA and sends the given certificate', async (test) => {
    const closeAfter = closer(test);
    const tls = createServiceTls(environment);
    const server = closeAfter(await createRedisServer(program, { tls, durable: false }));
    await server.start();
    const trusted = await startQueue(closeAfter, server.url, tls);
    trusted.queue.add('a');
    await until(() => trusted.seen.includes('a'), 30_000);
    const stranger = await startQueue(closeAfter, server.url, {
      ...tls,
      ca: createServiceTls(environment).ca,
    });
    const anonymous = await startQueue(closeAfter, server.url, { ca: tls.ca });
    stranger.queue.add('b');
    anonymous.queue.add('c');
    await pause(300);
    expect([stranger.seen, anonymous.seen]).toEqual([[], []]);
    expect(stranger.queue.stats().ready).toBe(1);
  });

  it('finds the server through sentinels that require a password', async (test) => {
    const closeAfter = closer(test);
    const group = closeAfter(await startRedisSentinel(program, 's3cr%t'));
    const { queue, seen } = await startQueue(closeAfter, group.url);
    queue.add('before');
    await until(() => seen.includes('before'), 30_000);
  });

  it.runIf(LONG)(
    'finds the new primary through the sentinels after a fail-over',
    { timeout: 120_000 },
    async (test) => {
      const closeAfter = closer(test);
      const group = closeAfter(await startRedisSentinel(program, 's3cr%t'));
      const { queue, seen } = await startQueue(closeAfter, group.url);
      queue.add('before');
      await until(() => seen.includes('before'), 30_000);
      queue.addAfter('later', 10_000);
      const [primary, replica] = group.servers;
      if (!primary || !replica) expect.unreachable();
      // A write that was not replicated before the kill is lost, as Redis documents, so the test waits for
      // replication.
      await answered(replica, ['EVAL', HAS_TIMER, '0'], ':1');
      await primary.kill();
      queue.add('during');
      await until(() => seen.includes('during') && seen.includes('later'), 45_000);
      expect(await replica.command('ROLE')).toContain('master');
    },
  );

  it('stores each queue on one node of a cluster', async (test) => {
    const closeAfter = closer(test);
    const group = closeAfter(await startRedisCluster(program));
    const queues = closeAfter(await createBullmqQueues({ ...environment, redisUrl: group.url }));
    const replica = closeAfter(await createBullmqQueues({ ...environment, redisUrl: group.url }));
    const names = ['cronjob', 'job', 'namespace', 'csrsigning'];
    const seen: string[] = [];
    for (const factory of [queues, replica])
      for (const name of names) {
        const queue = factory.create(name);
        await queue.run(async (key) => void seen.push(`${name}/${key}`));
        queue.add('now', 'one change');
        queue.addAfter('later', 100);
      }
    const expected = names.flatMap((name) => [`${name}/later`, `${name}/now`]).sort();
    await until(() => expected.every((each) => seen.includes(each)), 30_000);
    await pause(300);
    expect([...seen].filter((each) => each.endsWith('/now')).sort()).toEqual(
      expected.filter((each) => each.endsWith('/now')),
    );
    const sizes = await Promise.all(group.servers.map((server) => server.command('DBSIZE')));
    expect(sizes.filter((size) => size !== ':0\r\n').length).toBeGreaterThan(1);
  });
});
