import { describe, expect, it } from 'vitest';
import { builtinKinds, configMaps, cronJobs } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { type HttpHandler, type HttpResponse, withHeaders } from '../../base/http/message.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { useWorld } from '../../test/world/use-world.ts';
import { discover } from './discovery.ts';
import { createInMemoryTransport } from './in-memory-transport.ts';
import { createClient } from './rest-client.ts';

const answer = (status: number, body: object): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(body)),
});

/** A client of a server that records each request and the status of its response. */
function clientOf(handler: HttpHandler) {
  const asked: string[] = [];
  const transport = createInMemoryTransport({
    handler: async (request) => {
      const response = await handler(request);
      asked.push(`${request.url} ${response.status}`);
      return response;
    },
    peer: { address: '127.0.0.1' },
  });
  const scheme = createScheme(orchVocabulary, builtinKinds);
  const client = createClient({
    scheme,
    transport,
    clock: createSimulatedClock(),
    log: silentLogger,
    userAgent: 'test',
  });
  return { client, asked };
}

const group = (name: string, ...versions: readonly object[]) => ({ metadata: { name }, versions });
const resource = (plural: string, kind: string) => ({
  resource: plural,
  responseKind: { group: '', version: '', kind },
  scope: 'Namespaced',
  verbs: ['get'],
});
const inOne = (...items: readonly object[]) => answer(200, { kind: 'APIGroupDiscoveryList', items });

describe('discover', () => {
  it('reads two aggregated documents and receives 304 while they are unchanged', async () => {
    const world = await useWorld({ controllers: [] });
    const peer = world.peerOf('admin', 'system:masters');
    const { client, asked } = clientOf((request) =>
      world.server.handler({ ...withHeaders(request, request.headers), peer }),
    );
    const first = await discover(client);
    const again = await discover(client);
    expect(again).toBe(first);
    expect(asked).toEqual(['/apis 200', '/api 200', '/apis 304', '/api 304']);
    expect(first.failures).toEqual([]);
    const found = ({ plural, version }: { plural: string; version: string }) =>
      first.resources.find((each) => each.plural === plural && each.version === version);
    expect(found(configMaps)).toMatchObject({ group: '', kind: 'ConfigMap', namespaced: true });
    expect(found(cronJobs)).toMatchObject({ group: 'batch', kind: 'CronJob', namespaced: true });
    expect(first.resources.filter(({ plural }) => plural === 'cronjobs')).toHaveLength(1);
  });

  it('returns the same resources from a server with one document per group version', async () => {
    const world = await useWorld({ controllers: [] });
    const peer = world.peerOf('admin', 'system:masters');
    const { handler } = world.server;
    const newer = clientOf((request) => handler({ ...withHeaders(request, request.headers), peer }));
    const older = clientOf((request) =>
      handler({ ...withHeaders(request, { ...request.headers, accept: ['application/json'] }), peer }),
    );
    const byName = (a: { group: string; plural: string }, b: { group: string; plural: string }) =>
      `${a.group}/${a.plural}` < `${b.group}/${b.plural}` ? -1 : 1;
    const [now, then] = [await discover(newer.client), await discover(older.client)];
    expect([...then.resources].sort(byName)).toEqual([...now.resources].sort(byName));
    expect(older.asked.length).toBeGreaterThan(10);
  });

  it('selects the first version of a group that serves the resource', async () => {
    const { client } = clientOf(async ({ url }) =>
      url === '/api'
        ? inOne(group('', { version: 'v1', resources: [resource('pods', 'Pod')] }))
        : inOne(
            group(
              'toys.io',
              { version: 'v2', resources: [resource('cars', 'Car')] },
              { version: 'v1', resources: [resource('cars', 'Car'), resource('trains', 'Train')] },
            ),
          ),
    );
    const { resources } = await discover(client);
    expect(resources.map(({ plural, version, versions }) => [plural, version, versions])).toEqual([
      ['pods', 'v1', ['v1']],
      ['cars', 'v2', ['v2', 'v1']],
      ['trains', 'v1', ['v1']],
    ]);
  });

  it('lists unreadable group versions as failures', async () => {
    const stale = clientOf(async ({ url }) =>
      url === '/api'
        ? answer(503, { kind: 'Status', reason: 'ServiceUnavailable', message: 'not now', code: 503 })
        : inOne(group('toys.io', { version: 'v1', freshness: 'Stale', resources: [] })),
    );
    expect((await discover(stale.client)).failures).toEqual([
      { groupVersion: 'v1', message: 'not now' },
      { groupVersion: 'toys.io/v1', message: 'the server is currently unable to handle the request' },
    ]);
    const older = clientOf(async ({ url }) =>
      url === '/apis'
        ? answer(200, {
            kind: 'APIGroupList',
            groups: [{ name: 'toys.io', versions: [{ groupVersion: 'toys.io/v1' }] }],
          })
        : url === '/api/v1'
          ? answer(200, { resources: [{ name: 'pods', kind: 'Pod' }, { name: 'pods/log' }] })
          : answer(503, { kind: 'Status', reason: 'ServiceUnavailable', message: 'not now', code: 503 }),
    );
    const found = await discover(older.client);
    expect(found.resources.map(({ plural }) => plural)).toEqual(['pods']);
    expect(found.failures).toEqual([{ groupVersion: 'toys.io/v1', message: 'not now' }]);
  });

  it('uses the message of client-go for an unavailable server without a Status', async () => {
    const { client } = clientOf(async ({ url }) =>
      url === '/apis'
        ? answer(200, {
            kind: 'APIGroupList',
            groups: [{ name: 'toys.io', versions: [{ groupVersion: 'toys.io/v1' }] }],
          })
        : url === '/api/v1'
          ? answer(200, { resources: [] })
          : answer(503, {}),
    );
    expect((await discover(client)).failures).toEqual([
      { groupVersion: 'toys.io/v1', message: 'the server is currently unable to handle the request' },
    ]);
  });

  it('rejects if the groups cannot be read', async () => {
    const { client } = clientOf(async () =>
      answer(403, { kind: 'Status', reason: 'Forbidden', message: 'not you', code: 403 }),
    );
    await expect(discover(client)).rejects.toThrow('not you');
  });
});
