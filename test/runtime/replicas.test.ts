import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type WorkQueueFactory, createBullmqQueues } from '../../runtime/index.ts';
import { LONG } from '../long.ts';
import { environment, pause } from '../real-time.ts';
import { type RedisServer, createRedisServer } from '../redis-server.ts';
import { service } from '../services.ts';
import { startReplica } from '../start-replica.ts';

/** Sizes of the test that kills replicas. */
const KILLED = LONG
  ? { keys: 20_000, replicas: 4, reconcileMs: 20, everyMs: 2_000 }
  : { keys: 200, replicas: 2, reconcileMs: 50, everyMs: 600 };
/**
 * Sizes of the throughput test. Short reconciles need an otherwise idle machine. `two` and `four` are the
 * minimum speedups of two and four replicas. They are lower if other tests run in parallel, because replicas
 * then wait for a core.
 */
const COUNTED = LONG
  ? { passes: 3_000, reconcileMs: 5, two: 1.9, four: 3.5 }
  : { passes: 40, reconcileMs: 40, two: 1.3, four: 1.7 };

const redis = service('redis-server', 'replicas over redis');
const { clock, random } = environment;

interface Line {
  readonly at: bigint;
  readonly pid: string;
  readonly what: string;
  readonly key: string;
}

describe.skipIf(redis.missing)('replicas over Redis', () => {
  let server: RedisServer;
  let folder: string;
  const children = new Set<ChildProcess>();
  const factories: WorkQueueFactory[] = [];
  beforeAll(async () => {
    server = await createRedisServer(redis.path ?? '', { durable: false });
    await server.start();
    folder = mkdtempSync(join(tmpdir(), 'replicas-'));
  });
  afterEach(async () => {
    await Promise.all([...children].map(kill));
    await Promise.all(factories.splice(0).map((factory) => factory.close()));
    await server.command('FLUSHALL');
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await server.close();
  });

  async function kill(child: ChildProcess): Promise<void> {
    children.delete(child);
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }

  async function start(concurrency: number, reconcileMs: number, log: string): Promise<ChildProcess> {
    const child = await startReplica({ redisUrl: server.url, concurrency, reconcileMs, log });
    children.add(child);
    return child;
  }

  async function add(keys: number, name = 'object'): Promise<void> {
    const factory = await createBullmqQueues({ ...environment, redisUrl: server.url });
    factories.push(factory);
    const queue = factory.create('test');
    for (let i = 0; i < keys; i++) queue.add(`${name}-${i}`);
  }

  const lines = (log: string): readonly Line[] =>
    readFileSync(log, { encoding: 'utf8', flag: 'a+' })
      .split('\n')
      .filter(Boolean)
      .map((line) => {
        const [at = '0', pid = '', what = '', key = ''] = line.split(' ');
        return { at: BigInt(at), pid, what, key };
      });
  const settled = (log: string): ReadonlySet<string> =>
    new Set(
      lines(log)
        .filter(({ what }) => what === 'effect')
        .map(({ key }) => key),
    );

  /** Waits until `keys` keys are settled. Polls rarely, because the log file is long. */
  async function untilSettled(log: string, keys: number, withinMs: number): Promise<void> {
    const startMs = clock.monotonic();
    while (settled(log).size < keys) {
      if (clock.monotonic() - startMs > withinMs)
        throw new Error(`${settled(log).size} of ${keys} keys were settled in ${withinMs} ms`);
      await pause(LONG ? 500 : 50);
    }
  }

  /** Returns the number of reconciles per second of all replicas while each replica had keys. */
  async function rate(replicas: readonly ChildProcess[], log: string): Promise<number> {
    const before = settled(log).size;
    const keys = COUNTED.passes * replicas.length;
    await add(keys, `round-${before}`);
    await untilSettled(log, before + keys, 600_000);
    const round = lines(log).filter(
      ({ what, key }) => what === 'effect' && key.startsWith(`round-${before}-`),
    );
    const own = [...groupByPid(round).values()];
    expect(own).toHaveLength(replicas.length);
    const begins = own.map((each) => each[0]?.at ?? 0n);
    const ends = own.map((each) => each.at(-1)?.at ?? 0n);
    const from = begins.reduce((a, b) => (a > b ? a : b));
    const to = ends.reduce((a, b) => (a < b ? a : b));
    const within = round.filter(({ at }) => at > from && at <= to).length;
    return within / (Number(to - from) / 1e9);
  }

  it(
    'complete more keys with two replicas than with one and with four than with two, nearly in proportion on an idle machine',
    { timeout: 900_000 },
    async () => {
      const log = join(folder, 'counted');
      const more = () => start(1, COUNTED.reconcileMs, log);
      const replicas = [await more()];
      const one = await rate(replicas, log);
      replicas.push(await more());
      const two = await rate(replicas, log);
      replicas.push(...(await Promise.all([more(), more()])));
      const four = await rate(replicas, log);
      console.info(
        `passes a second: ${one.toFixed(0)}, ${two.toFixed(0)} (${(two / one).toFixed(2)}), ${four.toFixed(0)} (${(four / one).toFixed(2)})`,
      );
      expect(two / one).toBeGreaterThanOrEqual(COUNTED.two);
      expect(four / one).toBeGreaterThanOrEqual(COUNTED.four);
    },
  );

  it(
    `settle ${KILLED.keys} keys although replicas are killed, and never reconcile a key concurrently`,
    { timeout: 900_000 },
    async () => {
      const log = join(folder, 'killed');
      const { keys, reconcileMs, everyMs } = KILLED;
      const replicas = await Promise.all(
        Array.from({ length: KILLED.replicas }, () => start(4, reconcileMs, log)),
      );
      const startMs = clock.monotonic();
      await add(keys);
      let kills = 0;
      let killing = true;
      const killer = (async () => {
        while (killing) {
          await pause(everyMs);
          const at = random.int(replicas.length);
          const victim = replicas[at];
          if (!killing || victim === undefined) return;
          await kill(victim);
          kills++;
          replicas[at] = await start(4, reconcileMs, log);
        }
      })();
      try {
        await untilSettled(log, keys, 600_000);
      } finally {
        killing = false;
        await killer;
      }
      const all = lines(log);
      console.info(
        `${keys} keys in ${((clock.monotonic() - startMs) / 1000).toFixed(1)} s, ${kills} kills, ${all.filter(({ what }) => what === 'begin').length} passes`,
      );
      expect(kills).toBeGreaterThan(0);
      expect(settled(log).size).toBe(keys);
      expect(overlaps(all)).toEqual([]);
      expect(longestGapMs(all)).toBeLessThan(2_500);
    },
  );
});

