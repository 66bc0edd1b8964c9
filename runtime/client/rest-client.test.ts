import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Int64 } from '../../api/schema/exact-json.ts';
import type { DeepReadonly, Kind } from '../../api/kinds/kind.ts';
import { defineKind } from '../../api/kinds/kind.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { struct } from '../../api/schema/schema.ts';
import { ApiError, isConflict, isGone, isNotFound } from '../../api/status/api-error.ts';
import type { ObjectMeta } from '../../api/types/meta-v1.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import type { HttpHandler, HttpRequest, HttpResponse } from '../../base/http/message.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { ClientError } from './client-error.ts';
import type { Transport } from './transport.ts';
import { createInMemoryTransport } from './in-memory-transport.ts';
import { type ClientSettings, createClient } from './rest-client.ts';

interface Widget {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  size?: number;
}

const widgets: Kind<Widget> = defineKind<Widget>({
  group: 'certificates',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
  schema: struct('test.Widget', {}),
});
const boxes: Kind<Widget> = { ...widgets, group: '', kind: 'Box', plural: 'boxes', namespaced: false };
const scheme = createScheme(orchVocabulary, []);

interface Seen {
  method: string;
  url: string;
  headers: HttpRequest['headers'];
  body: string;
}

/** A client of a server that returns the given responses in order and repeats the last one. */
function setUp(
  answers: readonly (HttpResponse | HttpHandler | Error)[],
  settings: Partial<ClientSettings> = {},
) {
  const clock = createSimulatedClock();
  const seen: Seen[] = [];
  const handler: HttpHandler = async (request) => {
    const body = new TextDecoder().decode(await request.body(1e6));
    const answer = answers[Math.min(seen.length, answers.length - 1)];
    seen.push({ method: request.method, url: request.url, headers: request.headers, body });
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error('no answer');
    return typeof answer === 'function' ? answer(request) : answer;
  };
  const transport = createInMemoryTransport({ handler });
  const client = createClient({
    scheme,
    transport,
    clock,
    log: silentLogger,
    userAgent: 'test/1',
    ...settings,
  });
  return { client, clock, seen };
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const json = (status: number, body: unknown, headers: Record<string, string> = {}): HttpResponse => ({
  status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: encode(JSON.stringify(body)),
});
const lines = (...events: readonly unknown[]): HttpResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: (sink) => {
    for (const event of events) sink.write(encode(`${JSON.stringify(event)}\n`));
    sink.end();
  },
});
const widget = (name: string, resourceVersion = '1'): Widget => ({
  metadata: { name, namespace: 'default', resourceVersion },
});
const list = (names: readonly string[], resourceVersion: string, next?: string): HttpResponse =>
  json(200, {
    kind: 'WidgetList',
    metadata: { resourceVersion, ...(next === undefined ? {} : { continue: next }) },
    items: names.map((name) => widget(name)),
  });
const status = (code: number, reason: string): unknown => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  reason,
  message: `${reason} happened`,
  code,
});
const never: HttpHandler = () => new Promise(() => {});
const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};

