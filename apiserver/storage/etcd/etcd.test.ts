import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type EtcdServer, createEtcdServer } from '../../../test/etcd-server.ts';
import { freePort } from '../../../test/free-port.ts';
import { environment, until } from '../../../test/real-time.ts';
import { type ServiceTls, createServiceTls } from '../../../test/service-tls.ts';
import { service } from '../../../test/services.ts';
import { createSimulatedClock } from '../../../base/clock/simulated.ts';
import { describeStorage, plainStamp } from '../storage.conformance.ts';
import { fromZero } from '../from-zero.fixture.ts';
import type { Change, Storage } from '../storage.ts';
import { createChannel } from './channel.ts';
import { createEtcdClient } from './client.ts';
import { type EtcdStorageOptions, openEtcdStorage } from './etcd.ts';
import { createGate } from './gate.fixture.ts';

const etcd = service('etcd', 'storage in etcd');
const bytes = (text: string): Buffer => Buffer.from(text);

describe.skipIf(etcd.missing)('etcd storage', () => {
  let server: EtcdServer;
  let stores = 0;
  beforeAll(async () => {
    server = await createEtcdServer(etcd.path ?? '');
    await server.start();
  });
  afterAll(() => server.close());

  const open = (prefix: string, endpoints = [server.url]): Promise<Storage> =>
    openEtcdStorage({ ...environment, endpoints, prefix, stamp: plainStamp });

  describeStorage('storage', (limits) =>
    fromZero((stamp) =>
      openEtcdStorage({
        ...environment,
        ...limits,
        endpoints: [server.url],
        prefix: `/conformance-${stores++}`,
        stamp,
      }),
    ),
  );

  const opened = async (prefix: string): Promise<Storage> => {
    const storage = await open(prefix);
    onTestFinished(() => storage.close());
    return storage;
  };
  const follow = async (storage: Storage, after: number): Promise<readonly Change[]> => {
    const changes: Change[] = [];
    await storage.watch('/', after, { onChange: (change) => void changes.push(change), onEnd: () => {} });
    return changes;
  };
  const seen = (changes: readonly Change[]): readonly string[] =>
    changes.map(({ type, key }) => `${type} ${key}`);

  it('is shared: each store reads immediately what another store has written', async () => {
    const [one, other] = [await opened('/shared'), await opened('/shared')];
    const changes = await follow(other, await other.revision());
    const { revision } = await one.put('/a/x', bytes('one'), 'absent');
    expect(await other.get('/a/x')).toMatchObject({ revision });
    expect((await other.list('/a/')).items).toHaveLength(1);
    await expect(other.put('/a/x', bytes('two'), 'absent')).rejects.toMatchObject({ code: 'ERR_CONFLICT' });
    await one.delete('/a/x', revision);
    expect(await other.get('/a/x')).toBeUndefined();
    expect(seen(changes)).toEqual(['put /a/x', 'delete /a/x']);
  });

  it('is separate from keys with another prefix', async () => {
    const [one, other] = [await opened('/one'), await opened('/one-more')];
    const { revision } = await one.put('/a/x', bytes('one'), 'absent');
    expect(await other.get('/a/x')).toBeUndefined();
    // etcd's revision has advanced through a key outside this store's prefix.
    expect(await other.revision()).toBeGreaterThanOrEqual(revision);
    expect((await other.put('/a/x', bytes('one'), 'absent')).revision).toBeGreaterThan(revision);
  });

  it('preserves values, their expiry and recent history for the next store that opens it', async () => {
    const first = await open('/kept');
    const before = await first.revision();
    const { revision } = await first.put('/a/x', bytes('one'), 'absent', { expiresAtMs: 5 });
    await first.put('/a/y', bytes('two'), 'absent');
    await first.delete('/a/x', revision);
    await first.close();
    const next = await opened('/kept');
    expect((await next.list('/a/')).items.map(({ key }) => key)).toEqual(['/a/y']);
    expect((await next.list('/a/', { revision })).items).toMatchObject([{ key: '/a/x', expiresAtMs: 5 }]);
    expect(seen(await follow(next, before))).toEqual(['put /a/x', 'put /a/y', 'delete /a/x']);
  });

  it('opens after a compaction, with the remaining history', async () => {
    const first = await opened('/compacted');
    const { revision } = await first.put('/a/x', bytes('one'), 'absent');
    await first.put('/a/x', bytes('two'), revision);
    await first.compact(await first.revision());
    const next = await opened('/compacted');
    expect((await next.get('/a/x'))?.value.toString()).toMatch(/two$/);
    await expect(next.list('/a/', { revision })).rejects.toMatchObject({ code: 'ERR_COMPACTED' });
  });

  it('reads lists of any length', async () => {
    const first = await opened('/long');
    const keys = Array.from({ length: 1_100 }, (_, i) => `/a/${String(i).padStart(4, '0')}`);
    await Promise.all(keys.map((key) => first.put(key, bytes('v'), 'absent')));
    await first.compact(await first.revision());
    const next = await opened('/long');
    expect((await next.list('/a/')).items.map(({ key }) => key)).toEqual(keys);
  });

  it("reports etcd's message if a value exceeds the request limit", async () => {
    const storage = await opened('/large');
    await expect(storage.put('/a/x', Buffer.alloc(2_000_000), 'absent')).rejects.toMatchObject({
      code: 'ERR_NO_ROOM',
      message: 'etcdserver: request is too large',
    });
    expect((await storage.put('/a/x', bytes('small'), 'absent')).revision).toBeGreaterThan(0);
  });

  it('rejects a prefix that another program has written to', async () => {
    const channel = createChannel({ ...environment, endpoints: [server.url], tls: {} });
    onTestFinished(() => channel.close());
    const value = bytes('k8s and more');
    await createEtcdClient(channel).txn({
      conditions: [],
      operations: [{ key: '/foreign/a/x', value }],
    });
    await expect(open('/foreign')).rejects.toMatchObject({
      code: 'ERR_BROKEN_VALUE',
      message: expect.stringContaining('choose a prefix that nothing else writes to'),
    });
  });

  it('handles changes of several keys at one revision, as other etcd clients write them', async () => {
    const storage = await opened('/beside');
    for (const name of ['x', 'y', 'z']) await storage.put(`/a/${name}`, bytes('v'), 'absent');
    const changes = await follow(storage, await storage.revision());
    const channel = createChannel({ ...environment, endpoints: [server.url], tls: {} });
    onTestFinished(() => channel.close());
    // A DeleteRangeRequest with key and range_end.
    const range = ['/beside/a/', '/beside/a0'].flatMap((text, i) => [
      Buffer.from([(i + 1) * 8 + 2, text.length]),
      bytes(text),
    ]);
    await channel.call('/etcdserverpb.KV/DeleteRange', Buffer.concat(range));
    expect((await storage.list('/a/')).items).toEqual([]);
    expect(seen(changes)).toEqual(['delete /a/x', 'delete /a/y', 'delete /a/z']);
  });
});

