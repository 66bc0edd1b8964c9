import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LONG } from '../../test/long.ts';
import { environment, pause, until } from '../../test/real-time.ts';
import { createRedisServer, type RedisServer } from '../../test/redis-server.ts';
import { service } from '../../test/services.ts';
import { startReplica } from '../../test/start-replica.ts';
import { createBullmqQueues } from './bullmq-queue.ts';
import { createRedisTimers } from './redis-timers.ts';
import { createRedisClient, parseRedisUrl } from './redis-url.ts';
import { workQueueConformance, type QueueWorld } from './work-queue.conformance.ts';

const redis = service('redis-server', 'bullmq queue');
const { clock } = environment;

let worlds = 0;

const refuse = (server: RedisServer, replicas: number): Promise<unknown> =>
  server.command('CONFIG', 'SET', 'min-replicas-to-write', String(replicas));

async function createWorld(server: RedisServer): Promise<QueueWorld> {
  const options = { ...environment, redisUrl: server.url, prefix: `test-${++worlds}` };
  const first = await createBullmqQueues(options);
  const second = await createBullmqQueues(options);
  return {
    create: (queueOptions) => first.create('test', queueOptions),
    createReplica: (queueOptions) => second.create('test', queueOptions),
    wait: pause,
    until,
    nowMs: () => clock.monotonic(),
    slackMs: 700,
    unitMs: 150,
    manyKeys: LONG ? 10_000 : 3_000,
    async close() {
      await Promise.all([first.close(), second.close()]);
    },
  };
}

describe.skipIf(redis.missing)('createBullmqQueues', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await createRedisServer(redis.path ?? '', { durable: false });
    await server.start();
  });
  afterAll(() => server.close());

  workQueueConformance(() => createWorld(server));
});

