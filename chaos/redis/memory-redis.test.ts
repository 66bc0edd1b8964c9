import { beforeEach, describe, expect, it } from 'vitest';
import { createSimulatedClock, type SimulatedClock } from '../../base/clock/simulated.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import {
  type KeyChanges,
  type KeyTimers,
  type QueueServer,
  REMEMBERED_MS,
  TAKE_LEASE_MS,
} from '../../runtime/queue/index.ts';
import { loadBullmq } from './bullmq-scope.ts';
import type { Command, Send } from './command.ts';
import { createMemoryRedis, type MemoryRedis } from './memory-redis.ts';
import { createMemoryQueueServer } from './queue-server.ts';

let clock: SimulatedClock;
let redis: MemoryRedis;
let server: QueueServer;
let timers: KeyTimers;
let changes: KeyChanges;

beforeEach(() => {
  clock = createSimulatedClock(0);
  const random = createSeededRandom(1);
  redis = createMemoryRedis(clock, random);
  const send: Send = async (command, signal) => redis.execute(command, signal);
  server = createMemoryQueueServer({ bullmq: loadBullmq(clock, random), send, random });
  timers = server.timers('{p}');
  changes = server.changes('{p}');
});

const marked = (member: string): Command => ({
  name: 'pause',
  prefix: '{p}',
  args: [[`{p}:${member}:wait`, `{p}:${member}:paused`], 'resumed', '1'],
});
const put = (member: string): Command => ({
  name: 'addStandardJob',
  prefix: '{p}',
  args: [[`{p}:${member}:wait`], [`{p}:${member}:`, '', 'key', 0, null, null, null, null, null], '{}', {}],
});
const wait = (seconds: number, signal?: AbortSignal): Promise<unknown> =>
  redis.execute(
    { name: 'waitForJob', prefix: '{p}', args: ['{p}:now:marker', seconds] },
    signal,
  ) as Promise<unknown>;

/** Returns the state of a promise: its value, its error message, or `waits`. */
function outcome(promise: Promise<unknown>): { value: unknown } {
  const seen: { value: unknown } = { value: 'waits' };
  promise.then(
    (answer) => (seen.value = answer),
    (error: Error) => (seen.value = error.message),
  );
  return seen;
}

describe('a wait for a job', () => {
  it('ends when a job is added, only for the first waiter', async () => {
    const waits = [wait(0), wait(0), wait(0)].map(outcome);
    redis.execute(put('now'));
    await clock.advance(1_000_000);
    expect(waits.map(({ value }) => value)).toEqual([['{p}:now:marker', '0', '0'], 'waits', 'waits']);
    redis.execute(put('now'));
    await clock.advance(0);
    expect(waits.map(({ value }) => value).filter((value) => value === 'waits')).toHaveLength(1);
  });

  it('ends immediately if a job was added before, and ignores jobs of other queues', async () => {
    const first = outcome(wait(0));
    redis.execute(put('other'));
    await clock.advance(0);
    expect(first.value).toBe('waits');
    redis.execute(put('now'));
    redis.execute(put('now'));
    await clock.advance(0);
    expect(first.value).toEqual(['{p}:now:marker', '0', '0']);
    expect(await wait(0)).toEqual(['{p}:now:marker', '0', '0']);
  });

  it('times out to the millisecond and leaves no timer', async () => {
    const seen = outcome(wait(1.5));
    await clock.advance(1_499);
    expect(seen.value).toBe('waits');
    await clock.advance(1);
    expect([seen.value, clock.pending]).toEqual([null, 0]);
    redis.execute(put('now'));
    expect(await wait(5)).not.toBeNull();
    expect(clock.pending).toBe(0);
  });

  it('rejects on cancellation or restart and takes no marker afterwards', async () => {
    const given = new AbortController();
    const waits = [wait(5, given.signal), wait(5), wait(5, given.signal)].map(outcome);
    given.abort();
    await clock.advance(0);
    expect(waits.map(({ value }) => value)).toEqual([
      'Connection is closed.',
      'waits',
      'Connection is closed.',
    ]);
    redis.restart();
    await clock.advance(0);
    expect([waits[1]?.value, clock.pending]).toEqual(['Connection is closed.', 0]);
    redis.execute(put('now'));
    await expect(wait(5, given.signal)).rejects.toThrow('Connection is closed.');
    expect(await wait(5)).not.toBeNull();
  });

  it('ends when restored data contains the marker', async () => {
    redis.execute(put('now'));
    const before = redis.snapshot();
    redis.flush();
    const seen = outcome(wait(5));
    redis.restore(before);
    await clock.advance(0);
    expect(seen.value).toEqual(['{p}:now:marker', '0', '0']);
  });
});

