import { expect, it } from 'vitest';
import type { Change, Storage } from '../storage.ts';
import { bytes, type Fresh } from './store.ts';

/** Defines the tests of watches. */
export function describeWatch(fresh: Fresh): void {
  const seen = (changes: readonly Change[]): readonly string[] =>
    changes.map(({ type, key, revision }) => `${revision} ${type} ${key}`);
  const collect = async (storage: Storage, prefix: string, after: number, into: Change[]) =>
    storage.watch(prefix, after, { onChange: (change) => void into.push(change), onEnd: () => {} });

  it('delivers past and future changes of the watched prefix, each once and in order', async () => {
    const storage = await fresh();
    await storage.put('/a/x', bytes('1'), 'absent');
    await storage.put('/a/y', bytes('2'), 'absent');
    await storage.put('/ab/z', bytes('3'), 'absent');
    const changes: Change[] = [];
    const subscription = await collect(storage, '/a/', 1, changes);
    expect(seen(changes)).toEqual(['2 put /a/y']);
    await storage.put('/a/x', bytes('4'), 1);
    await storage.put('/ab/z', bytes('5'), 3);
    await storage.delete('/a/x', 4);
    expect(seen(changes)).toEqual(['2 put /a/y', '4 put /a/x', '6 delete /a/x']);
    expect(changes[1]?.previous?.value.toString()).toBe('1|1');
    expect(changes[2]?.value.toString()).toBe('6|4');
    subscription.cancel();
    await storage.put('/a/x', bytes('7'), 'absent');
    expect(changes).toHaveLength(3);
  });

  it('delivers the same changes to a watch from any revision as to a watch from the start', async () => {
    const storage = await fresh();
    const whole: Change[] = [];
    await collect(storage, '/a/', 0, whole);
    await Promise.all(
      Array.from({ length: 30 }, (_, i) => storage.put(`/a/${i % 7}-${i}`, bytes(`${i}`), 'absent')),
    );
    expect(whole.map(({ revision }) => revision)).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
    for (const after of [0, 1, 15, 29, 30]) {
      const resumed: Change[] = [];
      await collect(storage, '/a/', after, resumed);
      expect(seen(resumed)).toEqual(seen(whole.filter(({ revision }) => revision > after)));
    }
  });

  it('waits for the future revision that a watch names', async () => {
    const storage = await fresh();
    const changes: Change[] = [];
    await collect(storage, '/a/', 2, changes);
    for (const name of ['x', 'y', 'z']) await storage.put(`/a/${name}`, bytes('v'), 'absent');
    expect(seen(changes)).toEqual(['3 put /a/z']);
  });

  it('delivers changes in one order, even if a watcher reads and writes in its callback', async () => {
    const storage = await fresh();
    const one: Change[] = [];
    const other: Change[] = [];
    const reads: Promise<unknown>[] = [];
    await storage.watch('/a/', 0, {
      onChange(change) {
        one.push(change);
        reads.push(Promise.resolve(storage.get(change.key)));
        if (change.key === '/a/x') reads.push(storage.put('/a/y', bytes('nested'), 'absent'));
      },
      onEnd: () => {},
    });
    await collect(storage, '/a/', 0, other);
    await storage.put('/a/x', bytes('v'), 'absent');
    await Promise.all(reads);
    expect(await Promise.all(reads)).not.toContain(undefined);
    expect(seen(one)).toEqual(['1 put /a/x', '2 put /a/y']);
    expect(seen(other)).toEqual(seen(one));
  });

  it('ends a watch whose observer throws, without affecting the write or other observers', async () => {
    const storage = await fresh();
    const ends: unknown[] = [];
    await storage.watch('/a/', 0, {
      onChange() {
        throw new Error('broken observer');
      },
      onEnd: (error) => void ends.push(error.code),
    });
    const changes: Change[] = [];
    await collect(storage, '/a/', 0, changes);
    await storage.put('/a/x', bytes('v'), 'absent');
    await storage.put('/a/y', bytes('v'), 'absent');
    expect(changes).toHaveLength(2);
    expect(ends).toEqual(['ERR_STORAGE_UNAVAILABLE']);
  });

  it('advances the revision of a subscription when keys with another prefix change', async () => {
    const storage = await fresh();
    const subscription = await collect(storage, '/a/', 0, []);
    await storage.put('/b/x', bytes('v'), 'absent');
    await subscription.progress();
    expect(subscription.revision).toBe(1);
    subscription.cancel();
    await storage.put('/b/y', bytes('v'), 'absent');
    expect(subscription.revision).toBe(1);
  });

  it('ends every watch on close', async () => {
    const storage = await fresh();
    const ends: string[] = [];
    await storage.watch('/a/', 0, { onChange: () => {}, onEnd: (error) => void ends.push(error.code) });
    await storage.close();
    expect(ends).toEqual(['ERR_CLOSED']);
  });
}
