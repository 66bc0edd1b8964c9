import { expect, it } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { createMetrics } from '../../base/metrics/metrics.ts';
import { createTokenCacheMetrics, createTokenMemory } from './token-memory.ts';

function setUp(over: { maxEntries?: number; absentTtlMs?: number } = {}) {
  const clock = createSimulatedClock();
  const metrics = createMetrics();
  const memory = createTokenMemory<string>({
    clock,
    metrics: createTokenCacheMetrics(metrics, clock),
    ttlMs: 1_000,
    ...over,
  });
  const found: string[] = [];
  const recall = (key: string, result: string | undefined = `of ${key}`) =>
    memory.recall(key, async () => {
      found.push(key);
      return result;
    });
  const recallNothing = (key: string) =>
    memory.recall(key, async () => {
      found.push(key);
      return undefined;
    });
  return { clock, metrics, memory, found, recall, recallNothing };
}

it('token cache calls find once for concurrent callers, and keeps the result for its lifetime', async () => {
  const { recall, found, clock } = setUp();
  expect(await Promise.all([recall('a'), recall('a')])).toEqual(['of a', 'of a']);
  await clock.advance(999);
  expect(await recall('a')).toBe('of a');
  expect(found).toEqual(['a']);
  await clock.advance(1);
  await recall('a');
  expect(found).toEqual(['a', 'a']);
});

it('token cache stores an undefined result only if configured', async () => {
  const forgetful = setUp();
  await forgetful.recallNothing('a');
  await forgetful.recallNothing('a');
  expect(forgetful.found).toEqual(['a', 'a']);
  const mindful = setUp({ absentTtlMs: 500 });
  await mindful.recallNothing('a');
  await mindful.recallNothing('a');
  expect(mindful.found).toEqual(['a']);
  await mindful.clock.advance(500);
  await mindful.recallNothing('a');
  expect(mindful.found).toEqual(['a', 'a']);
});

it('token cache never stores a failure', async () => {
  const { memory, recall } = setUp();
  const fail = () => Promise.reject(new Error('no'));
  await expect(memory.recall('a', fail)).rejects.toThrow('no');
  expect(await recall('a')).toBe('of a');
});

it('token cache evicts the least recently used entry', async () => {
  const { recall, found } = setUp({ maxEntries: 2 });
  await recall('a');
  await recall('b');
  await recall('a');
  await recall('c');
  await recall('a');
  expect(found).toEqual(['a', 'b', 'c']);
  await recall('b');
  expect(found).toEqual(['a', 'b', 'c', 'b']);
});

it('token cache does not store a result that was pending when the cache was cleared', async () => {
  const { memory, recall, found } = setUp();
  const requested = recall('a');
  memory.clear();
  expect(await requested).toBe('of a');
  await recall('a');
  expect(found).toEqual(['a', 'a']);
});

it('token cache counts hits, misses and fetches', async () => {
  const { memory, recall, metrics } = setUp();
  await Promise.all([recall('a'), recall('a')]);
  await recall('a');
  await memory.recall('b', () => Promise.reject(new Error('no'))).catch(() => undefined);
  const { text } = await metrics.expose();
  const value = (name: string, status: string): number =>
    Number(
      new RegExp(`^authentication_token_cache_${name}\\{status="${status}"\\} (\\d+)$`, 'm').exec(text)?.[1],
    );
  expect(value('request_total', 'hit')).toBe(1);
  expect(value('request_total', 'miss')).toBe(3);
  expect(value('fetch_total', 'ok')).toBe(1);
  expect(value('fetch_total', 'error')).toBe(1);
  expect(value('active_fetch_count', 'in_flight')).toBe(0);
  expect(value('active_fetch_count', 'blocked')).toBe(0);
});