describe.skipIf(redis.missing).concurrent('createBullmqQueues for several processes', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await createRedisServer(redis.path ?? '', { durable: false });
    await server.start();
  });
  afterAll(() => server.close());

  it('delivers a key to one worker at a time and shares the keys between processes', async () => {
    const world = await createWorld(server);
    const inWork = new Set<string>();
    const takenBy = { first: 0, second: 0 };
    let doubled = 0;
    let reconciles = 0;
    const worker = (who: 'first' | 'second') => async (key: string) => {
      if (inWork.has(key)) doubled++;
      inWork.add(key);
      takenBy[who]++;
      await pause(20);
      inWork.delete(key);
      reconciles++;
    };
    const [first, second] = [world.create({ concurrency: 4 }), world.createReplica?.({ concurrency: 4 })];
    await first.run(worker('first'));
    await second?.run(worker('second'));
    for (let round = 0; round < 10; round++) {
      for (let i = 0; i < 10; i++) (i % 2 === 0 ? first : second)?.add(`key-${i}`);
      await pause(15);
    }
    await until(() => reconciles >= 20 && inWork.size === 0);
    expect(doubled).toBe(0);
    expect(takenBy.first).toBeGreaterThan(0);
    expect(takenBy.second).toBeGreaterThan(0);
    await world.close();
  });

  it('keeps the earliest of delayed adds made by two processes', async () => {
    const world = await createWorld(server);
    const [first, second] = [world.create(), world.createReplica?.()];
    const at: number[] = [];
    await first.run(async () => void at.push(clock.monotonic()));
    const startMs = clock.monotonic();
    first.addAfter('a', 300);
    await pause(100);
    second?.addAfter('a', 60_000);
    await until(() => at.length === 1, 5_000);
    expect((at[0] ?? 0) - startMs).toBeGreaterThanOrEqual(299);
    await world.close();
  });

  it('passes the retry count of a key to the process that takes the key next', async () => {
    const world = await createWorld(server);
    const [first, second] = [world.create({ baseDelayMs: 1 }), world.createReplica?.({ baseDelayMs: 1 })];
    for (let i = 0; i < 3; i++) first.addRateLimited('a');
    const seen: number[] = [];
    await second?.run(async (key) => void seen.push(second.retries(key)));
    await until(() => seen.length >= 1);
    expect(Math.max(...seen)).toBeGreaterThanOrEqual(1);
    await world.close();
  });

  it('processes a key in another process within 2 s after a kill', async () => {
    const child = await startReplica({ redisUrl: server.url, concurrency: 1, reconcileMs: 'forever' });
    let said = '';
    child.stdout?.on('data', (data: Buffer) => (said += data.toString()));
    const queues = await createBullmqQueues({ ...environment, redisUrl: server.url });
    const queue = queues.create('test');
    const seen: string[] = [];
    queue.add('default/a');
    await until(() => said.includes('begin default/a'));
    await queue.run(async (key) => void seen.push(key));
    queue.add('default/a');
    queue.add('default/b');
    await until(() => seen.includes('default/b'));
    child.kill('SIGKILL');
    const killedMs = clock.monotonic();
    await until(() => seen.length === 3);
    expect(clock.monotonic() - killedMs).toBeLessThan(2_000);
    expect(seen).toEqual(['default/b', 'default/a', 'default/a']);
    await queues.close();
  });

  it('aborts a reconcile whose key another process has taken over, and processes the key again', async () => {
    const options = { ...environment, redisUrl: server.url, prefix: 'takeover' };
    const queues = await createBullmqQueues(options);
    const queue = queues.create('test', { concurrency: 2 });
    const signals: AbortSignal[] = [];
    await queue.run((_key, { signal }) => {
      signals.push(signal);
      if (signals.length > 1) return Promise.resolve();
      return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    });
    queue.add('a');
    await until(() => signals.length === 1);
    const client = await createRedisClient(parseRedisUrl(server.url), { failFast: false });
    const locks = await client.keys('{takeover:test}:now:*:lock');
    expect(locks).toHaveLength(1);
    await client.del(...locks);
    client.disconnect();
    await until(() => signals[0]?.aborted === true);
    await until(() => signals.length === 2);
    await queues.close();
  });

  it('delivers a due key to another process if the process that took it died before enqueuing it', async () => {
    const client = await createRedisClient(parseRedisUrl(server.url), { failFast: false });
    const timers = createRedisTimers(client, '{lease}', environment.random, 200);
    await timers.add([
      { key: 'a', delayMs: 0, retries: 3 },
      { key: 'b', delayMs: 60_000, retries: 0 },
    ]);
    const taken = await timers.take(10);
    expect(taken.due).toEqual([{ key: 'a', retries: 3, isAgain: false }]);
    expect(taken.nextMs).toBeGreaterThan(59_000);
    expect((await timers.take(10)).due).toEqual([]);
    await timers.add([{ key: 'a', delayMs: 30_000, retries: 4 }]);
    await pause(250);
    expect((await timers.take(10)).due).toEqual([{ key: 'a', retries: 4, isAgain: true }]);
    await timers.done(['a']);
    await pause(250);
    expect((await timers.take(10)).due).toEqual([]);
    expect(await timers.size()).toBe(2);
    client.disconnect();
  });

  it('leaves a key that a stopping process has just taken to another process', async () => {
    const prefix = `test-${++worlds}`;
    const stops: Promise<void>[] = [];
    let isArmed = false;
    // The worker reads the clock when it takes a key, so a late clock delays the start of the reconcile.
    const late = {
      ...clock,
      now(): number {
        if (isArmed) stops.push(stopping.stop());
        isArmed = false;
        return clock.now() + 1_000;
      },
    };
    const first = await createBullmqQueues({ ...environment, clock: late, redisUrl: server.url, prefix });
    const second = await createBullmqQueues({ ...environment, redisUrl: server.url, prefix });
    const [stopping, next] = [first.create('test'), second.create('test')];
    await stopping.run(async (key) => {
      await pause(1_500);
      stopping.addRateLimited(key);
    });
    await pause(300);
    isArmed = true;
    next.add('a');
    await until(() => stops.length > 0);
    await Promise.all(stops);
    const seen: string[] = [];
    await next.run(async (key) => void seen.push(key));
    await until(() => seen.length > 0, 10_000);
    expect(seen).toEqual(['a']);
    await Promise.all([first.close(), second.close()]);
  });

  it('leaves waiting keys in Redis for the next process when it stops', async () => {
    const options = { ...environment, redisUrl: server.url, prefix: 'handover' };
    const before = await createBullmqQueues(options);
    const stopping = before.create('test');
    stopping.add('now');
    stopping.addAfter('later', 200);
    await before.close();
    const after = await createBullmqQueues(options);
    const seen: string[] = [];
    await after.create('test').run(async (key) => void seen.push(key));
    await until(() => seen.length === 2);
    expect(seen.sort()).toEqual(['later', 'now']);
    await after.close();
  });
});

