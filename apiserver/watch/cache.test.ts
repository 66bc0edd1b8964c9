import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isGone } from '../../api/status/api-error.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createMemoryStorage } from '../storage/memory.ts';
import { stampResourceVersion } from '../storage/stamp.ts';
import type { ChangeObserver, Storage } from '../storage/storage.ts';
import { StorageError } from '../storage/storage.ts';
import { createWatchCache } from './cache.ts';
import type { RingLimits } from './ring.ts';
import type { CacheChange, Watcher } from './watch-cache.ts';

const inList = (value: Buffer) => [value];
const PREFIX = '/pods/';

const pod = (name: string, labels: object = {}): Buffer =>
  Buffer.from(JSON.stringify({ kind: 'Pod', apiVersion: 'v1', metadata: { name, labels } }));

/** A cache over a memory store; `write` creates or replaces. */
async function setUp(limits: RingLimits = {}) {
  const clock = createSimulatedClock();
  const storage = createMemoryStorage({ stamp: stampResourceVersion });
  const cache = createWatchCache({ storage, prefix: PREFIX, clock, log: silentLogger, inList, ...limits });
  const write = async (key: string, labels: object = {}, on: Storage = storage): Promise<number> => {
    const current = await on.get(key);
    return (await on.put(key, pod(key, labels), current?.revision ?? 'absent')).revision;
  };
  const remove = async (key: string): Promise<number> =>
    (await storage.delete(key, (await storage.get(key))?.revision ?? 0)).revision;
  return { clock, storage, cache, write, remove };
}

interface Probe {
  room: boolean;
  readonly changes: CacheChange[];
  readonly ends: Error[];
  resume: () => void;
  seen(): readonly string[];
  readonly watcher: Watcher;
}

/** A watcher that accepts changes until `room` is false. */
function createProbe(): Probe {
  const probe: Probe = {
    room: true,
    changes: [],
    ends: [],
    resume: () => {},
    seen: () => probe.changes.map(({ type, revision, entry }) => `${revision} ${type} ${entry.key}`),
    watcher: {
      deliver(change) {
        probe.changes.push(change);
        return probe.room;
      },
      onReady: (resume) => void (probe.resume = resume),
      onEnd: (error) => void probe.ends.push(error),
    },
  };
  return probe;
}

