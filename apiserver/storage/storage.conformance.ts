import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { Change, Stamp, Storage } from './storage.ts';
import { StorageConditionFailed, StorageConflict } from './storage.ts';

/** Stamps values as `12|text`, which is readable in an assertion. */
export const plainStamp: Stamp = (value, revision) =>
  Buffer.from(`${revision}|${value.toString().replace(/^\d+\|/, '')}`);

const bytes = (text: string): Buffer => Buffer.from(text);
const keysOf = (items: readonly { key: string }[]): readonly string[] => items.map(({ key }) => key);

/**
 * Defines the tests that every `Storage` must pass. `open` returns an empty store that stamps with
 * `plainStamp`.
 */
export function describeStorage(
  name: string,
  open: (limits: { historyLimit?: number }) => Promise<Storage>,
): void {
  describe(name, () => {
    const opened: Storage[] = [];
    const fresh = async (limits: { historyLimit?: number } = {}): Promise<Storage> => {
      const storage = await open(limits);
      opened.push(storage);
      return storage;
    };
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((storage) => storage.close()));
    });
    describeWrites(fresh);
    describeTransactions(fresh);
    describeReads(fresh);
    describeWatch(fresh);
    describeCompaction(fresh);
    describeModel(fresh);
  });
}

type Fresh = (limits?: { historyLimit?: number }) => Promise<Storage>;