describe('client paths and bodies', () => {
  it('sends method, path, query and body of each verb', async () => {
    const { client, seen } = setUp([json(200, widget('a'))]);
    const some = client.namespaced(widgets, 'default');
    await some.get('a', { resourceVersion: '7' });
    await some.create(widget('a'), { dryRun: true, fieldManager: 'me' });
    await some.update(widget('a'));
    await some.patch('a', 'apply', { x: 1 }, { force: true, fieldManager: 'me' });
    await some.patch('a', 'json', []);
    await some.patch('a', 'merge', {});
    await some.patch('a', 'strategic', {});
    await some.delete('a');
    await some.deleteCollection({ labelSelector: 'a=b' });
    await some.subresource('status').update(widget('a'));
    await some.subresource('token').create('a', { kind: 'TokenRequest' });
    await client.cluster(boxes).get('b');
    const base = '/apis/certificates.orch.io/v1/namespaces/default/widgets';
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `GET ${base}/a?resourceVersion=7`,
      `POST ${base}?dryRun=All&fieldManager=me`,
      `PUT ${base}/a`,
      `PATCH ${base}/a?fieldManager=me&force=true`,
      `PATCH ${base}/a`,
      `PATCH ${base}/a`,
      `PATCH ${base}/a`,
      `DELETE ${base}/a`,
      `DELETE ${base}?labelSelector=a%3Db`,
      `PUT ${base}/a/status`,
      `POST ${base}/a/token`,
      'GET /api/v1/boxes/b',
    ]);
    expect(seen.slice(3, 7).map(({ headers }) => headers['content-type']?.[0])).toEqual([
      'application/apply-patch+yaml',
      'application/json-patch+json',
      'application/merge-patch+json',
      'application/strategic-merge-patch+json',
    ]);
    expect(JSON.parse(seen[1]?.body ?? '')).toEqual({
      kind: 'Widget',
      apiVersion: 'certificates.orch.io/v1',
      ...widget('a'),
    });
    expect(seen[0]?.headers['user-agent']).toEqual(['test/1']);
  });

  it('sends preconditions, propagation policy and grace period in DeleteOptions', async () => {
    const { client, seen } = setUp([json(200, {})]);
    await client.namespaced(widgets, 'default').delete('a', {
      preconditions: { uid: 'u', resourceVersion: '5' },
      propagationPolicy: 'Foreground',
      gracePeriodSeconds: 0,
    });
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      preconditions: { uid: 'u', resourceVersion: '5' },
      propagationPolicy: 'Foreground',
      gracePeriodSeconds: 0,
    });
  });

  it.each(['', '.', '..', 'a/b', 'a%2fb'])(
    'rejects the name %j, which would change the path',
    async (name) => {
      const { client, seen } = setUp([json(200, {})]);
      await expect(client.namespaced(widgets, 'default').delete(name)).rejects.toMatchObject({
        code: 'ERR_ARGUMENT',
      });
      expect(seen).toEqual([]);
    },
  );

  it('rejects a scope that does not fit the kind', () => {
    const { client } = setUp([json(200, {})]);
    expect(() => client.cluster(widgets)).toThrow(/use namespaced/);
    expect(() => client.namespaced(boxes, 'default')).toThrow(/use cluster/);
    expect(() => client.namespaced(widgets, '')).toThrow(/namespace may not be empty/);
  });

  it('returns deeply frozen objects', async () => {
    const { client } = setUp([json(200, { metadata: { name: 'a', labels: { x: 'y' } } })]);
    const got = await client.namespaced(widgets, 'default').get('a');
    expect([got, got.metadata, got.metadata?.labels].every(Object.isFrozen)).toBe(true);
  });

  it('keeps the key __proto__', async () => {
    const { client } = setUp([
      { status: 200, headers: {}, body: encode('{"metadata":{"name":"a","labels":{"__proto__":"x"}}}') },
    ]);
    const got = await client.namespaced(widgets, 'default').get('a');
    expect(Object.keys(got.metadata?.labels ?? {})).toEqual(['__proto__']);
  });
});

describe('64-bit integers of the client', () => {
  interface Measured extends Widget {
    count?: Int64;
    any?: unknown;
  }
  const measured = widgets as Kind<Measured>;
  const int64 = fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.bigInt({ min: 2n ** 53n - 2n, max: 2n ** 53n + 2n }),
    fc.integer().map(BigInt),
  );
  /** Returns a bigint only if a double would round the value. */
  const exact = (value: bigint): Int64 => (Number.isSafeInteger(Number(value)) ? Number(value) : value);

  it('keep every digit in responses and writes', async () => {
    await fc.assert(
      fc.asyncProperty(int64, int64, async (count, inner) => {
        const body = `{"metadata":{"name":"a","resourceVersion":"1"},"count":${count},"any":[{"n":${inner}}]}`;
        const object = { count: exact(count), any: [{ n: exact(inner) }] };
        const one = { status: 200, headers: { 'content-type': 'application/json' }, body: encode(body) };
        const many = { ...one, body: encode(`{"metadata":{"resourceVersion":"1"},"items":[${body}]}`) };
        const watched = { ...one, body: encode(`{"type":"ADDED","object":${body}}\n`) };
        const { client, seen } = setUp([one, many, watched, one, one, one, one]);
        const own = client.namespaced(measured, 'default');
        expect(await own.get('a')).toMatchObject(object);
        expect((await own.list()).items[0]).toMatchObject(object);
        for await (const event of own.watch({ resourceVersion: '1' }))
          expect(event.object).toMatchObject(object);
        expect((await client.request({ method: 'GET', path: '/x' })).body).toMatchObject(object);
        const read = await own.get('a');
        await own.create(structuredClone(read) as Measured);
        await own.patch('a', 'merge', { count: read.count, any: read.any });
        const wrote = seen.slice(-2).map((each) => each.body);
        for (const text of wrote) {
          expect(text).toContain(`"count":${count}`);
          expect(text).toContain(`[{"n":${inner}}]`);
        }
      }),
    );
  });
});