describe('reads of the watch cache', () => {
  it('return the state at the start and every change since, at once', async () => {
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

  it('share one frozen array until something under the prefix changes', async () => {
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

  it('return the initial objects of the store, if it has them', async () => {
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

  it('join the values of a list in chunks, again only after a change under the prefix', async () => {
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

  it('are waited for if they are in the future, whichever resource reaches them', async () => {
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

  it('are not waited for after the stop', async () => {
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

  it('receive a change once if they subscribe during its delivery, and not at all after they unsubscribed', async () => {
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

  it('that throw do not keep others from being notified', async () => {
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

describe('watchers of the watch cache', () => {
  it('receive the changes in the window after their revision, then each new one', async () => {
    const { cache, write, remove } = await setUp();
    await cache.start();
    await write('/pods/a/x');
    await write('/pods/b/x');
    await write('/pods/a/x');
    const probe = createProbe();
    const cancel = cache.watch('/pods/a/', 1, probe.watcher);
    expect(probe.seen()).toEqual(['3 MODIFIED /pods/a/x']);
    await write('/pods/b/y');
    await remove('/pods/a/x');
    cancel();
    await write('/pods/a/x');
    expect(probe.seen()).toEqual(['3 MODIFIED /pods/a/x', '5 DELETED /pods/a/x']);
    expect(probe.ends).toEqual([]);
  });

  it('share one frame of a change', async () => {
    const { cache, write, remove } = await setUp();
    await cache.start();
    const [one, other] = [createProbe(), createProbe()];
    const frames: Buffer[] = [];
    for (const probe of [one, other])
      cache.watch(PREFIX, 0, {
        ...probe.watcher,
        deliver: (change) => frames.push(change.frame(change.type)) > 0,
      });
    await write('/pods/a/x');
    expect(frames[0]).toBe(frames[1]);
    await remove('/pods/a/x');
    expect(frames.map((frame) => frame.toString().slice(0, 90))).toEqual(
      ['ADDED', 'ADDED', 'DELETED', 'DELETED'].map((type) =>
        `{"type":"${type}","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"${type === 'ADDED' ? 1 : 2}","name":"/pods/a/x","labels":{}}}}\n`.slice(
          0,
          90,
        ),
      ),
    );
    expect(frames.every((frame) => frame.at(-1) === 0x0a)).toBe(true);
  });

  it('without room are skipped, and continue at the same place once they have room', async () => {
    const { cache, write } = await setUp();
    await cache.start();
    const [slow, quick] = [createProbe(), createProbe()];
    cache.watch(PREFIX, 0, slow.watcher);
    cache.watch(PREFIX, 0, quick.watcher);
    slow.room = false;
    for (const name of ['a', 'b', 'c']) await write(`/pods/a/${name}`);
    expect([slow.changes.length, quick.changes.length]).toEqual([1, 3]);
    slow.room = true;
    slow.resume();
    expect(slow.seen()).toEqual(quick.seen());
    await write('/pods/a/d');
    expect(slow.seen()).toEqual(quick.seen());
  });

  it('that resume during a delivery lose nothing and receive nothing twice', async () => {
    const { cache, write } = await setUp();
    await cache.start();
    const probe = createProbe();
    cache.watch(PREFIX, 0, {
      ...probe.watcher,
      deliver(change) {
        probe.watcher.deliver(change);
        probe.resume();
        return false;
      },
    });
    for (const name of ['a', 'b', 'c']) await write(`/pods/a/${name}`);
    expect(probe.changes.map(({ revision }) => revision)).toEqual([1, 2, 3]);
  });

  it('get 410 if they start before the window or fall out of it', async () => {
    const { cache, write } = await setUp({ windowSize: 3 });
    await cache.start();
    const slow = createProbe();
    cache.watch(PREFIX, 0, slow.watcher);
    slow.room = false;
    for (let i = 0; i < 4; i++) await write(`/pods/a/${i}`);
    expect(slow.ends).toEqual([]);
    await write('/pods/a/5');
    expect(slow.ends).toHaveLength(1);
    expect(isGone(slow.ends[0])).toBe(true);
    expect(slow.ends[0]?.message).toBe('too old resource version: 1 (2)');
    expect(cache.oldest).toBe(2);
    expect(() => cache.watch(PREFIX, 1, createProbe().watcher)).toThrow('too old resource version: 1 (2)');
    const resumed = createProbe();
    cache.watch(PREFIX, 2, resumed.watcher);
    expect(resumed.changes.map(({ revision }) => revision)).toEqual([3, 4, 5]);
    slow.resume();
    expect(slow.changes).toHaveLength(1);
  });

  it('find any of the newest 100 changes at any age, older ones within the window', async () => {
    const { cache, write, clock } = await setUp({ windowMs: 60_000 });
    await cache.start();
    for (let i = 0; i < 150; i++) await write(`/pods/a/${i}`);
    expect(cache.oldest).toBe(0);
    await clock.advance(60_001);
    await write('/pods/a/new');
    expect(cache.oldest).toBe(51);
  });

  it('that throw are ended without affecting others', async () => {
    const { cache, write } = await setUp();
    await cache.start();
    const [broken, sound] = [createProbe(), createProbe()];
    cache.watch(PREFIX, 0, {
      ...broken.watcher,
      deliver() {
        throw new Error('broken watcher');
      },
    });
    cache.watch(PREFIX, 0, sound.watcher);
    await write('/pods/a/x');
    await write('/pods/a/y');
    expect(broken.ends.map(({ message }) => message)).toEqual(['broken watcher']);
    expect(sound.changes).toHaveLength(2);
  });

  it('are ended by the stop', async () => {
    const { cache } = await setUp();
    await cache.start();
    const probe = createProbe();
    cache.watch(PREFIX, 0, probe.watcher);
    await cache.stop();
    expect(probe.ends).toMatchObject([{ code: 'ERR_CLOSED' }]);
    const late = createProbe();
    cache.watch(PREFIX, 0, late.watcher);
    expect(late.ends).toMatchObject([{ code: 'ERR_CLOSED' }]);
  });

  it('receive every change once and in order at any pace, or 410', async () => {
    const step = fc.oneof(
      fc.record({ what: fc.constant('write' as const), key: fc.constantFrom('a/x', 'a/y', 'b/x') }),
      fc.record({ what: fc.constant('room' as const), room: fc.boolean() }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 1, max: 8 }),
        async (steps, size) => {
          const { cache, write } = await setUp({ windowSize: size });
          await cache.start();
          const probe = createProbe();
          const wanted: number[] = [];
          cache.watch('/pods/a/', 0, probe.watcher);
          for (const each of steps)
            if (each.what === 'write') {
              const revision = await write(`/pods/${each.key}`);
              if (each.key.startsWith('a/')) wanted.push(revision);
            } else {
              probe.room = each.room;
              if (each.room) probe.resume();
            }
          probe.room = true;
          probe.resume();
          const seen = probe.changes.map(({ revision }) => revision);
          expect(seen).toEqual(probe.ends.length === 0 ? wanted : wanted.slice(0, seen.length));
          await cache.stop();
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe("a watch cache whose store's stream breaks", () => {
  /** A store whose streams can be ended. */
  const breakable = (storage: Storage) => {
    const observers: ChangeObserver[] = [];
    const cancels: (() => void)[] = [];
    const broken: Storage = {
      ...storage,
      async watch(prefix, after, observer) {
        const subscription = await storage.watch(prefix, after, observer);
        observers.push(observer);
        cancels.push(subscription.cancel);
        return subscription;
      },
    };
    const breakStream = (): void => {
      cancels.at(-1)?.();
      observers.at(-1)?.onEnd(new StorageError('ERR_STORAGE_UNAVAILABLE', 'the stream broke'));
    };
    return { broken, breakStream };
  };

  it('resumes where it stopped, without its watchers noticing', async () => {
    const { clock, storage, write } = await setUp();
    const { broken, breakStream } = breakable(storage);
    const cache = createWatchCache({ storage: broken, prefix: PREFIX, clock, log: silentLogger, inList });
    await cache.start();
    const probe = createProbe();
    cache.watch(PREFIX, 0, probe.watcher);
    await write('/pods/a/x');
    breakStream();
    await write('/pods/a/y');
    expect(cache.revision).toBe(1);
    await clock.advance(200);
    expect(probe.changes.map(({ revision }) => revision)).toEqual([1, 2]);
    expect(probe.ends).toEqual([]);
  });

  it('re-reads the store after a compaction: subscribers receive the difference, watchers 410', async () => {
    const { clock, storage, write, remove } = await setUp();
    const { broken, breakStream } = breakable(storage);
    const cache = createWatchCache({ storage: broken, prefix: PREFIX, clock, log: silentLogger, inList });
    for (const name of ['x', 'y', 'z']) await write(`/pods/a/${name}`);
    await cache.start();
    const probe = createProbe();
    cache.watch(PREFIX, 3, probe.watcher);
    const notified: string[] = [];
    cache.subscribe({ onChange: ({ type, entry }) => void notified.push(`${type} ${entry.key}`) });
    breakStream();
    await write('/pods/a/x');
    await remove('/pods/a/y');
    await write('/pods/a/new');
    await storage.compact(6);
    await clock.advance(200);
    expect(notified.slice(3)).toEqual(['ADDED /pods/a/new', 'MODIFIED /pods/a/x', 'DELETED /pods/a/y']);
    expect(probe.ends.map(({ message }) => message)).toEqual(['too old resource version: 3 (6)']);
    expect(cache.list(PREFIX).map(({ key }) => key)).toEqual(['/pods/a/new', '/pods/a/x', '/pods/a/z']);
    expect(cache.oldest).toBe(6);
  });

  it('re-reads the store after it was restored from a copy, even if all revisions exist there', async () => {
    const { clock, storage, write } = await setUp();
    const copy = createMemoryStorage({ stamp: stampResourceVersion });
    for (const name of ['same', 'other']) await write(`/pods/a/${name}`, {}, copy);
    for (const name of ['same', 'other', 'lost'])
      await write(`/pods/a/${name}`, name === 'other' ? { of: 'lost' } : {});
    let [present, end] = [storage, (_error: StorageError): void => {}];
    const restored: Storage = {
      ...storage,
      list: (prefix, options) => present.list(prefix, options),
      watch(prefix, after, observer) {
        end = (error) => observer.onEnd(error);
        return present.watch(prefix, after, observer);
      },
    };
    const cache = createWatchCache({ storage: restored, prefix: PREFIX, clock, log: silentLogger, inList });
    await cache.start();
    const probe = createProbe();
    cache.watch(PREFIX, 3, probe.watcher);
    const notified: string[] = [];
    cache.subscribe({ onChange: ({ type, entry }) => void notified.push(`${type} ${entry.key}`) });
    present = copy;
    end(new StorageError('ERR_OTHER_HISTORY', 'put back'));
    await clock.advance(200);
    expect(notified.slice(3)).toEqual(['MODIFIED /pods/a/other', 'DELETED /pods/a/lost']);
    expect(probe.ends).toHaveLength(1);
    expect(probe.ends.every(isGone)).toBe(true);
    expect([cache.revision, cache.oldest]).toEqual([2, 2]);
    await write('/pods/a/new', {}, copy);
    expect(cache.list(PREFIX).map(({ key }) => key)).toEqual([
      '/pods/a/new',
      '/pods/a/other',
      '/pods/a/same',
    ]);
  });
});
