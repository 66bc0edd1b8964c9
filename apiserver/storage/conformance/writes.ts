import { expect, it } from 'vitest';
import type { Change } from '../storage.ts';
import { StorageConditionFailed, StorageConflict } from '../storage.ts';
import { bytes, type Fresh, keysOf } from './store.ts';

/** Defines the tests of puts and deletes. */
export function describeWrites(fresh: Fresh): void {
  it('assigns the next revision in a put, and stamps the value with it', async () => {
    const storage = await fresh();
    expect(await storage.put('/a/x', bytes('one'), 'absent')).toEqual({
      key: '/a/x',
      value: bytes('1|one'),
      revision: 1,
    });
    expect((await storage.put('/b/y', bytes('two'), 'absent')).revision).toBe(2);
    expect((await storage.put('/a/x', bytes('three'), 1)).revision).toBe(3);
    expect(await storage.get('/a/x')).toEqual({ key: '/a/x', value: bytes('3|three'), revision: 3 });
    expect(await storage.revision()).toBe(3);
  });

  it('stores the expiry time of a value, and does not delete the value itself', async () => {
    const storage = await fresh();
    await storage.put('/a/x', bytes('one'), 'absent', { expiresAtMs: 1 });
    expect((await storage.get('/a/x'))?.expiresAtMs).toBe(1);
    expect((await storage.list('/a/')).items[0]?.expiresAtMs).toBe(1);
    await storage.put('/a/x', bytes('two'), 1);
    expect(await storage.get('/a/x')).not.toHaveProperty('expiresAtMs');
  });

  it('rejects the write of a key that is not at the expected revision, with the current value', async () => {
    const storage = await fresh();
    await storage.put('/a/x', bytes('one'), 'absent');
    const conflicts = [
      storage.put('/a/x', bytes('two'), 'absent'),
      storage.put('/a/x', bytes('two'), 7),
      storage.delete('/a/x', 7),
    ].map((write: Promise<unknown>) => write.catch((thrown: unknown) => thrown));
    for (const thrown of await Promise.all(conflicts)) {
      expect(thrown).toBeInstanceOf(StorageConflict);
      expect(thrown).toMatchObject({ code: 'ERR_CONFLICT', current: { revision: 1, value: bytes('1|one') } });
    }
    await expect(storage.put('/a/none', bytes('two'), 1)).rejects.toMatchObject({ current: undefined });
    await expect(storage.delete('/a/none', 1)).rejects.toMatchObject({ current: undefined });
    expect(await storage.revision()).toBe(1);
  });

  it('assigns a revision to a deletion, and returns the last value stamped with it', async () => {
    const storage = await fresh();
    await storage.put('/a/x', bytes('one'), 'absent');
    expect(await storage.delete('/a/x', 1)).toEqual({
      type: 'delete',
      key: '/a/x',
      revision: 2,
      value: bytes('2|one'),
      previous: { key: '/a/x', value: bytes('1|one'), revision: 1 },
    });
    expect(await storage.get('/a/x')).toBeUndefined();
    expect(await storage.revision()).toBe(2);
  });

  it('accepts a deleted key as a new one', async () => {
    const storage = await fresh();
    await storage.put('/a/x', bytes('one'), 'absent');
    await storage.delete('/a/x', 1);
    await expect(storage.put('/a/x', bytes('two'), 1)).rejects.toMatchObject({ code: 'ERR_CONFLICT' });
    expect((await storage.put('/a/x', bytes('two'), 'absent')).revision).toBe(3);
  });

  it('accepts exactly one of the concurrent writes that expect a revision', async () => {
    const storage = await fresh();
    const won: number[] = [];
    const increment = async (): Promise<void> => {
      for (;;) {
        const current = await storage.get('/a/n');
        const next = Number(current?.value.toString().split('|')[1] ?? 0) + 1;
        try {
          won.push((await storage.put('/a/n', bytes(String(next)), current?.revision ?? 'absent')).revision);
          return;
        } catch (thrown) {
          if (!(thrown instanceof StorageConflict)) throw thrown;
        }
      }
    };
    await Promise.all(Array.from({ length: 20 }, increment));
    expect((await storage.get('/a/n'))?.value.toString().split('|')[1]).toBe('20');
    expect(new Set(won).size).toBe(20);
  });

  it('rejects every call after close', async () => {
    const storage = await fresh();
    await storage.close();
    const observer = { onChange: () => {}, onEnd: () => {} };
    for (const refused of [
      storage.get('/a/x'),
      storage.list('/a/'),
      storage.put('/a/x', bytes('one'), 'absent'),
      storage.delete('/a/x', 1),
      storage.watch('/a/', 0, observer),
    ])
      await expect(refused).rejects.toMatchObject({ code: 'ERR_CLOSED' });
  });
}