describe('client lists', () => {
  it('collects a list from its pages and sets the kind of its items', async () => {
    const { client, seen } = setUp([list(['a', 'b'], '9', 'more'), list(['c'], '9')]);
    const got = await client.all(widgets).list({ labelSelector: 'x', resourceVersion: '3' });
    expect(got.items.map((item) => item.metadata?.name)).toEqual(['a', 'b', 'c']);
    expect(got.items[0]).toMatchObject({ kind: 'Widget', apiVersion: 'certificates.orch.io/v1' });
    expect(got.resourceVersion).toBe('9');
    expect(seen.map(({ url }) => url)).toEqual([
      '/apis/certificates.orch.io/v1/widgets?labelSelector=x&limit=500&resourceVersion=3',
      '/apis/certificates.orch.io/v1/widgets?labelSelector=x&limit=500&continue=more',
    ]);
  });

  it('restarts a list in one response after its continue token expired', async () => {
    const { client, seen } = setUp([
      list(['old'], '1', 'more'),
      json(410, status(410, 'Expired')),
      list(['a', 'b'], '9'),
    ]);
    const got = await client.all(widgets).list({ pageSize: 1 });
    expect(got.items.map((item) => item.metadata?.name)).toEqual(['a', 'b']);
    expect(seen[2]?.url).toBe('/apis/certificates.orch.io/v1/widgets');
  });

  it('rejects a list that expires in one response', async () => {
    const { client, seen } = setUp([json(410, status(410, 'Expired'))]);
    await expect(client.all(widgets).list()).rejects.toSatisfy(isGone);
    expect(seen.length).toBe(2);
  });

  it('reads items null, as written by Go servers, as an empty list', async () => {
    const { client } = setUp([json(200, { metadata: { resourceVersion: '4' }, items: null })]);
    expect(await client.all(widgets).list()).toEqual({ resourceVersion: '4', items: [] });
  });

  it('rejects a repeated continue token as a protocol error', async () => {
    const { client } = setUp([list(['a'], '1', 'same')]);
    await expect(client.all(widgets).list()).rejects.toMatchObject({ code: 'ERR_PROTOCOL' });
  });
});

describe('client watches', () => {
  it('returns events until the server ends the stream', async () => {
    const { client, seen } = setUp([
      lines({ type: 'ADDED', object: widget('a') }, { type: 'BOOKMARK', object: widget('', '5') }),
    ]);
    const events = await collect(
      client
        .namespaced(widgets, 'default')
        .watch({ resourceVersion: '3', allowWatchBookmarks: true, timeoutSeconds: 300 }),
    );
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'BOOKMARK']);
    expect(seen[0]?.url).toBe(
      '/apis/certificates.orch.io/v1/namespaces/default/widgets?watch=true&resourceVersion=3&allowWatchBookmarks=true&timeoutSeconds=300',
    );
  });

  it('throws an ERROR event as ApiError', async () => {
    const { client } = setUp([lines({ type: 'ERROR', object: status(410, 'Expired') })]);
    await expect(collect(client.all(widgets).watch({ resourceVersion: '3' }))).rejects.toSatisfy(isGone);
  });

  it('rejects a stream that ends within an event as a protocol error', async () => {
    const { client } = setUp([{ status: 200, headers: {}, body: encode('{"type":"ADDED","obj') }]);
    await expect(collect(client.all(widgets).watch({ resourceVersion: '3' }))).rejects.toMatchObject({
      code: 'ERR_PROTOCOL',
    });
  });

  it('aborts the request at the server when its loop is left', async () => {
    let aborted = false;
    const { client } = setUp([
      (request) => {
        request.signal.addEventListener('abort', () => (aborted = true));
        return Promise.resolve({
          status: 200,
          headers: {},
          body: (sink) =>
            void sink.write(encode(`${JSON.stringify({ type: 'ADDED', object: widget('a') })}\n`)),
        });
      },
    ]);
    for await (const event of client.all(widgets).watch({ resourceVersion: '1' })) {
      expect(event.type).toBe('ADDED');
      break;
    }
    expect(aborted).toBe(true);
  });

  it('returns transformed objects frozen', async () => {
    const { client } = setUp([lines({ type: 'ADDED', object: { metadata: { name: 'a' }, size: 3 } })]);
    const transform = ({ metadata = {} }: DeepReadonly<Widget>): DeepReadonly<Widget> => ({ metadata });
    const [event] = await collect(client.all(widgets).watch({ resourceVersion: '3', transform }));
    expect(event).toEqual({ type: 'ADDED', object: { metadata: { name: 'a' } } });
    expect([event?.object, event?.object.metadata].every(Object.isFrozen)).toBe(true);
  });

  it('ends a silent watch with the reason of its signal', async () => {
    const controller = new AbortController();
    const { client, clock } = setUp([{ status: 200, headers: {}, body: () => {} }]);
    const watched = collect(client.all(widgets).watch({ resourceVersion: '1', signal: controller.signal }));
    watched.catch(() => {});
    await clock.advance(3_600_000);
    controller.abort(new Error('enough'));
    await expect(watched).rejects.toThrow('enough');
  });
});

