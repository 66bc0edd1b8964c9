import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isGone } from '../../api/status/api-error.ts';
import { createProbe, PREFIX, setUp } from './cache.fixture.ts';

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

  it('share one frame of each change', async () => {
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

  it('are skipped while they have no room, and continue at the same change once they have room', async () => {
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

  it('receive 410 if they start before the window or fall behind it', async () => {
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

  it('receive any of the newest 100 changes at any age, and older changes within the window', async () => {
    const { cache, write, clock } = await setUp({ windowMs: 60_000 });
    await cache.start();
    for (let i = 0; i < 150; i++) await write(`/pods/a/${i}`);
    expect(cache.oldest).toBe(0);
    await clock.advance(60_001);
    await write('/pods/a/new');
    expect(cache.oldest).toBe(51);
  });

  it('are ended if they throw, without affecting other watchers', async () => {
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

  it('are ended when the cache is stopped', async () => {
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
