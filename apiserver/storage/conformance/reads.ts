import { expect, it } from 'vitest';
import type { Change } from '../storage.ts';
import { bytes, type Fresh, keysOf } from './store.ts';

/** Defines the tests of reads. */
export function describeReads(fresh: Fresh): void {
  it('lists the keys with the prefix in byte order', async () => {
    const storage = await fresh();
    const keys = ['/a/\u{1f600}', '/a/\uffee', '/a/é', '/a/b/c', '/a/b-c', '/a/B', '/a/__proto__'];
    for (const key of ['/', '/a', '/a0', '/ab/x', ...keys]) await storage.put(key, bytes('v'), 'absent');
    const { items } = await storage.list('/a/');
    expect(keysOf(items)).toEqual(
      [...keys].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))),
    );
    expect(keysOf((await storage.list('/none/')).items)).toEqual([]);
  });

  it('returns all pages of a list at one revision while keys are written', async () => {
    const storage = await fresh();
    for (let i = 0; i < 10; i++) await storage.put(`/a/${i}`, bytes(`v${i}`), 'absent');
    const first = await storage.list('/a/', { limit: 4 });
    expect(first).toMatchObject({ revision: 10, remaining: 6 });
    await storage.delete('/a/5', 6);
    await storage.put('/a/55', bytes('new'), 'absent');
    await storage.put('/a/7', bytes('changed'), 8);
    await storage.delete('/a/1', 2);
    const rest = await storage.list('/a/', { limit: 100, after: '/a/3', revision: first.revision });
    expect(rest).toMatchObject({ revision: 10, remaining: 0 });
    expect([...first.items, ...rest.items].map(({ value }) => value.toString())).toEqual(
      Array.from({ length: 10 }, (_, i) => `${i + 1}|v${i}`),
    );
    expect(keysOf((await storage.list('/a/')).items)).toEqual(
      ['0', '2', '3', '4', '55', '6', '7', '8', '9'].map((name) => `/a/${name}`),
    );
  });

  it('rejects a list at a future revision', async () => {
    const storage = await fresh();
    await storage.put('/a/x', bytes('one'), 'absent');
    await expect(storage.list('/a/', { revision: 2 })).rejects.toMatchObject({ code: 'ERR_FUTURE_REVISION' });
  });
}

/** Defines the tests of compaction. */
export function describeCompaction(fresh: Fresh): void {
  it('removes history but no current value by compaction', async () => {
    const storage = await fresh();
    await storage.put('/a/x', bytes('1'), 'absent');
    await storage.put('/a/y', bytes('2'), 'absent');
    await storage.put('/a/x', bytes('3'), 1);
    await storage.delete('/a/y', 2);
    await storage.put('/a/z', bytes('5'), 'absent');
    await storage.compact(3);
    expect(storage.compacted()).toBe(3);
    const observer = { onChange: () => {}, onEnd: () => {} };
    await expect(storage.list('/a/', { revision: 2 })).rejects.toMatchObject({ code: 'ERR_COMPACTED' });
    await expect(storage.watch('/a/', 2, observer)).rejects.toMatchObject({ code: 'ERR_COMPACTED' });
    expect(keysOf((await storage.list('/a/', { revision: 3 })).items)).toEqual(['/a/x', '/a/y']);
    const changes: Change[] = [];
    await storage.watch('/a/', 3, { onChange: (change) => void changes.push(change), onEnd: () => {} });
    expect(changes.map(({ revision }) => revision)).toEqual([4, 5]);
    await storage.compact(5);
    expect((await storage.list('/a/')).items.map(({ value }) => value.toString())).toEqual(['3|3', '5|5']);
    await expect(storage.compact(6)).rejects.toMatchObject({ code: 'ERR_FUTURE_REVISION' });
  });

  it('compacts history beyond its limit automatically, without affecting a running watch', async () => {
    const storage = await fresh({ historyLimit: 3 });
    const changes: Change[] = [];
    await storage.watch('/a/', 0, { onChange: (change) => void changes.push(change), onEnd: () => {} });
    for (let i = 0; i < 10; i++) await storage.put(`/a/${i}`, bytes('v'), 'absent');
    expect(storage.compacted()).toBe(7);
    expect(changes).toHaveLength(10);
    expect((await storage.list('/a/')).items).toHaveLength(10);
  });
}