function describeWrites(fresh: Fresh): void {
  it('put assigns the next revision and stamps the value with it', async () => {
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

  it('put keeps the expiry time of a value, and does not delete the value by itself', async () => {
    const storage = await fresh();
    await storage.put('/a/x', bytes('one'), 'absent', { expiresAtMs: 1 });
    expect((await storage.get('/a/x'))?.expiresAtMs).toBe(1);
    expect((await storage.list('/a/')).items[0]?.expiresAtMs).toBe(1);
    await storage.put('/a/x', bytes('two'), 1);
    expect(await storage.get('/a/x')).not.toHaveProperty('expiresAtMs');
  });

  it('put refuses a key that is not at the expected revision, and returns the current value', async () => {
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

  it('delete takes a revision, and resolves with the last value stamped with it', async () => {
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

  it('a deleted key can be created again as a new one', async () => {
    const storage = await fresh();
    await storage.put('/a/x', bytes('one'), 'absent');
    await storage.delete('/a/x', 1);
    await expect(storage.put('/a/x', bytes('two'), 1)).rejects.toMatchObject({ code: 'ERR_CONFLICT' });
    expect((await storage.put('/a/x', bytes('two'), 'absent')).revision).toBe(3);
  });

  it('exactly one of many concurrent writers of a revision wins, and all revisions differ', async () => {
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

  it('a conditional write succeeds only while the other keys are at their revisions', async () => {
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

  it('no write is ordered after the one that ended its condition, however they overlap', async () => {
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
    // The store may order concurrent writes either way, but must report each outcome correctly.
    expect(changes.filter(({ key }) => key !== '/a/lease')).toHaveLength(outcomes.filter(Boolean).length);
    expect(changes.filter(({ key }) => key === '/a/lease')).toHaveLength(51);
  });

  it('everything is refused after close', async () => {
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

function describeTransactions(fresh: Fresh): void {
  const reserve = (key: string) => ({ key, value: bytes('held'), expected: 'absent' as const });

  it('writes the keys of a transaction together', async () => {
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

  it('writes no key of a transaction if one is not at its revision', async () => {
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

  it('lets exactly one of many concurrent transactions have a key', async () => {
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

function describeReads(fresh: Fresh): void {
  it('list returns the keys with the prefix in byte order', async () => {
    const storage = await fresh();
    const keys = ['/a/\u{1f600}', '/a/\uffee', '/a/é', '/a/b/c', '/a/b-c', '/a/B', '/a/__proto__'];
    for (const key of ['/', '/a', '/a0', '/ab/x', ...keys]) await storage.put(key, bytes('v'), 'absent');
    const { items } = await storage.list('/a/');
    expect(keysOf(items)).toEqual(
      [...keys].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))),
    );
    expect(keysOf((await storage.list('/none/')).items)).toEqual([]);
  });

  it('pages of one revision show one state, whatever is written between them', async () => {
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

  it('list refuses a future revision', async () => {
    const storage = await fresh();
    await storage.put('/a/x', bytes('one'), 'absent');
    await expect(storage.list('/a/', { revision: 2 })).rejects.toMatchObject({ code: 'ERR_FUTURE_REVISION' });
  });
}

function describeWatch(fresh: Fresh): void {
  const seen = (changes: readonly Change[]): readonly string[] =>
    changes.map(({ type, key, revision }) => `${revision} ${type} ${key}`);
  const collect = async (storage: Storage, prefix: string, after: number, into: Change[]) =>
    storage.watch(prefix, after, { onChange: (change) => void into.push(change), onEnd: () => {} });

  it('watch delivers the changes of its prefix after a revision, past and future, each once and in order', async () => {
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

  it('a watch from any revision receives exactly what a watch from the start received after it', async () => {
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

  it('a watch from a future revision waits for it', async () => {
    const storage = await fresh();
    const changes: Change[] = [];
    await collect(storage, '/a/', 2, changes);
    for (const name of ['x', 'y', 'z']) await storage.put(`/a/${name}`, bytes('v'), 'absent');
    expect(seen(changes)).toEqual(['3 put /a/z']);
  });

  it('a watcher can read what it receives, and a write from its callback keeps the order for all', async () => {
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

  it('an observer that throws is ended, without affecting the write or other observers', async () => {
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

  it('a subscription advances with the store, also when other prefixes change', async () => {
    const storage = await fresh();
    const subscription = await collect(storage, '/a/', 0, []);
    await storage.put('/b/x', bytes('v'), 'absent');
    await subscription.progress();
    expect(subscription.revision).toBe(1);
    subscription.cancel();
    await storage.put('/b/y', bytes('v'), 'absent');
    expect(subscription.revision).toBe(1);
  });

  it('close ends every watch', async () => {
    const storage = await fresh();
    const ends: string[] = [];
    await storage.watch('/a/', 0, { onChange: () => {}, onEnd: (error) => void ends.push(error.code) });
    await storage.close();
    expect(ends).toEqual(['ERR_CLOSED']);
  });
}

function describeCompaction(fresh: Fresh): void {
  it('compact removes history but no current value', async () => {
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

  it('history beyond its limit is compacted automatically, without affecting a running watch', async () => {
    const storage = await fresh({ historyLimit: 3 });
    const changes: Change[] = [];
    await storage.watch('/a/', 0, { onChange: (change) => void changes.push(change), onEnd: () => {} });
    for (let i = 0; i < 10; i++) await storage.put(`/a/${i}`, bytes('v'), 'absent');
    expect(storage.compacted()).toBe(7);
    expect(changes).toHaveLength(10);
    expect((await storage.list('/a/')).items).toHaveLength(10);
  });
}

function describeModel(fresh: Fresh): void {
  const keys = ['/a/x', '/a/y', '/a/y/z', '/b/x', '/b/y'];
  const operation = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        type: fc.constant('put' as const),
        key: fc.constantFrom(...keys),
        stale: fc.boolean(),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constant('delete' as const),
        key: fc.constantFrom(...keys),
        stale: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('compact' as const), back: fc.nat(5) }) },
  );

  it('any sequence of writes leaves the same state as a plain map that copies every state', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 40 }), async (operations) => {
        const storage = await fresh();
        const states: ReadonlyMap<string, string>[] = [new Map()];
        const revisions = new Map<string, number>();
        const watched = new Map<string, string>();
        await storage.watch('/a/', 0, {
          onChange: ({ type, key, value }) =>
            void (type === 'put' ? watched.set(key, value.toString()) : watched.delete(key)),
          onEnd: () => {},
        });
        let compacted = 0;
        for (const step of operations) {
          const newest = states.length - 1;
          if (step.type === 'compact') {
            const revision = Math.max(0, newest - step.back);
            await storage.compact(revision);
            compacted = Math.max(compacted, revision);
            continue;
          }
          const at = revisions.get(step.key);
          const expected = step.stale ? 1_000_000 : at;
          const done = await (
            step.type === 'put'
              ? storage.put(step.key, bytes('v'), expected ?? 'absent')
              : storage.delete(step.key, expected ?? 1_000_000)
          ).catch((thrown: unknown) => thrown);
          const valid = !step.stale && (step.type === 'put' || at !== undefined);
          expect(done instanceof StorageConflict).toBe(!valid);
          if (!valid) continue;
          const state = new Map(states[newest]);
          if (step.type === 'put') state.set(step.key, `${newest + 1}|v`);
          else state.delete(step.key);
          if (step.type === 'put') revisions.set(step.key, newest + 1);
          else revisions.delete(step.key);
          states.push(state);
        }
        for (const [revision, state] of states.entries()) {
          const listed = storage.list('/a/', { revision });
          if (revision < compacted) await expect(listed).rejects.toMatchObject({ code: 'ERR_COMPACTED' });
          else {
            const wanted = [...state].filter(([key]) => key.startsWith('/a/')).sort();
            expect((await listed).items.map(({ key, value }) => [key, value.toString()])).toEqual(wanted);
          }
        }
        expect([...watched].sort()).toEqual(
          [...(states.at(-1) ?? [])].filter(([key]) => key.startsWith('/a/')).sort(),
        );
        await storage.close();
      }),
      { numRuns: 25 },
    );
  });
}