/** Defines the tests of writes with conditions on other keys. */
export function describeConditions(fresh: Fresh): void {
  it('accepts a conditional write only while the other keys are at their expected revisions', async () => {
    const storage = await fresh();
    const at = (key: string, revision: number) => ({ while: [{ key, revision }] });
    await storage.put('/a/lease', bytes('one'), 'absent');
    await storage.put('/b/x', bytes('one'), 'absent', at('/a/lease', 1));
    await storage.put('/a/lease', bytes('two'), 1);
    const refused = [
      storage.put('/b/x', bytes('two'), 2, at('/a/lease', 1)),
      storage.put('/b/y', bytes('two'), 'absent', at('/a/none', 1)),
      storage.put('/b/y', bytes('two'), 'absent', {
        while: [
          { key: '/a/lease', revision: 3 },
          { key: '/b/x', revision: 1 },
        ],
      }),
      storage.delete('/b/x', 2, at('/a/lease', 1)),
    ].map((each) => expect(each).rejects.toMatchObject({ code: 'ERR_CONDITION' }));
    await Promise.all(refused);
    expect(await storage.revision()).toBe(3);
    const gone = await storage.delete('/b/x', 2, at('/a/lease', 3));
    expect(gone).toMatchObject({ type: 'delete', revision: 4 });
    await expect(storage.put('/b/x', bytes('two'), 2, at('/a/lease', 3))).rejects.toMatchObject({
      code: 'ERR_CONFLICT',
    });
  });

  it('orders no write after the one that ends its condition, however the writes overlap', async () => {
    const storage = await fresh();
    const changes: Change[] = [];
    await storage.watch('/', 0, { onChange: (change) => void changes.push(change), onEnd: () => {} });
    let term = (await storage.put('/a/lease', bytes('term'), 'absent')).revision;
    const writes: Promise<boolean>[] = [];
    const isDone = (write: Promise<unknown>): Promise<boolean> =>
      write.then(
        () => true,
        (thrown: unknown) => {
          expect(thrown).toBeInstanceOf(StorageConditionFailed);
          return false;
        },
      );
    for (let i = 0; i < 50; i++) {
      const under = { while: [{ key: '/a/lease', revision: term }] };
      writes.push(isDone(storage.put(`/b/${i}`, bytes(String(term)), 'absent', under)));
      const next = storage.put('/a/lease', bytes('term'), term);
      writes.push(isDone(storage.put(`/c/${i}`, bytes(String(term)), 'absent', under)));
      term = (await next).revision;
    }
    const outcomes = await Promise.all(writes);
    let held = 0;
    for (const { key, revision, value } of changes)
      if (key === '/a/lease') held = revision;
      else expect(value.toString().split('|')[1]).toBe(String(held));
    // The store may choose either order for concurrent writes, but must report each outcome correctly.
    expect(changes.filter(({ key }) => key !== '/a/lease')).toHaveLength(outcomes.filter(Boolean).length);
    expect(changes.filter(({ key }) => key === '/a/lease')).toHaveLength(51);
  });
}