function groupByPid(all: readonly Line[]): Map<string, Line[]> {
  const groups = new Map<string, Line[]>();
  for (const line of all) groups.set(line.pid, [...(groups.get(line.pid) ?? []), line]);
  return groups;
}

/** Returns the reconciles that had an effect after another reconcile of their key had started. */
function overlaps(all: readonly Line[]): readonly string[] {
  const found: string[] = [];
  const holder = new Map<string, string>();
  for (const { pid, what, key } of all.toSorted((a, b) => (a.at < b.at ? -1 : 1))) {
    if (what === 'begin') holder.set(key, pid);
    else if (what === 'effect' && holder.get(key) !== pid) found.push(`${key} by ${pid}`);
  }
  return found;
}

/**
 * Returns the maximum time in milliseconds between the start of a killed reconcile and the start of the next
 * reconcile of the key.
 */
function longestGapMs(all: readonly Line[]): number {
  const open = new Map<string, bigint>();
  let longest = 0;
  for (const { what, key, at } of all.toSorted((a, b) => (a.at < b.at ? -1 : 1))) {
    const begun = open.get(key);
    if (what === 'begin' && begun !== undefined) longest = Math.max(longest, Number(at - begun) / 1e6);
    if (what === 'begin') open.set(key, at);
    else open.delete(key);
  }
  return longest;
}
