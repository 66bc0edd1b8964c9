import { describe, expect, it } from 'vitest';
import { isGone } from '../../api/status/api-error.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createMemoryStorage } from '../storage/memory.ts';
import { stampResourceVersion } from '../storage/stamp.ts';
import type { ChangeObserver, Storage } from '../storage/storage.ts';
import { StorageError } from '../storage/storage.ts';
import { createWatchCache } from './cache.ts';
import { createProbe, inList, PREFIX, setUp } from './cache.fixture.ts';

describe("a watch cache whose store's stream breaks", () => {
  /** Creates a store whose streams can be ended. */
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

  it('resumes where the stream ended, without any effect on its watchers', async () => {
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

  it('re-reads the store after a compaction: subscribers receive the difference, watchers a 410', async () => {
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

  it('re-reads the store after a restore from a backup, even if all revisions exist there', async () => {
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
