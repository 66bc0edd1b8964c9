import { describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createMemoryStorage } from '../storage/memory.ts';
import { stampResourceVersion } from '../storage/stamp.ts';
import { createWatchCache } from './cache.ts';
import type { CacheChange } from './watch-cache.ts';
import { inList, pod, PREFIX, setUp } from './cache.fixture.ts';

describe('reads of the watch cache', () => {
  it('return the state at the start and immediately every later change', async () => {
    const { cache, write, remove } = await setUp();
    await write('/pods/a/x');
    await write('/jobs/a/x');
    await cache.start();
    expect(cache.list(PREFIX).map(({ key }) => key)).toEqual(['/pods/a/x']);
    await write('/pods/a/y');
    await write('/pods/b/x');
    await remove('/pods/a/x');
    expect(cache.list(PREFIX).map(({ key }) => key)).toEqual(['/pods/a/y', '/pods/b/x']);
    expect(cache.list('/pods/a/').map(({ key }) => key)).toEqual(['/pods/a/y']);
    expect(cache.get('/pods/a/y')).toMatchObject({ revision: 3 });
    expect(cache.get('/pods/a/x')).toBeUndefined();
    expect(cache.get('/jobs/a/x')).toBeUndefined();
  });

  it('share one frozen array until a key under the prefix changes', async () => {
    const { cache, write } = await setUp();
    await cache.start();
    await write('/pods/a/x');
    await write('/pods/b/x');
    const [all, inA, inB] = [cache.list(PREFIX), cache.list('/pods/a/'), cache.list('/pods/b/')];
    await write('/jobs/a/x');
    expect(cache.list(PREFIX)).toBe(all);
    await write('/pods/b/y');
    expect(cache.list(PREFIX)).not.toBe(all);
    expect(cache.list('/pods/a/')).toBe(inA);
    expect(cache.list('/pods/b/')).not.toBe(inB);
    expect(Object.isFrozen(all)).toBe(true);
    expect(all).toHaveLength(2);
  });

  it('return objects that are parsed once and deeply frozen', async () => {
    const { cache, write } = await setUp();
    await cache.start();
    await write('/pods/a/x', { deep: { deeper: ['v'] } });
    const entry = cache.get('/pods/a/x');
    expect(entry?.object.metadata).toMatchObject({
      resourceVersion: '1',
      labels: { deep: { deeper: ['v'] } },
    });
    expect(entry?.object).toBe(entry?.object);
    expect(() => Object.assign(entry?.object.metadata ?? {}, { name: 'changed' })).toThrow(TypeError);
    const labels = entry?.object.metadata?.labels as unknown as { deep: { deeper: string[] } };
    expect(() => labels.deep.deeper.push('w')).toThrow(TypeError);
  });

  it("return the store's initial objects if it has them", async () => {
    const clock = createSimulatedClock();
    const [key, value] = ['/pods/a/x', stampResourceVersion(pod('x'), 7)];
    const object = Object.freeze({ metadata: Object.freeze({ name: 'x', resourceVersion: '7' }) });
    const initial = { revision: 7, items: [{ key, value, revision: 7, object }] };
    const storage = createMemoryStorage({ stamp: stampResourceVersion, initial });
    const cache = createWatchCache({ storage, prefix: PREFIX, clock, log: silentLogger, inList });
    await cache.start();
    expect(cache.get(key)?.object).toBe(object);
    await storage.put(key, pod('x', { is: 'new' }), 7);
    expect(cache.get(key)?.object.metadata).toMatchObject({ labels: { is: 'new' }, resourceVersion: '8' });
  });

  it('join the values of a list in chunks, and again only after a change under the prefix', async () => {
    const { cache, write } = await setUp();
    await cache.start();
    const chunksNow = (): readonly Buffer[] => cache.chunksOf(cache.list(PREFIX));
    expect(chunksNow()).toEqual([]);
    for (let i = 0; i < 300; i++) await write(`/pods/a/${i}`, { padding: 'p'.repeat(2_500) });
    const chunks = chunksNow();
    expect(chunks.length).toBeGreaterThan(1);
    expect(JSON.parse(`[${Buffer.concat(chunks).toString()}]`)).toEqual(
      cache.list(PREFIX).map(({ object }) => object),
    );
    expect(chunksNow()).toBe(chunks);
    await write('/pods/b/x');
    expect(chunksNow()).not.toBe(chunks);
  });
});

describe('revisions of the watch cache', () => {
  it('advance when another resource changes', async () => {
    const { cache, write } = await setUp();
    await cache.start();
    await write('/pods/a/x');
    const revision = await write('/jobs/a/x');
    expect(cache.revision).toBe(revision);
    expect(await cache.reached(revision, 0)).toBe(true);
  });

  it('are waited for if they are in the future, even if another resource reaches them', async () => {
    const { cache, write, clock } = await setUp();
    await cache.start();
    expect(await cache.reached(1, 0)).toBe(false);
    const own = cache.reached(1, 3_000);
    await write('/pods/a/x');
    expect(await own).toBe(true);
    const other = cache.reached(2, 3_000);
    await write('/jobs/a/x');
    await clock.advance(200);
    expect(await other).toBe(true);
    const never = cache.reached(3, 3_000);
    await clock.advance(3_000);
    expect(await never).toBe(false);
    expect(clock.pending).toBe(0);
  });

  it('are not waited for after the cache was stopped', async () => {
    const { cache, clock } = await setUp();
    await cache.start();
    const waiting = cache.reached(1, 3_000);
    await clock.advance(1);
    await cache.stop();
    expect(await waiting).toBe(false);
    expect(clock.pending).toBe(0);
  });
});

describe('subscribers of the watch cache', () => {
  it('receive every entry and then each change', async () => {
    const { cache, write, remove } = await setUp();
    await write('/pods/a/x');
    await cache.start();
    const seen: string[] = [];
    const cancel = cache.subscribe({
      onChange: ({ type, revision, previous }) =>
        void seen.push(`${revision} ${type} ${previous?.revision ?? 'new'}`),
    });
    await write('/pods/a/x');
    await write('/pods/a/y');
    await remove('/pods/a/x');
    cancel();
    await write('/pods/a/z');
    expect(seen).toEqual(['1 ADDED new', '2 MODIFIED 1', '3 ADDED new', '4 DELETED 2']);
  });

  it('receive a change once if they subscribe during its delivery, and not after they have unsubscribed', async () => {
    const { cache, write } = await setUp();
    await cache.start();
    const seen: string[] = [];
    const recorder = (name: string) => ({
      onChange: ({ revision, type }: CacheChange) => void seen.push(`${name} ${revision} ${type}`),
    });
    let leave = (): void => {};
    cache.subscribe({
      onChange() {
        leave();
        if (seen.length === 0) cache.subscribe(recorder('late'));
      },
    });
    leave = cache.subscribe(recorder('gone'));
    await write('/pods/a/x');
    await write('/pods/a/x');
    expect(seen).toEqual(['late 1 ADDED', 'late 2 MODIFIED']);
  });

  it('are notified even if another subscriber throws', async () => {
    const { cache, write } = await setUp();
    await cache.start();
    cache.subscribe({
      onChange() {
        throw new Error('broken subscriber');
      },
    });
    const seen: number[] = [];
    cache.subscribe({ onChange: ({ revision }) => void seen.push(revision) });
    await write('/pods/a/x');
    expect(seen).toEqual([1]);
  });
});
