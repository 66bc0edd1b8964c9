import { type TestContext, afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LONG } from '../../test/long.ts';
import { environment, pause, until } from '../../test/real-time.ts';
import { createRedisServer, type RedisServer } from '../../test/redis-server.ts';
import { service } from '../../test/services.ts';
import { createBullmqQueues } from './bullmq-queue.ts';
import type { WorkQueue } from './work-queue.ts';

const redis = service('redis-server', 'keys shared over redis');
const { clock } = environment;

describe.skipIf(redis.missing)('keys shared over redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await createRedisServer(redis.path ?? '', { durable: false });
    await server.start();
  });
  afterAll(() => server.close());

  /** The queues of so many processes, below a prefix of the test's own. */
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
    'a change that %i processes see costs one pass',
    async (count, test) => {
      const { queues } = await replicas(test, count);
      const passes: string[] = [];
      for (const queue of queues)
        await queue.run(async (key) => {
          passes.push(key);
          await pause(5);
        });
      queues[0]?.add('warm');
      await until(() => passes.length === 1);
      const changes = Array.from({ length: LONG ? 1_000 : 100 }, async (_, i) => {
        await pause(i * 5);
        // Watches of different processes are some milliseconds apart.
        for (const queue of queues) {
          queue.add(`object-${i}`, 'version 1');
          await pause(environment.random.int(4));
        }
      });
      await Promise.all(changes);
      // Those that another process had claimed are asked about after 2 s.
      await pause(2_500);
      expect(new Set(passes).size).toBe(1 + changes.length);
      expect(passes.length / changes.length).toBeLessThan(1.05);
    },
  );

  it.concurrent('a pass of a process that has not seen the change yet does not cover it', async (test) => {
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
  });

  it.concurrent(
    'of two passes that saw what the other had not, the process of the later one sees to the rest',
    async (test) => {
      const covered: string[] = [];
      const {
        queues: [first, second],
      } = await replicas(test, 2, { concurrency: 1, onCovered: (key) => covered.push(key) });
      if (first === undefined || second === undefined) expect.unreachable();
      const passes: string[] = [];
      let release = (): void => {};
      await first.run(async (key) => {
        if (key === 'busy') await new Promise<void>((resolve) => (release = resolve));
        passes.push(`first ${key}`);
      });
      test.onTestFinished(() => release());
      first.add('a', 'job 1');
      await until(() => passes.length === 1);
      first.add('busy');
      await until(async () => (await first.stats()).active === 1);
      const seen = new Set(['pod 1']);
      await second.run(async (key) => void passes.push(`second ${key} ${[...seen].join()}`));
      second.add('a', 'pod 1');
      await until(() => passes.length === 2);
      // Its watch of jobs was behind.
      seen.add('job 1');
      second.add('a', 'job 1');
      await until(() => passes.length === 3, 1_500);
      // The earlier of the two leaves it at what the later ones saw.
      first.add('a', 'pod 1');
      await until(() => covered.length > 0);
      expect(passes).toEqual(['first a', 'second a pod 1', 'second a pod 1,job 1']);
    },
  );

  it.concurrent('a process hears that what it has seen was covered by a pass of another', async (test) => {
    const covered: string[] = [];
    const {
      queues: [first, second],
    } = await replicas(test, 2, { onCovered: (key) => covered.push(key) });
    const passes: string[] = [];
    await first?.run(async (key) => void passes.push(key));
    first?.add('a', 'v1');
    await until(() => passes.length === 1);
    await second?.run(async (key) => void passes.push(key));
    second?.add('a', 'v1');
    await until(() => covered.length > 0);
    expect([passes, covered]).toEqual([['a'], ['a']]);
    // Once more, as from a watch that begins anew.
    first?.add('a', 'v1');
    await until(() => covered.length > 1);
    expect([passes, covered]).toEqual([['a'], ['a', 'a']]);
  });

  it.concurrent(
    'what a process finds when it begins is brought up, though a pass before that has covered it',
    async (test) => {
      const {
        queues: [first, second],
      } = await replicas(test, 2);
      const passes: string[] = [];
      await first?.run(async (key) => void passes.push(`first ${key}`));
      first?.add('owner', 'v1');
      await until(() => passes.length === 1);
      await first?.stop();
      // What the owner waits for goes while nobody looks: no change tells the second of it.
      second?.add('owner', 'v1');
      await second?.run(async (key) => void passes.push(`second ${key}`));
      await until(() => passes.length === 2, 1_000);
      expect(passes).toEqual(['first owner', 'second owner']);
    },
  );

  it.concurrent('processes that take turns leave nothing to what one before has covered', async (test) => {
    const {
      queues: [first, second],
    } = await replicas(test, 2, { alone: true });
    const passes: string[] = [];
    await first?.run(async (key) => void passes.push(`first ${key}`));
    first?.add('owner', 'v1');
    await until(() => passes.length === 1);
    await first?.stop();
    // Of a kind that was found when it ran already.
    await second?.run(async (key) => void passes.push(`second ${key}`));
    second?.add('owner', 'v1');
    await until(() => passes.length === 2, 1_000);
    expect(passes).toEqual(['first owner', 'second owner']);
  });

  it.concurrent('a change that comes again while its pass runs is told to be covered by it', async (test) => {
    const covered: string[] = [];
    const {
      queues: [queue],
    } = await replicas(test, 1, { onCovered: (key) => covered.push(key) });
    let end = (): void => {};
    let passes = 0;
    await queue?.run(async () => {
      passes++;
      await new Promise<void>((resolve) => (end = resolve));
    });
    queue?.add('a', 'v1');
    await until(() => passes === 1);
    queue?.add('a', 'v1');
    expect(covered).toEqual([]);
    end();
    await until(() => covered.length > 0);
    expect([passes, covered]).toEqual([1, ['a']]);
  });

  // The add of the second may be on its way when the pass begins: then one more follows, that nothing is left for.
  it.concurrent(
    'of changes that come one after the other it is told that one pass covered them',
    async (test) => {
      const covered: string[] = [];
      const {
        queues: [queue],
      } = await replicas(test, 1, { onCovered: (key) => covered.push(key) });
      let passes = 0;
      await queue?.run(async () => void passes++);
      queue?.add('a', 'v1');
      queue?.add('a', 'v2');
      await until(() => covered.length > 0);
      expect(covered).toEqual(['a']);
      expect(passes).toBeGreaterThan(0);
    },
  );

  it.concurrent(
    'a change is enqueued by another process when the one that claimed it has died',
    async (test) => {
      const {
        queues: [first, second],
        prefix,
      } = await replicas(test, 2);
      if (first === undefined || second === undefined) expect.unreachable();
      const seen: string[] = [];
      await second.run(async (key) => void seen.push(key));
      // What a process leaves that was killed between its claim and its add.
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

  it.concurrent(
    'everything is brought up again after redis was emptied, by one process for each key',
    async (test) => {
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
    },
  );

  it.concurrent.for(['SET', 'SADD'])(
    'everything is brought up again after another program has written to all keys by %s',
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

  it.concurrent('keys that are done leave nothing behind', async (test) => {
    const {
      queues: [queue],
      prefix,
    } = await replicas(test, 1, { concurrency: 20 });
    if (queue === undefined) expect.unreachable();
    let passes = 0;
    await queue.run(async (key) => {
      if (++passes % 3 === 0) queue.addAfter(key, 1);
    });
    for (let i = 0; i < 300; i++) queue.add(`object-${i}`, 'version 1');
    await until(() => passes >= 300 && queue.stats().active === 0);
    const keys = () => server.command('KEYS', `${prefix}:*`);
    while (/object|:de:|:dn:|:now:\d|:lock|timer/.test(await keys())) await pause(100);
    expect(await keys()).toContain('covered');
    const leftMs = Number((await server.command('PTTL', `${prefix}:covered`)).slice(1));
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(15_000);
  });

  it('memory of redis stays flat over many passes', { timeout: 2_000_000 }, async (test) => {
    const passesWanted = LONG ? 1_000_000 : 4_000;
    const { queues } = await replicas(test, 2, { concurrency: 50 });
    const samples: number[] = [];
    let passes = 0;
    for (const queue of queues)
      await queue.run(async (key) => {
        passes++;
        if (passes < passesWanted) queue.add(key);
      });
    const used = async (): Promise<number> =>
      Number(/used_memory_dataset:(\d+)/.exec(await server.command('INFO', 'memory'))?.[1]);
    for (let i = 0; i < 100; i++) queues[0]?.add(`object-${i}`);
    for (let share = 1; share <= 4; share++) {
      await until(() => passes >= (share * passesWanted) / 4, 1_000_000);
      samples.push(await used());
    }
    console.info(`bytes of data in redis over ${passes} passes: ${samples.join(', ')}`);
    const [early = 0] = samples;
    expect(Math.max(...samples)).toBeLessThan(early + 500_000);
  });
});
