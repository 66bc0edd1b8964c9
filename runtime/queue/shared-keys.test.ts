import { type TestContext, afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LONG } from '../../test/long.ts';
import { environment, pause, until } from '../../test/real-time.ts';
import { createRedisServer, type RedisServer } from '../../test/redis-server.ts';
import { service } from '../../test/services.ts';
import { createBullmqQueues } from './bullmq-queue.ts';
import type { WorkQueue } from './work-queue.ts';

const redis = service('redis-server', 'keys shared over redis');
const { clock } = environment;

describe.skipIf(redis.missing)('keys shared over Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await createRedisServer(redis.path ?? '', { durable: false });
    await server.start();
  });
  afterAll(() => server.close());

  /** Creates the queues of `count` processes with a prefix that is unique to the test. */
  async function replicas(
    { task, onTestFinished }: TestContext,
    count: number,
    { concurrency = 4, alone = false, of = server, onCovered = (_key: string): void => {} } = {},
  ): Promise<{ readonly queues: readonly WorkQueue[]; readonly prefix: string }> {
    const prefix = task.id;
    const options = { ...environment, redisUrl: of.url, prefix };
    const made = await Promise.all(Array.from({ length: count }, () => createBullmqQueues(options)));
    onTestFinished(async () => void (await Promise.all(made.map((factory) => factory.close()))));
    return {
      queues: made.map((factory) => factory.create('test', { concurrency, alone, onCovered })),
      prefix: `{${prefix}:test}`,
    };
  }

  it.concurrent.for(LONG ? [1, 2, 4] : [3])(
    'cause one reconcile for a change that %i processes observe',
    async (count, test) => {
      const { queues } = await replicas(test, count);
      const reconciles: string[] = [];
      for (const queue of queues)
        await queue.run(async (key) => {
          reconciles.push(key);
          await pause(5);
        });
      queues[0]?.add('warm');
      await until(() => reconciles.length === 1);
      const changes = Array.from({ length: LONG ? 1_000 : 100 }, async (_, i) => {
        await pause(i * 5);
        // Watches of different processes observe a change some milliseconds apart.
        for (const queue of queues) {
          queue.add(`object-${i}`, 'version 1');
          await pause(environment.random.int(4));
        }
      });
      await Promise.all(changes);
      // Changes claimed by another process are checked after 2 s.
      await pause(2_500);
      expect(new Set(reconciles).size).toBe(1 + changes.length);
      expect(reconciles.length / changes.length).toBeLessThan(1.05);
    },
  );

  it.concurrent(
    'cause a further reconcile if the reconciling process had not observed the change',
    async (test) => {
      const {
        queues: [ahead, behind],
      } = await replicas(test, 2);
      if (ahead === undefined || behind === undefined) expect.unreachable();
      const seenBehind = new Set<string>();
      const versions: string[] = [];
      await behind.run(async () => void versions.push([...seenBehind].join()));
      ahead.add('a', 'version 1');
      await until(() => versions.length === 1);
      expect(versions).toEqual(['']);
      seenBehind.add('version 1');
      behind.add('a', 'version 1');
      await until(() => versions.length === 2, 1_000);
      expect(versions).toEqual(['', 'version 1']);
    },
  );

  it.concurrent(
    'are reconciled again by the process of the later of two reconciles that each missed a change',
    async (test) => {
      const covered: string[] = [];
      const {
        queues: [first, second],
      } = await replicas(test, 2, { concurrency: 1, onCovered: (key) => covered.push(key) });
      if (first === undefined || second === undefined) expect.unreachable();
      const reconciles: string[] = [];
      let release = (): void => {};
      await first.run(async (key) => {
        if (key === 'busy') await new Promise<void>((resolve) => (release = resolve));
        reconciles.push(`first ${key}`);
      });
      test.onTestFinished(() => release());
      first.add('a', 'job 1');
      await until(() => reconciles.length === 1);
      first.add('busy');
      await until(async () => (await first.stats()).active === 1);
      const seen = new Set(['pod 1']);
      await second.run(async (key) => void reconciles.push(`second ${key} ${[...seen].join()}`));
      second.add('a', 'pod 1');
      await until(() => reconciles.length === 2);
      // The Job watch of the second process delivers its event late.
      seen.add('job 1');
      second.add('a', 'job 1');
      await until(() => reconciles.length === 3, 1_500);
      // The process of the earlier reconcile must leave its change to the later reconciles.
      first.add('a', 'pod 1');
      await until(() => covered.length > 0);
      expect(reconciles).toEqual(['first a', 'second a pod 1', 'second a pod 1,job 1']);
    },
  );

  it.concurrent('report a change as covered by a reconcile of another process', async (test) => {
    const covered: string[] = [];
    const {
      queues: [first, second],
    } = await replicas(test, 2, { onCovered: (key) => covered.push(key) });
    const reconciles: string[] = [];
    await first?.run(async (key) => void reconciles.push(key));
    first?.add('a', 'v1');
    await until(() => reconciles.length === 1);
    await second?.run(async (key) => void reconciles.push(key));
    second?.add('a', 'v1');
    await until(() => covered.length > 0);
    expect([reconciles, covered]).toEqual([['a'], ['a']]);
    // A restarted watch may deliver the same change again.
    first?.add('a', 'v1');
    await until(() => covered.length > 1);
    expect([reconciles, covered]).toEqual([['a'], ['a', 'a']]);
  });

  it.concurrent(
    'are enqueued from the initial list at startup even if earlier reconciles covered their changes',
    async (test) => {
      const {
        queues: [first, second],
      } = await replicas(test, 2);
      const reconciles: string[] = [];
      await first?.run(async (key) => void reconciles.push(`first ${key}`));
      first?.add('owner', 'v1');
      await until(() => reconciles.length === 1);
      await first?.stop();
      // The owner's dependent is deleted while no process runs, so the second process receives no event of
      // the deletion.
      second?.add('owner', 'v1');
      await second?.run(async (key) => void reconciles.push(`second ${key}`));
      await until(() => reconciles.length === 2, 1_000);
      expect(reconciles).toEqual(['first owner', 'second owner']);
    },
  );

  it.concurrent(
    'are reconciled by a new leader although the previous leader covered their changes',
    async (test) => {
      const {
        queues: [first, second],
      } = await replicas(test, 2, { alone: true });
      const reconciles: string[] = [];
      await first?.run(async (key) => void reconciles.push(`first ${key}`));
      first?.add('owner', 'v1');
      await until(() => reconciles.length === 1);
      await first?.stop();
      // The kind is first listed while the process already runs.
      await second?.run(async (key) => void reconciles.push(`second ${key}`));
      second?.add('owner', 'v1');
      await until(() => reconciles.length === 2, 1_000);
      expect(reconciles).toEqual(['first owner', 'second owner']);
    },
  );

  it.concurrent('report a repeated change as covered by the running reconcile', async (test) => {
    const covered: string[] = [];
    const {
      queues: [queue],
    } = await replicas(test, 1, { onCovered: (key) => covered.push(key) });
    let end = (): void => {};
    let reconciles = 0;
    await queue?.run(async () => {
      reconciles++;
      await new Promise<void>((resolve) => (end = resolve));
    });
    queue?.add('a', 'v1');
    await until(() => reconciles === 1);
    queue?.add('a', 'v1');
    expect(covered).toEqual([]);
    end();
    await until(() => covered.length > 0);
    expect([reconciles, covered]).toEqual([1, ['a']]);
  });

  // The second add may be in transit when the reconcile starts. Another reconcile then follows without work.
  it.concurrent('report two consecutive changes as covered by one reconcile', async (test) => {
    const covered: string[] = [];
    const {
      queues: [queue],
    } = await replicas(test, 1, { onCovered: (key) => covered.push(key) });
    let reconciles = 0;
    await queue?.run(async () => void reconciles++);
    queue?.add('a', 'v1');
    queue?.add('a', 'v2');
    await until(() => covered.length > 0);
    expect(covered).toEqual(['a']);
    expect(reconciles).toBeGreaterThan(0);
  });

  it.concurrent(
    'are enqueued by another process if the process that claimed their change has died',
    async (test) => {
      const {
        queues: [first, second],
        prefix,
      } = await replicas(test, 2);
      if (first === undefined || second === undefined) expect.unreachable();
      const seen: string[] = [];
      await second.run(async (key) => void seen.push(key));
      // A process that was killed between its claim and its add leaves this state.
      const nowMs = String(clock.now());
      await server.command(
        'ZADD',
        `${prefix}:claimed`,
        nowMs,
        `k${Buffer.from('a').toString('base64url')} v1`,
      );
      second.add('a', 'v1');
      await pause(500);
      expect(seen).toEqual([]);
      await until(() => seen.length === 1, 6_000);
      await pause(200);
      expect(seen).toEqual(['a']);
    },
  );

  it.concurrent('are enqueued once each after Redis was emptied', async (test) => {
    const own = await createRedisServer(redis.path ?? '', { durable: false });
    test.onTestFinished(() => own.close());
    await own.start();
    const { queues } = await replicas(test, 2, { of: own });
    const keys = Array.from({ length: 20 }, (_, i) => `object-${i}`);
    const seen: string[] = [];
    for (const queue of queues)
      await queue.run(
        async (key) => void seen.push(key),
        (change) => {
          for (const key of keys) queue.add(key, change);
        },
      );
    queues[0]?.addAfter('delayed', 60_000);
    queues[0]?.add('first');
    await until(() => seen.length === 1);
    await pause(1_200);
    await own.command('FLUSHALL');
    await until(() => seen.length >= 21, 5_000);
    await pause(300);
    expect(seen.slice(1).sort()).toEqual([...keys].sort());
  });

  it.concurrent.for(['SET', 'SADD'])(
    'are all enqueued again after another program has overwritten them by %s',
    async (command, test) => {
      const own = await createRedisServer(redis.path ?? '', { durable: false });
      test.onTestFinished(() => own.close());
      await own.start();
      const { queues, prefix } = await replicas(test, 2, { of: own });
      const keys = Array.from({ length: 20 }, (_, i) => `object-${i}`);
      const seen = new Set<string>();
      for (const queue of queues)
        await queue.run(
          async (key) => void seen.add(key),
          (change) => {
            for (const key of keys) queue.add(key, change);
          },
        );
      queues[0]?.addAfter('delayed', 60_000);
      queues[0]?.add('first');
      await until(() => seen.size === 1);
      await pause(1_200);
      const spoil = `for _, key in ipairs(redis.call('KEYS', ARGV[1])) do
        redis.call('DEL', key)
        redis.call('${command}', key, 'rubbish')
      end`;
      await own.command('EVAL', spoil, '0', `${prefix}:*`);
      await until(() => seen.size === 21, 10_000);
      expect([...seen].slice(1).sort()).toEqual([...keys].sort());
    },
  );

  it.concurrent('leave no entry in Redis once they are finished', async (test) => {
    const {
      queues: [queue],
      prefix,
    } = await replicas(test, 1, { concurrency: 20 });
    if (queue === undefined) expect.unreachable();
    let reconciles = 0;
    await queue.run(async (key) => {
      if (++reconciles % 3 === 0) queue.addAfter(key, 1);
    });
    for (let i = 0; i < 300; i++) queue.add(`object-${i}`, 'version 1');
    await until(() => reconciles >= 300 && queue.stats().active === 0);
    const keys = () => server.command('KEYS', `${prefix}:*`);
    while (/object|:de:|:dn:|:now:\d|:lock|timer/.test(await keys())) await pause(100);
    expect(await keys()).toContain('covered');
    const leftMs = Number((await server.command('PTTL', `${prefix}:covered`)).slice(1));
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(15_000);
  });

  it('leave the memory of Redis constant over many reconciles', { timeout: 2_000_000 }, async (test) => {
    const reconcilesWanted = LONG ? 1_000_000 : 4_000;
    const { queues } = await replicas(test, 2, { concurrency: 50 });
    const samples: number[] = [];
    let reconciles = 0;
    for (const queue of queues)
      await queue.run(async (key) => {
        reconciles++;
        if (reconciles < reconcilesWanted) queue.add(key);
      });
    const used = async (): Promise<number> =>
      Number(/used_memory_dataset:(\d+)/.exec(await server.command('INFO', 'memory'))?.[1]);
    for (let i = 0; i < 100; i++) queues[0]?.add(`object-${i}`);
    for (let share = 1; share <= 4; share++) {
      await until(() => reconciles >= (share * reconcilesWanted) / 4, 1_000_000);
      samples.push(await used());
    }
    console.info(`bytes of data in redis over ${reconciles} reconciles: ${samples.join(', ')}`);
    const [early = 0] = samples;
    expect(Math.max(...samples)).toBeLessThan(early + 500_000);
  });
});