describe('the data', () => {
  const hset = (key: string, fields: Record<string, string>) =>
    redis.execute({ name: 'hset', prefix: '{p}', args: [key, fields] });
  const hgetall = (key: string) => redis.execute({ name: 'hgetall', prefix: '{p}', args: [key] });

  it('can be restored to a snapshot any number of times', () => {
    hset('{p}:h', { a: '1' });
    const before = redis.snapshot();
    for (let i = 0; i < 2; i++) {
      hset('{p}:h', { a: '2', b: '2' });
      redis.execute(put('now'));
      redis.restore(before);
      expect(hgetall('{p}:h')).toEqual({ a: '1' });
      expect(redis.execute({ name: 'llen', prefix: '{p}', args: ['{p}:now:wait'] })).toBe(0);
    }
  });

  it("expires by the server's clock, after the last millisecond", async () => {
    redis.execute({ name: 'set', prefix: '{p}', args: ['{p}:k', 'v', { PX: 10 }] });
    const get = () => redis.execute({ name: 'get', prefix: '{p}', args: ['{p}:k'] });
    await clock.advance(10);
    expect(get()).toBe('v');
    await clock.advance(1);
    expect(get()).toBeNull();
  });

  it('is deleted by prefix without affecting others', async () => {
    hset('{p}:h', { a: '1' });
    hset('{p}more:h', { a: '1' });
    await server.clear('{p}');
    expect([hgetall('{p}:h'), hgetall('{p}more:h')]).toEqual([{}, { a: '1' }]);
  });

  it('rejects values of wrong types like Redis, individually within a pipeline', () => {
    hset('{p}:now:wait', { a: '1' });
    expect(() => redis.execute(put('now'))).toThrow(/^WRONGTYPE/);
    const both: Command = { name: 'pipeline', prefix: '{p}', args: [put('now'), put('fine')] };
    expect(redis.execute(both)).toEqual([
      [expect.stringMatching(/^WRONGTYPE/), null],
      [null, '1'],
    ]);
  });

  it('rejects unsupported commands', () => {
    const unknown = { name: 'addParentJob', prefix: '{p}', args: [[]] } as unknown as Command;
    expect(() => redis.execute(unknown)).toThrow(expect.objectContaining({ code: 'ERR_NOT_SERVED' }));
    expect(() => redis.execute({ name: 'pipeline', prefix: '{p}', args: [unknown] })).toThrow('addParentJob');
    expect(() => redis.execute(marked('now'))).not.toThrow();
  });
});

describe('timers', () => {
  it('are taken when due, at the earliest requested time', async () => {
    await timers.add([{ key: 'a', delayMs: 500, retries: 2 }]);
    await timers.add([{ key: 'a', delayMs: 900, retries: 0 }]);
    await timers.add([{ key: 'b', delayMs: 700.2, retries: 0 }]);
    expect(await timers.take(10)).toMatchObject({ due: [], nextMs: 500 });
    await clock.advance(500);
    expect(await timers.take(10)).toMatchObject({
      due: [{ key: 'a', retries: 2, isAgain: false }],
      nextMs: 201,
    });
  });

  it('are taken in order of due time, then by name', async () => {
    const due = ['b', 'c', 'a'].map((key) => ({ key, delayMs: 0, retries: 0 }));
    await timers.add([...due, { key: 'z', delayMs: -1, retries: 0 }]);
    const keys = async () => (await timers.take(2)).due.map(({ key }) => key);
    expect([await keys(), await keys()]).toEqual([
      ['z', 'a'],
      ['b', 'c'],
    ]);
  });

  it('are taken again after a while if they are not reported as done', async () => {
    await timers.add([{ key: 'a', delayMs: 0, retries: 1 }]);
    await timers.take(10);
    await clock.advance(TAKE_LEASE_MS - 1);
    expect((await timers.take(10)).due).toEqual([]);
    await clock.advance(1);
    expect((await timers.take(10)).due).toEqual([{ key: 'a', retries: 1, isAgain: true }]);
    await timers.done(['a']);
    await clock.advance(TAKE_LEASE_MS);
    expect(await timers.take(10)).toMatchObject({ due: [], nextMs: undefined });
  });

  it('change their generation only on restart and flush', async () => {
    const generation = async () => (await timers.take(1)).generation;
    const first = await generation();
    const before = redis.snapshot();
    redis.restore(before);
    expect(await generation()).toBe(first);
    redis.restart();
    const second = await generation();
    expect(second).not.toBe(first);
    redis.flush();
    expect(await generation()).not.toBe(second);
  });
});

describe('changes', () => {
  it('belong to the process that claims them first, until the claim expires or a later reconcile covers them', async () => {
    expect(await changes.offer(['x', 'y'])).toEqual(['yours', 'yours']);
    await clock.advance(1_999);
    expect(await changes.offer(['x', 'z'])).toEqual([{ ageMs: 1_999, covered: false }, 'yours']);
    await changes.covered(['y']);
    await clock.advance(1);
    expect(await changes.offer(['x', 'y'])).toEqual(['yours', { ageMs: 2_000, covered: true }]);
  });

  it('still belong to a process that claims them after they are covered', async () => {
    await changes.offer(['x']);
    await changes.covered(['x']);
    await clock.advance(5);
    await changes.claim(['x']);
    await clock.advance(7);
    expect(await changes.offer(['x'])).toEqual([{ ageMs: 7, covered: false }]);
  });

  it('are dropped after a while, whether or not further changes arrive', async () => {
    await changes.covered(['x']);
    await clock.advance(REMEMBERED_MS - 1);
    expect(await changes.offer(['x'])).toEqual([{ ageMs: REMEMBERED_MS, covered: true }]);
    await clock.advance(1);
    await changes.offer(['other']);
    expect(await changes.offer(['x'])).toEqual(['yours']);
    await clock.advance(REMEMBERED_MS + 1);
    expect(redis.execute({ name: 'zcard', prefix: '{p}', args: ['{p}:covered'] })).toBe(0);
  });
});