/** Defines the tests of writes that change several keys. */
export function describeTransactions(fresh: Fresh): void {
  const reserve = (key: string) => ({ key, value: bytes('held'), expected: 'absent' as const });

  it('writes all keys of a transaction atomically', async () => {
    const storage = await fresh();
    const changes: Change[] = [];
    await storage.watch('/', 0, { onChange: (change) => void changes.push(change), onEnd: () => {} });
    const made = await storage.put('/a/x', bytes('one'), 'absent', {
      with: [reserve('/r/1'), reserve('/r/2')],
      expiresAtMs: 7,
    });
    expect(made).toMatchObject({ key: '/a/x', expiresAtMs: 7 });
    expect(await storage.revision()).toBe(made.revision);
    expect(changes.map(({ key }) => key).sort()).toEqual(['/a/x', '/r/1', '/r/2']);
    const [one, two] = (await storage.list('/r/')).items;
    expect(one).toEqual({ key: '/r/1', value: bytes(`${one?.revision}|held`), revision: one?.revision });
    const moved = await storage.put('/a/x', bytes('two'), made.revision, {
      with: [
        { key: '/r/1', value: undefined, expected: one?.revision ?? 0 },
        { key: '/r/2', value: bytes('again'), expected: two?.revision ?? 0 },
        reserve('/r/3'),
      ],
    });
    expect(keysOf((await storage.list('/r/')).items)).toEqual(['/r/2', '/r/3']);
    const [, held] = (await storage.list('/r/')).items;
    const gone = await storage.delete('/a/x', moved.revision, {
      with: [{ key: '/r/3', value: undefined, expected: held?.revision ?? 0 }],
    });
    expect(gone).toMatchObject({ type: 'delete', key: '/a/x', previous: { value: moved.value } });
    expect(keysOf((await storage.list('/')).items)).toEqual(['/r/2']);
  });

  it('writes no key of a transaction if one key is not at its expected revision', async () => {
    const storage = await fresh();
    await storage.put('/a/x', bytes('one'), 'absent', { with: [reserve('/r/1')] });
    const before = await storage.list('/');
    const [x, held] = before.items;
    const failing = [
      storage.put('/a/y', bytes('two'), 'absent', { with: [reserve('/r/2'), reserve('/r/1')] }),
      storage.put('/a/x', bytes('two'), x?.revision ?? 0, {
        with: [{ key: '/r/1', value: undefined, expected: 999 }],
      }),
      storage.delete('/a/x', x?.revision ?? 0, {
        with: [{ key: '/r/9', value: undefined, expected: held?.revision ?? 0 }],
      }),
    ].map((write: Promise<unknown>) => write.catch((thrown: unknown) => thrown));
    for (const [at, thrown] of (await Promise.all(failing)).entries()) {
      expect(thrown).toBeInstanceOf(StorageConditionFailed);
      expect(thrown).toMatchObject({ code: 'ERR_CONDITION', key: ['/r/1', '/r/1', '/r/9'][at] });
    }
    await expect(
      storage.put('/a/x', bytes('two'), 'absent', { with: [reserve('/r/5')] }),
    ).rejects.toMatchObject({ code: 'ERR_CONFLICT' });
    expect(await storage.list('/')).toEqual(before);
  });

  it('accepts exactly one of many concurrent transactions that create the same key', async () => {
    const storage = await fresh();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, (_, at) =>
        storage.put(`/a/${at}`, bytes('v'), 'absent', {
          with: [reserve(`/r/${at % 6}`), reserve(`/s/${at % 4}`)],
        }),
      ),
    );
    const won = outcomes.flatMap(({ status }, at) => (status === 'fulfilled' ? [at] : []));
    expect(keysOf((await storage.list('/a/')).items)).toEqual(won.map((at) => `/a/${at}`).sort());
    const taken = (prefix: string, size: number): readonly string[] =>
      won.map((at) => `${prefix}${at % size}`).sort();
    expect(keysOf((await storage.list('/r/')).items)).toEqual(taken('/r/', 6));
    expect(keysOf((await storage.list('/s/')).items)).toEqual(taken('/s/', 4));
  });
}