describe('client error responses', () => {
  it('throws a Status body as ApiError with code, reason and details', async () => {
    const { client } = setUp([json(409, status(409, 'Conflict'))]);
    await expect(client.namespaced(widgets, 'default').update(widget('a'))).rejects.toSatisfy(isConflict);
  });

  it.each(['<html>', '', '{"kind":"Other"}', 'null'])(
    'throws any other body (%j) as ApiError with the HTTP status',
    async (body) => {
      const { client } = setUp([{ status: 404, headers: {}, body: encode(body) }]);
      const thrown: unknown = await client
        .namespaced(widgets, 'default')
        .get('a')
        .catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(ApiError);
      expect(thrown).toMatchObject({ code: 404, reason: 'Unknown' });
      expect(isNotFound(thrown)).toBe(true);
    },
  );

  it.each([
    [
      'Client sent an HTTP request to an HTTPS server.\n',
      ': Client sent an HTTP request to an HTTPS server.',
    ],
    ['upstream connect error\r\nreset: 0x1', ': upstream connect error'],
    ['<html>', ''],
    ['{"kind":"Other"}', ''],
    [`${'x'.repeat(201)}`, ''],
    ['\u001b[31mred', ''],
  ])('includes the readable first line of %j in the message', async (body, shown) => {
    const { client } = setUp([{ status: 400, headers: {}, body: encode(body) }]);
    await expect(client.namespaced(widgets, 'default').get('a')).rejects.toThrow(
      new RegExp(`returned HTTP 400 without a Status${shown.replaceAll('.', String.raw`\.`)}$`),
    );
  });

  it('rejects a successful response that is not an object as a protocol error', async () => {
    for (const body of ['<html>', '[]', '']) {
      const { client } = setUp([{ status: 200, headers: {}, body: encode(body) }]);
      await expect(client.namespaced(widgets, 'default').get('a')).rejects.toMatchObject({
        code: 'ERR_PROTOCOL',
      });
    }
  });
});