describe.skipIf(redis.missing).concurrent('createBullmqQueues with a slow or unreachable Redis', () => {
  it('sends no command twice to a slow Redis', async () => {
    const server = await createRedisServer(redis.path ?? '', { durable: false });
    await server.start();
    const queues = await createBullmqQueues({ ...environment, redisUrl: server.url });
    const queue = queues.create('test', { concurrency: 10 });
    const seen: string[] = [];
    await queue.run(async (key) => void seen.push(key));
    queue.add('first');
    await until(() => seen.length === 1);
    while ((await server.command('LLEN', '{work:test}:now:active')) !== ':0\r\n') await pause(5);
    await server.command('CLIENT', 'PAUSE', '2300', 'ALL');
    const keys = Array.from({ length: 20 }, (_, i) => `object-${i}`);
    for (const key of keys) queue.add(key);
    await until(() => seen.length > keys.length);
    await pause(700);
    expect(seen.slice(1).sort()).toEqual(keys.sort());
    await queues.close();
    await server.close();
  });

  it('stores adds in process before Redis starts and while it is down', async () => {
    const server = await createRedisServer(redis.path ?? '');
    const queues = await createBullmqQueues({ ...environment, redisUrl: server.url });
    const queue = queues.create('test', { concurrency: 5 });
    const seen: string[] = [];
    await queue.run(async (key) => void seen.push(key));
    queue.add('before');
    expect(queue.stats().ready).toBe(1);
    await server.start();
    await until(() => seen.includes('before'));
    await server.kill();
    queue.add('during');
    queue.addAfter('later', 100);
    await pause(500);
    expect(seen).toEqual(['before']);
    await server.start();
    await until(() => seen.includes('during') && seen.includes('later'));
    await queues.close();
    await server.close();
  });

  it.each([
    [
      'rejects commands',
      (server: RedisServer) => refuse(server, 1),
      (server: RedisServer) => refuse(server, 0),
    ],
    ['is down', (server: RedisServer) => server.kill(), (server: RedisServer) => server.start()],
  ])('reports a problem after Redis %s for ten seconds and clears it on recovery', async (_, spoil, mend) => {
    const server = await createRedisServer(redis.path ?? '', { durable: false });
    await server.start();
    let laterMs = 0;
    const later = { ...clock, monotonic: () => clock.monotonic() + laterMs };
    const queues = await createBullmqQueues({ ...environment, clock: later, redisUrl: server.url });
    const queue = queues.create('test');
    await queue.run(async () => {});
    expect(queue.problem()).toBeUndefined();
    await spoil(server);
    await pause(1_500);
    expect(queue.problem()).toBeUndefined();
    laterMs = 10_000;
    await until(() => /^redis has accepted no command for 1\d s/.test(queue.problem() ?? ''));
    await mend(server);
    await until(() => queue.problem() === undefined);
    await queues.close();
    await server.close();
  });

  it('causes no Node.js warning in any of 15 queues when Redis becomes a replica', async () => {
    const warnings: Error[] = [];
    const listen = (warning: Error): void => void warnings.push(warning);
    process.on('warning', listen);
    const server = await createRedisServer(redis.path ?? '', { durable: false });
    await server.start();
    const queues = await createBullmqQueues({ ...environment, redisUrl: server.url });
    const all = Array.from({ length: 15 }, (_, i) => queues.create(`test-${i}`));
    const seen = new Set<string>();
    for (const queue of all) await queue.run(async (key) => void seen.add(key));
    await pause(500);
    await server.command('REPLICAOF', '127.0.0.1', '1');
    for (const [i, queue] of all.entries()) queue.add(`key-${i}`);
    await pause(1_500);
    await server.command('REPLICAOF', 'NO', 'ONE');
    await until(() => seen.size === all.length);
    await queues.close();
    await server.close();
    process.off('warning', listen);
    expect(warnings.map(({ name }) => name)).toEqual([]);
  });

  it('closes within seconds if Redis never started or was killed', async () => {
    const server = await createRedisServer(redis.path ?? '');
    const never = await createBullmqQueues({ ...environment, redisUrl: server.url });
    const queue = never.create('test');
    await queue.run(async () => {});
    queue.add('a');
    await server.start();
    const gone = await createBullmqQueues({ ...environment, redisUrl: server.url });
    const busy = gone.create('busy');
    let started = false;
    await busy.run(() => {
      started = true;
      return new Promise(() => {});
    });
    busy.add('a');
    await until(() => started);
    await server.kill();
    const startMs = clock.monotonic();
    await Promise.all([never.close(), gone.close()]);
    expect(clock.monotonic() - startMs).toBeLessThan(5_000);
    await server.close();
  });
});

describe('createBullmqQueues with an invalid URL', () => {
  it('rejects without the URL in the error', async () => {
    const refused = createBullmqQueues({ ...environment, redisUrl: 'http://user:hunter2@host' });
    await expect(refused).rejects.toMatchObject({ code: 'ERR_REDIS_URL' });
    await expect(refused).rejects.not.toThrow('hunter2');
  });
});
