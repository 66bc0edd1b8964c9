import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { configMaps, namespaces, serviceAccounts } from '../../api/groups/core-v1.ts';
import type { TransportResponse, WatchEvent } from '../../runtime/index.ts';
import { type Proxied, type Upstream, startManager, startProxied, startUpstream } from './proxy.fixture.ts';

const COLLECTION = '/api/v1/namespaces/default/configmaps';
let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.stop());

const running: Proxied[] = [];
afterEach(async () => {
  for (const each of running.splice(0)) await each.stop();
  await upstream.direct.namespaced(configMaps, 'default').deleteCollection();
});

async function start(...rules: readonly object[]): Promise<Proxied> {
  const proxied = await startProxied(upstream, rules);
  running.push(proxied);
  return proxied;
}

interface Received {
  readonly status: number;
  readonly headers: TransportResponse['headers'];
  readonly body: {
    readonly reason?: string;
    readonly items?: readonly { readonly metadata: { name: string } }[];
  };
}

async function send(
  { transport }: Pick<Proxied, 'transport'>,
  method: string,
  path: string,
  body?: object,
  signal?: AbortSignal,
): Promise<Received> {
  const response = await transport.send({
    method,
    path,
    headers: { 'content-type': 'application/json', accept: 'application/json', 'user-agent': 'tester' },
    headersTimeoutMs: 10_000,
    ...(body && { body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', ...body }) }),
    ...(signal && { signal }),
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return { status: response.status, headers: response.headers, body: JSON.parse(text) as Received['body'] };
}

const make = (proxied: Proxied, name = 'a', signal?: AbortSignal): Promise<Received> =>
  send(proxied, 'POST', COLLECTION, { metadata: { name } }, signal);
const names = async ({ direct }: Proxied): Promise<readonly (string | undefined)[]> =>
  (await direct.namespaced(configMaps, 'default').list()).items.map(({ metadata }) => metadata?.name);
const creates = { verb: 'create', resource: 'configmaps' };

describe('a request through the chaos proxy', () => {
  it('is unchanged without faults, and uses the lent credentials', async () => {
    const proxied = await start();
    expect((await make(proxied)).status).toBe(201);
    expect(await names(proxied)).toEqual(['a']);
    expect((await send({ transport: proxied.as('Bearer wrong') }, 'GET', COLLECTION)).status).toBe(401);
    expect((await send({ transport: proxied.as(undefined) }, 'GET', COLLECTION)).status).toBe(403);
    expect(proxied.strikes).toEqual([]);
  });

  it.each([
    ['refused', []],
    ['lost-response', ['a']],
  ])('breaks on the fault %s, which leaves the objects %j', async (fault, there) => {
    const proxied = await start({ match: creates, fault });
    await expect(make(proxied)).rejects.toMatchObject({ code: 'ERR_CONNECTION' });
    expect(await names(proxied)).toEqual(there);
    expect(proxied.strikes).toMatchObject([
      { fault, verb: 'create', target: 'configmaps', namespace: 'default', userAgent: 'tester' },
    ]);
  });

  it('is executed but not answered on the fault unanswered', async () => {
    const proxied = await start({ match: creates, fault: 'unanswered' });
    const giving = new AbortController();
    const asked = make(proxied, 'a', giving.signal);
    asked.catch(() => {});
    await vi.waitFor(async () => expect(await names(proxied)).toEqual(['a']));
    giving.abort(new Error('no more patience'));
    await expect(asked).rejects.toThrow('no more patience');
  });

  it('breaks immediately and is executed later on the fault zombie', async () => {
    const proxied = await start({ match: creates, fault: { name: 'zombie', lasts: '150ms' } });
    await expect(make(proxied)).rejects.toMatchObject({ code: 'ERR_CONNECTION' });
    expect(await names(proxied)).toEqual([]);
    await vi.waitFor(async () => expect(await names(proxied)).toEqual(['a']));
  });

  it.each(['slow-request', 'slow-response'])('is answered late on the fault %s', async (name) => {
    const proxied = await start({ match: creates, fault: { name, lasts: '120ms' } });
    const before = performance.now();
    expect((await make(proxied)).status).toBe(201);
    expect(performance.now() - before).toBeGreaterThan(115);
  });

  it.each([
    ['too-many-requests', { retryAfter: '7s' }, 429, 'TooManyRequests', '7'],
    ['server-error', { code: 507 }, 507, 'Unknown', undefined],
    ['unavailable', { retryAfter: '2s' }, 503, 'ServiceUnavailable', '2'],
  ])(
    'gets the error response of the fault %s and is not executed',
    async (name, details, status, reason, retryAfter) => {
      const proxied = await start({ match: creates, fault: { name, ...details } });
      const { headers, ...received } = await make(proxied);
      expect(received).toMatchObject({ status, body: { kind: 'Status', reason, code: status } });
      expect(headers['retry-after']).toBe(retryAfter);
      expect(await names(proxied)).toEqual([]);
    },
  );

  it('gets a 409 and is not executed on the fault conflict, if it changes an object', async () => {
    const proxied = await start({ match: { nth: 1 }, fault: 'conflict' });
    await make(proxied);
    const maps = proxied.client.namespaced(configMaps, 'default');
    const map = await maps.get('a');
    await expect(maps.update({ ...map, data: { k: 'v' } })).rejects.toMatchObject({
      reason: 'Conflict',
      code: 409,
    });
    expect((await maps.update({ ...map, data: { k: 'v' } })).data).toEqual({ k: 'v' });
  });

  it('gets a 410 on the fault expired-page if it continues a list, so that the client lists again', async () => {
    const proxied = await start({ match: { resource: 'configmaps', times: 1 }, fault: 'expired-page' });
    await make(proxied, 'a');
    await make(proxied, 'b');
    const { items } = await proxied.client.namespaced(configMaps, 'default').list({ pageSize: 1 });
    expect(items.map(({ metadata }) => metadata?.name)).toEqual(expect.arrayContaining(['a', 'b']));
    expect(proxied.strikes.map(({ fault }) => fault)).toEqual(['expired-page']);
  });

  it('gets an earlier response to the same client on the fault stale-list', async () => {
    const proxied = await start({ match: { verb: 'list', nth: 2 }, fault: 'stale-list' });
    const listed = async (): Promise<readonly string[]> =>
      ((await send(proxied, 'GET', COLLECTION)).body.items ?? []).map(({ metadata }) => metadata.name);
    const before = await listed();
    await make(proxied);
    expect(await listed()).toEqual(before);
    expect(await listed()).toContain('a');
  });
});

type Event = WatchEvent<{ readonly metadata?: { readonly name?: string } }>;

describe('a watch through the chaos proxy', () => {
  const resource = 'configmaps';
  /** Records the events of a watch: names of objects, then `end` or the code or reason of the error. */
  function follow(proxied: Proxied): {
    readonly seen: string[];
    readonly ended: Promise<void>;
    leave(): void;
  } {
    const seen: string[] = [];
    const leaving = new AbortController();
    const ended = (async () => {
      try {
        const maps = proxied.client.namespaced(configMaps, 'default');
        const { resourceVersion } = await proxied.direct.namespaced(configMaps, 'default').list();
        for await (const { type, object } of maps.watch({
          resourceVersion,
          signal: leaving.signal,
        }) as AsyncIterable<Event>)
          seen.push(`${type} ${object.metadata?.name ?? ''}`);
        seen.push('end');
      } catch (thrown) {
        const { code, reason } = thrown as { readonly code?: unknown; readonly reason?: unknown };
        seen.push(String(reason ?? code));
      }
    })();
    return { seen, ended, leave: () => leaving.abort(new Error('left')) };
  }
  const createAll = async (proxied: Proxied, ...made: readonly string[]): Promise<void> => {
    // Waits until the watch is open.
    await new Promise((resolve) => setTimeout(resolve, 60));
    for (const name of made)
      await proxied.direct.namespaced(configMaps, 'default').create({ metadata: { name } });
  };

  it.each([
    ['cut-watch', ['ADDED a', 'ERR_CONNECTION']],
    ['ended-watch', ['ADDED a', 'end']],
    [{ name: 'expired-watch', lasts: '20ms' }, ['ADDED a', 'Expired']],
    [{ name: 'silent-watch', lasts: '50ms' }, ['ADDED a', 'ERR_CONNECTION']],
  ])('on the fault %j delivers %j', async (fault, shown) => {
    const proxied = await start({ match: { resource, name: 'b' }, fault });
    const { seen, ended } = follow(proxied);
    await createAll(proxied, 'a');
    await vi.waitFor(() => expect(seen).toEqual(['ADDED a']));
    await createAll(proxied, 'b');
    await ended;
    expect(seen).toEqual(shown);
    expect(proxied.strikes).toMatchObject([{ event: 'ADDED', name: 'b', namespace: 'default' }]);
  });

  it('delivers an event twice on the fault repeated-event', async () => {
    const proxied = await start({
      match: { resource, name: 'a', nth: 1 },
      fault: { name: 'repeated-event', lasts: '10ms' },
    });
    const { seen, ended, leave } = follow(proxied);
    await createAll(proxied, 'a', 'b');
    await vi.waitFor(() => expect(seen).toEqual(['ADDED a', 'ADDED a', 'ADDED b']));
    leave();
    await ended;
  });

  it('delivers all events later and in order on the fault late-events', async () => {
    const proxied = await start({
      match: { resource, nth: 1 },
      fault: { name: 'late-events', lasts: '150ms' },
    });
    const { seen, ended, leave } = follow(proxied);
    await createAll(proxied, 'a', 'b');
    expect(seen).toEqual([]);
    await vi.waitFor(() => expect(seen).toEqual(['ADDED a', 'ADDED b']));
    leave();
    await ended;
  });

  it('stays open without events on the fault silent-watch, from its start if the rule matches the opening', async () => {
    const proxied = await start({ match: { resource, event: 'OPEN' }, fault: 'silent-watch' });
    const { seen, ended, leave } = follow(proxied);
    await createAll(proxied, 'a');
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(seen).toEqual([]);
    leave();
    await ended;
  });
});

describe('a controller manager through the chaos proxy', () => {
  it('reconciles and converges under a fault plan', async () => {
    const proxied = await start(
      { match: { verb: 'create', resource: 'serviceaccounts', nth: 1 }, fault: 'lost-response' },
      { match: { verb: 'create', resource: 'serviceaccounts', nth: 2 }, fault: 'server-error' },
      { match: { verb: 'list', nth: 1 }, fault: { name: 'unavailable', retryAfter: '0s' } },
      { match: { resource: 'namespaces', event: 'OPEN', nth: 1 }, fault: 'cut-watch' },
    );
    const manager = startManager(proxied.client, ['serviceaccount']);
    try {
      const teams = ['one', 'two', 'three'];
      for (const name of teams) await proxied.direct.cluster(namespaces).create({ metadata: { name } });
      await vi.waitFor(
        async () => {
          for (const name of teams) await proxied.direct.namespaced(serviceAccounts, name).get('default');
        },
        { timeout: 15_000, interval: 50 },
      );
      expect(proxied.strikes.map(({ fault }) => fault)).toEqual(
        expect.arrayContaining(['lost-response', 'server-error', 'unavailable', 'cut-watch']),
      );
    } finally {
      await manager.stop();
    }
  });
});