describe('a response above its limit', () => {
  const MIB = 1024 * 1024;
  /** An endless body; records how much was taken and whether its reader has closed it. */
  const endless = (status = 200) => {
    const taken = { bytes: 0, isOver: false };
    const chunk = new Uint8Array(64 * 1024).fill(0x20);
    const answer: HttpResponse = {
      status,
      headers: { 'content-type': 'application/json' },
      body: (sink) => {
        const more = (): void => {
          do taken.bytes += chunk.length;
          while (sink.write(chunk));
          sink.onDrain(more);
        };
        sink.onClose(() => (taken.isOver = true));
        more();
      },
    };
    return { answer, taken };
  };
  const limits = { objectBytes: MIB, listBytes: 2 * MIB };
  type Api = ReturnType<typeof setUp>['client'];

  it.each<[string, number, number, (client: Api) => Promise<unknown>]>([
    ['an object', 200, MIB, (client) => client.namespaced(widgets, 'default').get('a')],
    ['a write', 200, MIB, (client) => client.namespaced(widgets, 'default').create(widget('a'))],
    ['a refusal', 404, MIB, (client) => client.namespaced(widgets, 'default').get('a')],
    ['a refused watch', 403, MIB, (client) => collect(client.all(widgets).watch({ resourceVersion: '1' }))],
    ['a page', 200, 2 * MIB, (client) => client.all(widgets).list()],
    ['a path', 200, 2 * MIB, (client) => client.request({ method: 'GET', path: '/openapi/v2' })],
  ])('is not read further nor requested again for %s', async (_what, code, limit, ask) => {
    const { answer, taken } = endless(code);
    const { client, seen } = setUp([answer], { limits });
    await expect(ask(client)).rejects.toMatchObject({
      code: 'ERR_TOO_LARGE',
      message: `the response is longer than ${limit} bytes`,
    });
    expect(taken.isOver).toBe(true);
    expect(taken.bytes).toBeLessThanOrEqual(limit + 2 * 64 * 1024);
    expect(seen).toHaveLength(1);
  });

  it('is rejected even if it arrived whole, and accepted at the limit', async () => {
    const text = JSON.stringify(widget('a'));
    const large = setUp([{ status: 200, headers: {}, body: encode(text) }], {
      limits: { objectBytes: text.length - 1 },
    });
    await expect(large.client.namespaced(widgets, 'default').get('a')).rejects.toMatchObject({
      code: 'ERR_TOO_LARGE',
    });
    const fits = setUp([{ status: 200, headers: {}, body: encode(text) }], {
      limits: { objectBytes: text.length },
    });
    await expect(fits.client.namespaced(widgets, 'default').get('a')).resolves.toEqual(widget('a'));
  });

  it('has a default limit of 32 MiB', async () => {
    const { answer, taken } = endless();
    const { client } = setUp([answer]);
    await expect(client.namespaced(widgets, 'default').get('a')).rejects.toMatchObject({
      code: 'ERR_TOO_LARGE',
    });
    expect(taken.bytes).toBeGreaterThan(32 * MIB);
    expect(taken.bytes).toBeLessThan(33 * MIB);
  });
});

describe('client retries', () => {
  const busy = json(429, status(429, 'TooManyRequests'), { 'Retry-After': '2' });

  it('retries a create after the time requested by the server', async () => {
    const { client, clock, seen } = setUp([busy, { ...busy, status: 503 }, json(201, widget('a'))]);
    const created = client.namespaced(widgets, 'default').create(widget('a'));
    await clock.advance(1_999);
    expect(seen.length).toBe(1);
    await clock.advance(1);
    expect(seen.length).toBe(2);
    await clock.advance(2_000);
    expect((await created).metadata?.name).toBe('a');
  });

  it('retries ten times and then throws the response', async () => {
    const { client, clock, seen } = setUp([busy]);
    const got = client.namespaced(widgets, 'default').get('a');
    got.catch(() => {});
    await clock.advance(60_000);
    await expect(got).rejects.toMatchObject({ code: 429, retryAfterSeconds: 2 });
    expect(seen.length).toBe(11);
  });

  it('throws at once without Retry-After or with one that is too long', async () => {
    for (const headers of [{}, { 'Retry-After': '86400' }]) {
      const { client, seen } = setUp([json(429, status(429, 'TooManyRequests'), headers)]);
      await expect(client.namespaced(widgets, 'default').get('a')).rejects.toMatchObject({ code: 429 });
      expect(seen.length).toBe(1);
    }
  });

  it('retries a 500 with Retry-After for reads only', async () => {
    const failing = json(500, status(500, 'InternalError'), { 'Retry-After': '0' });
    const write = setUp([failing]);
    await expect(write.client.namespaced(widgets, 'default').create(widget('a'))).rejects.toMatchObject({
      code: 500,
    });
    expect(write.seen.length).toBe(1);
    const read = setUp([failing, json(200, widget('a'))]);
    const got = read.client.namespaced(widgets, 'default').get('a');
    await read.clock.advance(0);
    expect((await got).metadata?.name).toBe('a');
  });

  it('never retries a create after a lost response', async () => {
    const { client, seen } = setUp([new Error('socket hang up')]);
    await expect(client.namespaced(widgets, 'default').create(widget('a'))).rejects.toMatchObject({
      code: 'ERR_CONNECTION',
    });
    expect(seen.length).toBe(1);
  });

  it('retries a create without a connection, because nothing was sent', async () => {
    const server = createInMemoryTransport({ handler: async () => json(201, widget('a')) });
    let tries = 0;
    const transport: Transport = {
      send: (request) =>
        ++tries === 1
          ? Promise.reject(new ClientError('ERR_UNREACHABLE', 'no connection'))
          : server.send(request),
      close: () => server.close(),
    };
    const { client, clock } = setUp([], { transport });
    const made = client.namespaced(widgets, 'default').create(widget('a'));
    await clock.advance(1_000);
    expect((await made).metadata?.name).toBe('a');
    expect(tries).toBe(2);
  });

  it('retries a read after a broken connection', async () => {
    const { client, clock } = setUp([new Error('reset'), new Error('reset'), json(200, widget('a'))]);
    const got = client.namespaced(widgets, 'default').get('a');
    await clock.advance(1_000);
    expect((await got).metadata?.name).toBe('a');
  });

  it('ends a retry delay when the signal aborts', async () => {
    const controller = new AbortController();
    const { client, clock } = setUp([busy]);
    const got = client.namespaced(widgets, 'default').get('a', { signal: controller.signal });
    got.catch(() => {});
    await clock.advance(500);
    controller.abort(new Error('enough'));
    await expect(got).rejects.toThrow('enough');
    expect(clock.pending).toBe(0);
  });
});