describe.skipIf(etcd.missing)('etcd storage under failures', () => {
  const started = async (tls?: ServiceTls): Promise<EtcdServer> => {
    const server = await createEtcdServer(etcd.path ?? '', tls);
    onTestFinished(() => server.close());
    await server.start();
    return server;
  };
  const open = async (
    endpoints: readonly string[],
    options: Partial<EtcdStorageOptions> = {},
  ): Promise<Storage> => {
    const storage = await openEtcdStorage({
      ...environment,
      endpoints,
      prefix: '/store',
      stamp: plainStamp,
      ...options,
    });
    onTestFinished(() => storage.close());
    return storage;
  };
  const unavailable = { code: 'ERR_STORAGE_UNAVAILABLE' };

  it('fails calls while etcd is down, then continues without a gap in watches', async () => {
    const server = await started();
    const [one, other] = [await open([server.url]), await open([server.url])];
    const changes: string[] = [];
    await one.watch('/', await one.revision(), {
      onChange: ({ key }) => void changes.push(key),
      onEnd: (error) => void changes.push(error.code),
    });
    await one.put('/a/x', bytes('v'), 'absent');
    await server.kill();
    await expect(one.get('/a/x')).rejects.toMatchObject(unavailable);
    await expect(one.put('/a/y', bytes('v'), 'absent')).rejects.toMatchObject(unavailable);
    await server.start();
    await other.put('/a/z', bytes('v'), 'absent');
    expect(await one.get('/a/z')).toBeDefined();
    expect(changes).toEqual(['/a/x', '/a/z']);
  });

  it('resumes a watch that has missed nothing, although everything up to a deletion was compacted', async () => {
    const server = await started();
    const [one, other] = [await open([server.url]), await open([server.url])];
    const { revision } = await one.put('/a/x', bytes('v'), 'absent');
    const events: string[] = [];
    await one.watch('/', revision, {
      onChange: ({ type, key }) => void events.push(`${type} ${key}`),
      onEnd: ({ code }) => void events.push(code),
    });
    await one.delete('/a/x', revision);
    await other.compact(await other.revision());
    await server.kill();
    await expect(one.get('/a/x')).rejects.toMatchObject(unavailable);
    await server.start();
    await other.put('/a/y', bytes('v'), 'absent');
    expect(await one.get('/a/y')).toBeDefined();
    expect(events).toEqual(['delete /a/x', 'put /a/y']);
  });

  it('ends a watch that has missed compacted changes, and then reads the current state', async () => {
    const server = await started();
    const clock = createSimulatedClock(environment.clock.now());
    const [one, other] = [await open([server.url], { clock }), await open([server.url])];
    const { revision } = await one.put('/a/x', bytes('v'), 'absent');
    const ends: string[] = [];
    await one.watch('/', revision, { onChange: () => {}, onEnd: ({ code }) => void ends.push(code) });
    await server.kill();
    await expect(one.get('/a/x')).rejects.toMatchObject(unavailable);
    await server.start();
    await other.delete('/a/x', revision);
    await other.compact(await other.revision());
    // The first store reopens its stream only now.
    await until(() => {
      void clock.advance(20);
      return ends.length > 0;
    });
    expect(ends).toEqual(['ERR_STORAGE_UNAVAILABLE']);
    expect(await one.get('/a/x')).toBeUndefined();
  });

  describe('restored from a backup', () => {
    /**
     * Creates a store on simulated time that has `/a/lost` and has deleted `/a/kept`, then restores a backup
     * that contains only `/a/kept`.
     */
    const restored = async () => {
      const server = await started();
      const clock = createSimulatedClock(environment.clock.now());
      const before = await open([server.url]);
      const { revision } = await before.put('/a/kept', bytes('v'), 'absent');
      await before.close();
      await server.kill();
      server.keepCopy();
      await server.start();
      const storage = await open([server.url], { clock });
      const ends: string[] = [];
      await storage.watch('/', revision, { onChange: () => {}, onEnd: ({ code }) => void ends.push(code) });
      await storage.put('/a/lost', bytes('v'), 'absent');
      await storage.delete('/a/kept', revision);
      await server.kill();
      await expect(storage.get('/a/lost')).rejects.toMatchObject(unavailable);
      server.putBack();
      await server.start();
      const ended = (): Promise<void> =>
        until(() => {
          void clock.advance(20);
          return ends.length > 0;
        });
      const keys = async (): Promise<readonly string[]> =>
        (await storage.list('/a/')).items.map(({ key }) => key);
      return { server, storage, ends, ended, keys };
    };

    it('rejects reads until it has re-read all keys, then returns the restored state, and ends watches', async () => {
      const { storage, ends, ended, keys } = await restored();
      await expect(storage.get('/a/lost')).rejects.toMatchObject(unavailable);
      await ended();
      expect(await keys()).toEqual(['/a/kept']);
      await storage.put('/a/new', bytes('v'), 'absent');
      expect(await keys()).toEqual(['/a/kept', '/a/new']);
      expect(ends).toEqual(['ERR_OTHER_HISTORY']);
    });

    it('ends watches and reads the restored state if other stores have written to it since', async () => {
      const { server, ends, ended, keys } = await restored();
      const other = await open([server.url]);
      for (const name of ['x', 'y', 'z']) await other.put(`/a/${name}`, bytes('v'), 'absent');
      await ended();
      expect(await keys()).toEqual(['/a/kept', '/a/x', '/a/y', '/a/z']);
      expect(ends).toEqual(['ERR_OTHER_HISTORY']);
    });
  });

  it('waits for etcd if both start at the same time', async () => {
    const server = await createEtcdServer(etcd.path ?? '');
    onTestFinished(() => server.close());
    const opening = open([server.url]);
    await server.start();
    expect(await (await opening).get('/a/x')).toBeUndefined();
  });

  it.each([
    ['it has received the first call', 0],
    ['it has returned its revision', 1],
    ['all values were read', 2],
    ['the watch is open', 3],
  ])('waits for etcd if it becomes unreachable while opening, once %s', async (_once, answered) => {
    const server = await started();
    const before = await open([server.url]);
    await before.put('/a/x', bytes('v'), 'absent');
    await before.close();
    const gate = await createGate(server.url, answered);
    onTestFinished(() => gate.close());
    const opening = open([gate.url]);
    await Promise.race([gate.refused, opening]);
    gate.open();
    expect(await (await opening).get('/a/x')).toBeDefined();
  });

  it('accepts only deletions once etcd is full, and can still be read and opened', async () => {
    const server = await createEtcdServer(etcd.path ?? '', undefined, ['--quota-backend-bytes=1000000']);
    onTestFinished(() => server.close());
    await server.start();
    const storage = await open([server.url]);
    const { revision } = await storage.put('/a/x', bytes('v'), 'absent');
    const fill = async (): Promise<void> => {
      for (let i = 0; ; i += 1) await storage.put(`/fill/${i}`, Buffer.alloc(200_000), 'absent');
    };
    await expect(fill()).rejects.toMatchObject({ code: 'ERR_NO_ROOM' });
    expect(await storage.revision()).toBeGreaterThan(revision);
    for (let starts = 0; starts < 3; starts += 1) {
      const next = await open([server.url], { patienceMs: 0 });
      expect(await next.get('/a/x')).toBeDefined();
      await expect(next.put('/a/y', bytes('v'), 'absent')).rejects.toMatchObject({ code: 'ERR_NO_ROOM' });
    }
    await storage.delete('/a/x', revision);
    expect(await storage.get('/a/x')).toBeUndefined();
  });

  it('stops waiting after patienceMs if etcd no longer responds', async () => {
    const server = await started();
    const gate = await createGate(server.url, 1);
    onTestFinished(() => gate.close());
    await expect(open([gate.url], { patienceMs: 1_500 })).rejects.toMatchObject(unavailable);
  });

  it('uses another member if one cannot be reached', async () => {
    const server = await started();
    const storage = await open([`http://127.0.0.1:${await freePort()}`, server.url]);
    await storage.put('/a/x', bytes('v'), 'absent');
    expect(await storage.get('/a/x')).toBeDefined();
  });

  it('names the members it has tried if none can be reached', async () => {
    const endpoint = `http://127.0.0.1:${await freePort()}`;
    await expect(open([endpoint], { patienceMs: 0 })).rejects.toMatchObject({
      ...unavailable,
      message: expect.stringContaining(`no member of etcd can be reached: ${endpoint}`),
    });
  });

  it('presents its certificate, and rejects a member that it cannot verify', async () => {
    const { ca, cert, key } = createServiceTls(environment);
    const server = await started({ ca, cert, key });
    const storage = await open([server.url], { tls: { ca, cert, key } });
    await storage.put('/a/x', bytes('v'), 'absent');
    expect(await storage.get('/a/x')).toBeDefined();
    await expect(open([server.url], { tls: { cert, key }, patienceMs: 0 })).rejects.toMatchObject(
      unavailable,
    );
    await expect(open([server.url], { tls: { ca }, patienceMs: 0 })).rejects.toMatchObject(unavailable);
  });
});
