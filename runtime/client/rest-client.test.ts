import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Int64 } from '../../api/schema/exact-json.ts';
import type { DeepReadonly, Kind } from '../../api/kinds/kind.ts';
import { isGone } from '../../api/status/api-error.ts';
import {
  type Widget,
  boxes,
  collect,
  encode,
  json,
  lines,
  list,
  setUp,
  status,
  widget,
  widgets,
} from './rest-client.fixture.ts';

describe('paths and bodies of the client', () => {
  it('follow the API for each verb', async () => {
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

  it('include preconditions, propagation policy and grace period in DeleteOptions', async () => {
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
  /** Returns the value as a bigint only if a double would round it. */
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

describe('a list of the client', () => {
  it('collects all pages and sets the kind of the items', async () => {
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

  it('restarts as one response after its continue token expired', async () => {
    const { client, seen } = setUp([
      list(['old'], '1', 'more'),
      json(410, status(410, 'Expired')),
      list(['a', 'b'], '9'),
    ]);
    const got = await client.all(widgets).list({ pageSize: 1 });
    expect(got.items.map((item) => item.metadata?.name)).toEqual(['a', 'b']);
    expect(seen[2]?.url).toBe('/apis/certificates.orch.io/v1/widgets');
  });

  it('is rejected if it expires in one response', async () => {
    const { client, seen } = setUp([json(410, status(410, 'Expired'))]);
    await expect(client.all(widgets).list()).rejects.toSatisfy(isGone);
    expect(seen.length).toBe(2);
  });

  it('is empty if the items are null, as Go servers write an empty list', async () => {
    const { client } = setUp([json(200, { metadata: { resourceVersion: '4' }, items: null })]);
    expect(await client.all(widgets).list()).toEqual({ resourceVersion: '4', items: [] });
  });

  it('is rejected as a protocol error if a continue token is repeated', async () => {
    const { client } = setUp([list(['a'], '1', 'same')]);
    await expect(client.all(widgets).list()).rejects.toMatchObject({ code: 'ERR_PROTOCOL' });
  });
});

describe('a watch of the client', () => {
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

  it('throws a protocol error if the stream ends within an event', async () => {
    const { client } = setUp([{ status: 200, headers: {}, body: encode('{"type":"ADDED","obj') }]);
    await expect(collect(client.all(widgets).watch({ resourceVersion: '3' }))).rejects.toMatchObject({
      code: 'ERR_PROTOCOL',
    });
  });

  it('aborts the request at the server when the loop over its events is left', async () => {
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

  it('ends with the reason of its signal if the server is silent', async () => {
    const controller = new AbortController();
    const { client, clock } = setUp([{ status: 200, headers: {}, body: () => {} }]);
    const watched = collect(client.all(widgets).watch({ resourceVersion: '1', signal: controller.signal }));
    watched.catch(() => {});
    await clock.advance(3_600_000);
    controller.abort(new Error('enough'));
    await expect(watched).rejects.toThrow('enough');
  });
});