describe('client time', () => {
  it('rejects a request without a response in time as ERR_TIMEOUT, without a retry', async () => {
    const { client, clock, seen } = setUp([never]);
    const got = client.namespaced(widgets, 'default').get('a');
    got.catch(() => {});
    await clock.advance(30_000);
    await expect(got).rejects.toMatchObject({ code: 'ERR_TIMEOUT' });
    expect(seen.length).toBe(1);
  });

  it('applies the time limit to a stalled body', async () => {
    const { client, clock } = setUp([
      { status: 200, headers: {}, body: (sink) => void sink.write(encode('{')) },
    ]);
    const got = client.namespaced(widgets, 'default').get('a');
    got.catch(() => {});
    await clock.advance(30_000);
    await expect(got).rejects.toMatchObject({ code: 'ERR_TIMEOUT' });
  });

  it('delays requests beyond the burst in order and drops aborted ones', async () => {
    const waits: number[] = [];
    const observe = ({ waitedMs }: { readonly waitedMs: number }): void => void waits.push(waitedMs);
    const { client, clock, seen } = setUp([json(200, widget('a'))], { qps: 10, burst: 2, observe });
    const some = client.namespaced(widgets, 'default');
    const controller = new AbortController();
    const all = [some.get('a'), some.get('b'), some.get('c', { signal: controller.signal }), some.get('d')];
    all[2]?.catch(() => {});
    await clock.advance(0);
    expect(seen.length).toBe(2);
    controller.abort(new Error('enough'));
    await clock.advance(100);
    expect(seen.map(({ url }) => url.at(-1))).toEqual(['a', 'b', 'd']);
    expect(waits).toEqual([0, 0, 100]);
    await expect(all[2]).rejects.toThrow('enough');
  });

  it('ends open requests and rejects new ones once closed', async () => {
    const { client, clock } = setUp([never]);
    const got = client.namespaced(widgets, 'default').get('a');
    got.catch(() => {});
    await clock.advance(1);
    await client.close();
    await expect(got).rejects.toMatchObject({ code: 'ERR_CLOSED' });
    await expect(client.namespaced(widgets, 'default').get('a')).rejects.toMatchObject({
      code: 'ERR_CLOSED',
    });
    expect(clock.pending).toBe(0);
  });
});

describe('client raw requests', () => {
  it('returns a body other than JSON as text', async () => {
    const { client } = setUp([
      { status: 200, headers: { 'content-type': 'text/plain' }, body: encode('ok') },
    ]);
    expect(await client.request({ method: 'GET', path: '/healthz' })).toMatchObject({
      status: 200,
      body: 'ok',
    });
  });
});
