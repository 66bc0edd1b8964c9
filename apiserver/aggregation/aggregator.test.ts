import { afterEach, describe, expect, it } from 'vitest';
import { apiServices, builtinKinds, componentStatuses } from '../../api/groups/index.ts';
import { type AnyKind, createScheme } from '../../api/kinds/scheme.ts';
import type { APIService } from '../../api/types/apiregistration-v1.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { createInMemoryOutbound } from '../../base/http/in-memory-outbound.ts';
import type { BodySink, HttpHandler, HttpRequest, HttpResponse } from '../../base/http/message.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { anonymous } from '../auth/anonymous.ts';
import { createImpersonation } from '../auth/impersonation.ts';
import { createInMemoryCaller } from '../http/in-memory.ts';
import { parseRequestInfo } from '../http/request/request-info.ts';
import type { Attributes } from '../request.ts';
import { createServiceResolver } from '../outbound/service-resolver.ts';
import { type ApiServer, createApiServer } from '../server.ts';
import { createMemoryStorage } from '../storage/memory.ts';
import { stampResourceVersion } from '../storage/stamp.ts';
import { endpoints, services } from '../../api/groups/core-v1-service.ts';

const GROUP = 'wardle.example.com';
const ORIGIN = 'https://10.1.1.1:8443';
const scheme = createScheme(kubernetesVocabulary, builtinKinds);
const authorized: Attributes[] = [];
const allowed = {
  name: 'test',
  authorize: async (attributes: Attributes) => {
    authorized.push(attributes);
    return { verdict: 'allow' as const, reason: '' };
  },
};

const started: ApiServer[] = [];
afterEach(async () => {
  for (const server of started.splice(0)) await server.stop();
});

const json = (value: unknown, status = 200): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(value)),
});

/** An extension server that records its requests. */
function extensionServer() {
  const seen: HttpRequest[] = [];
  const watchers: BodySink[] = [];
  const swaggers: number[] = [];
  const state = { up: true, drips: false, swagger: undefined as { readonly etag: string } | undefined };
  const handler: HttpHandler = async (request) => {
    if (!state.up) throw new Error('ECONNREFUSED');
    const { pathname, searchParams } = new URL(request.url, ORIGIN);
    if (pathname === `/apis/${GROUP}/v1` && state.drips)
      return { status: 200, headers: {}, body: (sink) => void sink.write(Buffer.from('{')) };
    if (pathname === `/apis/${GROUP}/v1`)
      return json({
        kind: 'APIResourceList',
        groupVersion: `${GROUP}/v1`,
        resources: [
          { name: 'flunders', singularName: 'flunder', namespaced: true, kind: 'Flunder', verbs: ['get'] },
          { name: 'flunders/status', singularName: '', namespaced: true, kind: 'Flunder', verbs: ['get'] },
        ],
      });
    if (pathname === '/openapi/v2' && state.swagger !== undefined) {
      const { etag, ...document } = state.swagger;
      swaggers.push(request.headers['if-none-match']?.[0] === etag ? 304 : 200);
      return swaggers.at(-1) === 304
        ? { status: 304, headers: { etag }, body: Buffer.alloc(0) }
        : { ...json(document), headers: { etag } };
    }
    if (pathname.startsWith('/openapi')) return json({}, 404);
    seen.push(request);
    if (pathname.endsWith('/away'))
      return { status: 302, headers: { location: 'https://elsewhere/' }, body: Buffer.alloc(0) };
    if (searchParams.get('watch') === 'true')
      return { status: 200, headers: {}, body: (sink) => void watchers.push(sink) };
    const body = (await request.body(1024)).toString();
    return { ...json({ method: request.method, body }, 201), headers: { 'x-peer': 'yes' } };
  };
  return { handler, seen, watchers, swaggers, state };
}

async function startServer(peer: { handler: HttpHandler }) {
  const clock = createSimulatedClock();
  const random = createSeededRandom(1);
  const server = createApiServer({
    scheme,
    environment: { clock, random, log: silentLogger },
    storage: createMemoryStorage({ stamp: stampResourceVersion }),
    authenticators: [
      {
        name: 'test',
        authenticate: async ({ headers }) => ({
          user: { username: headers['user']?.[0] ?? 'admin', groups: ['devs'], extra: { 'a/b': ['1'] } },
        }),
      },
      anonymous,
    ],
    authorizer: allowed,
    stages: [createImpersonation({ authorizer: allowed, vocabulary: kubernetesVocabulary })],
    aggregation: (registry) => ({
      outbound: createInMemoryOutbound((origin) => (origin === ORIGIN ? peer : undefined)),
      resolve: createServiceResolver({
        services: registry.reader(services),
        endpoints: registry.reader(endpoints),
        random,
      }),
    }),
    components: [
      { name: 'etcd-0', check: async () => ({ healthy: true, message: 'ok' }) },
      { name: 'scheduler', check: async () => ({ healthy: false, message: 'unreachable' }) },
    ],
  });
  started.push(server);
  await server.start();
  const caller = createInMemoryCaller(server.handler);
  const apiService = async (name = `v1.${GROUP}`): Promise<string> => {
    const { status } = await (
      await caller.request('GET', `/apis/apiregistration.k8s.io/v1/apiservices/${name}`)
    ).json<APIService>();
    const condition = status?.conditions?.[0];
    return `${condition?.status} ${condition?.reason}: ${condition?.message}`;
  };
  /** Advances the clock until availability checks, which run in the background, are done. */
  const settle = () => clock.advance(31_000);
  return { server, caller, clock, apiService, settle };
}

type Started = Awaited<ReturnType<typeof startServer>>;

const registration = (version = 'v1', changes: object = {}) => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: `${version}.${GROUP}` },
  spec: {
    group: GROUP,
    version,
    groupPriorityMinimum: 2000,
    versionPriority: 15,
    service: { name: 'wardle', namespace: 'default' },
    insecureSkipTLSVerify: true,
    ...changes,
  },
});

async function post({ caller }: Started, url: string, body: object): Promise<void> {
  const response = await caller.request('POST', url, { body });
  expect([response.status, response.status < 300 ? '' : await response.text()]).toEqual([201, '']);
}

const CORE = '/api/v1/namespaces/default';
const REGISTRATIONS = '/apis/apiregistration.k8s.io/v1/apiservices';
const service = (port = 443) => ({
  metadata: { name: 'wardle' },
  spec: { ports: [{ name: 'https', port }] },
});
const address = (...ips: string[]) => ({
  metadata: { name: 'wardle' },
  subsets: [{ addresses: ips.map((ip) => ({ ip })), ports: [{ name: 'https', port: 8443 }] }],
});

/** Starts a server with one available extension server. */
async function startAggregated() {
  const peer = extensionServer();
  const main = await startServer(peer);
  await post(main, '/api/v1/namespaces', { metadata: { name: 'default' } });
  await post(main, `${CORE}/services`, service());
  await post(main, `${CORE}/endpoints`, address('10.1.1.1'));
  await post(main, REGISTRATIONS, registration());
  await main.settle();
  return { ...main, peer };
}

describe('API services of the server itself', () => {
  it('are created for every group version except their own', async () => {
    const { caller, apiService } = await startServer(extensionServer());
    const { items } = await (await caller.request('GET', REGISTRATIONS)).json<{ items: APIService[] }>();
    const names = new Set(items.map(({ metadata }) => metadata?.name));
    const expected = builtinKinds
      .filter(({ group }) => group !== 'apiregistration')
      .map((kind) => `${kind.version}.${kubernetesVocabulary.group(kind.group)}`);
    expect(names).toEqual(new Set(expected));
    expect(await apiService('v1.apps')).toBe('True Local: Local APIServices are always available');
    expect(items.find(({ metadata }) => metadata?.name === 'v1.apps')?.metadata?.labels).toEqual({
      'kube-aggregator.kubernetes.io/automanaged': 'onstart',
    });
  });

  it('are listed in discovery by priority, with the registration group first', async () => {
    const { caller } = await startServer(extensionServer());
    const { groups } = await (await caller.request('GET', '/apis')).json<{ groups: { name: string }[] }>();
    const names = groups.map(({ name }) => name);
    expect(names.slice(0, 4)).toEqual([
      'apiregistration.k8s.io',
      'apps',
      'events.k8s.io',
      'authentication.k8s.io',
    ]);
    expect(names.at(-1)).toBe('flowcontrol.apiserver.k8s.io');
  });
});

describe('the condition of an API service of another server', () => {
  it('reports each missing part in turn', async () => {
    const peer = extensionServer();
    const main = await startServer(peer);
    const { settle, apiService, caller } = main;
    await post(main, '/api/v1/namespaces', { metadata: { name: 'default' } });
    await post(main, REGISTRATIONS, registration());
    await settle();
    expect(await apiService()).toBe('False ServiceNotFound: service/wardle in "default" is not present');
    await post(main, `${CORE}/services`, service(444));
    await settle();
    expect(await apiService()).toBe(
      'False ServicePortError: service/wardle in "default" is not listening on port 443',
    );
    await caller.request('DELETE', `${CORE}/services/wardle`);
    await post(main, `${CORE}/services`, service());
    await settle();
    expect(await apiService()).toBe(
      'False EndpointsNotFound: cannot find endpoints for service/wardle in "default"',
    );
    await post(main, `${CORE}/endpoints`, { metadata: { name: 'wardle' } });
    await settle();
    expect(await apiService()).toBe(
      'False MissingEndpoints: endpoints for service/wardle in "default" have no addresses with port name "https"',
    );
    await caller.request('PUT', `${CORE}/endpoints/wardle`, { body: address('10.9.9.9') });
    await settle();
    expect(await apiService()).toContain('False FailedDiscoveryCheck: failing or missing response from');
    await caller.request('PUT', `${CORE}/endpoints/wardle`, { body: address('10.1.1.1') });
    await settle();
    expect(await apiService()).toBe('True Passed: all checks passed');
  });

  it('is false for a server that never completes its response', async () => {
    const { apiService, clock, peer } = await startAggregated();
    peer.state.drips = true;
    await clock.advance(30_000 + 2 * 5_000);
    expect(await apiService()).toContain('False FailedDiscoveryCheck');
    expect(await apiService()).toContain('context deadline exceeded');
    peer.state.drips = false;
    await clock.advance(60_000);
    expect(await apiService()).toBe('True Passed: all checks passed');
  });

  it('follows a server that becomes unavailable and available again, as do the metrics', async () => {
    const { apiService, settle, peer, caller } = await startAggregated();
    const metrics = async (): Promise<readonly string[]> => {
      const text = await (await caller.request('GET', '/metrics')).text();
      return text.split('\n').filter((line) => line.startsWith('aggregator_unavailable_apiservice'));
    };
    const name = `name="v1.${GROUP}"`;
    expect(await apiService()).toBe('True Passed: all checks passed');
    expect(await metrics()).toEqual([`aggregator_unavailable_apiservice{${name}} 0`]);
    peer.state.up = false;
    await settle();
    expect(await metrics()).toEqual([
      `aggregator_unavailable_apiservice{${name}} 1`,
      `aggregator_unavailable_apiservice_total{${name},reason="FailedDiscoveryCheck"} 1`,
    ]);
    expect(await apiService()).toContain('False FailedDiscoveryCheck');
    const refused = await caller.request('GET', `/apis/${GROUP}/v1/flunders`);
    expect([refused.status, await refused.text()]).toEqual([503, 'service unavailable\n']);
    peer.state.up = true;
    await settle();
    expect(await apiService()).toBe('True Passed: all checks passed');
  });
});

describe('a request for a group version of another server', () => {
  it('is forwarded with the identity of the user, whatever headers the client sends', async () => {
    const { caller, peer } = await startAggregated();
    const response = await caller.request(
      'POST',
      `/apis/${GROUP}/v1/namespaces/default/flunders?dryRun=All`,
      {
        headers: {
          user: 'alice',
          authorization: 'Bearer secret',
          'x-remote-user': 'root',
          'x-remote-group': 'system:masters',
          'x-forwarded-for': '192.0.2.1',
        },
        body: 'hello',
      },
    );
    expect([response.status, response.header('x-peer')]).toEqual([201, 'yes']);
    expect(await response.json()).toEqual({ method: 'POST', body: 'hello' });
    const [request] = peer.seen;
    expect(request?.url).toBe(`/apis/${GROUP}/v1/namespaces/default/flunders?dryRun=All`);
    expect(request?.headers).toMatchObject({
      'x-remote-user': ['alice'],
      'x-remote-group': ['devs'],
      'x-remote-extra-a%2fb': ['1'],
      'x-forwarded-for': ['192.0.2.1, 127.0.0.1'],
      'x-forwarded-host': ['10.1.1.1:8443'],
      'x-forwarded-proto': ['https'],
      'x-forwarded-uri': [`/apis/${GROUP}/v1/namespaces/default/flunders`],
      'audit-id': [response.header('audit-id')],
    });
    expect(request?.headers['authorization']).toBeUndefined();
  });

  it('is forwarded only if a server that ignores empty segments and matrix parameters reads the authorized path', async () => {
    const { caller, peer } = await startAggregated();
    const path = `/apis/${GROUP}/v1/namespaces/a/flunders/x`;
    const parts = [
      '//',
      '/./',
      '/../',
      '/..;/',
      '/..;a=b/',
      '/%2e%2e;/',
      '/.;/',
      '/;/',
      '/;a/',
      ';a/',
      '/..;/..;/..;/b/',
    ];
    const after = ['', '/', '//', ';a', '/;a', '/..;', '/..;/y', '/..;/..;/..;/b/flunders', '//status'];
    const slashes = [...path.matchAll(/\//g)].map(({ index }) => index);
    const spellings = [
      ...slashes.flatMap((at) => parts.map((part) => path.slice(0, at) + part + path.slice(at + 1))),
      ...after.map((end) => path + end),
    ];
    let forwarded = 0;
    for (const spelling of spellings) {
      peer.seen.length = 0;
      authorized.length = 0;
      await caller.request('GET', spelling);
      const [request] = peer.seen;
      if (request === undefined) continue;
      forwarded++;
      const plain = request.url.replace(/;[^/]*/g, '').replace(/\/+/g, '/');
      const { namespace, resource, subresource, name } = parseRequestInfo(
        'GET',
        new URL(plain, ORIGIN).pathname,
      );
      expect([spelling, authorized[0]]).toMatchObject([spelling, { namespace, resource, subresource, name }]);
    }
    expect(forwarded).toBeGreaterThan(1);
    await caller.request('GET', `${path}/proxy//a;b`);
    expect(peer.seen.at(-1)?.url).toBe(`${path}/proxy//a;b`);
  });

  it('is forwarded with the impersonated identity', async () => {
    const { caller, peer } = await startAggregated();
    await caller.request('GET', `/apis/${GROUP}/v1/flunders`, { headers: { 'impersonate-user': 'bob' } });
    expect(peer.seen[0]?.headers).toMatchObject({
      'x-remote-user': ['bob'],
      'x-remote-group': ['system:authenticated'],
    });
    expect(peer.seen[0]?.headers['impersonate-user']).toBeUndefined();
  });

  it('is never redirected by that server', async () => {
    const { caller } = await startAggregated();
    const response = await caller.request('GET', `/apis/${GROUP}/v1/away`);
    expect([response.status, await response.text()]).toEqual([
      502,
      'the backend attempted to redirect this request, which is not permitted',
    ]);
  });

  it('forwards the requested protocol upgrade and the identity', async () => {
    const { caller, peer } = await startAggregated();
    const headers = { connection: 'Upgrade', upgrade: 'SPDY/3.1' };
    await caller.request('GET', `/apis/${GROUP}/v1/flunders`, { headers });
    expect(peer.seen[0]?.headers).toMatchObject({
      connection: ['Upgrade'],
      upgrade: ['SPDY/3.1'],
      'x-remote-user': [expect.any(String) as string],
    });
  });

  it('gets 503 if the server fails between two checks', async () => {
    const { caller, peer } = await startAggregated();
    peer.state.up = false;
    const response = await caller.request('GET', `/apis/${GROUP}/v1/flunders`);
    expect(response.status).toBe(503);
    expect(await response.text()).toContain('error trying to reach service: ');
  });

  it('streams watch events as they arrive, and is aborted there when the client disconnects', async () => {
    const { caller, peer } = await startAggregated();
    const response = await caller.request('GET', `/apis/${GROUP}/v1/flunders?watch=true`);
    const chunks = response.chunks();
    const first = chunks.next();
    const [sink] = peer.watchers;
    sink?.write(Buffer.from('{"type":"ADDED"}\n'));
    expect(Buffer.from((await first).value as Uint8Array).toString()).toBe('{"type":"ADDED"}\n');
    const gone = new Promise<void>((resolve) => sink?.onClose(resolve));
    await chunks.return?.();
    await gone;
    expect(peer.seen[0]?.signal.aborted).toBe(true);
  });

  it('is not forwarded after the deletion of its API service', async () => {
    const { caller, peer } = await startAggregated();
    await caller.request('DELETE', `${REGISTRATIONS}/v1.${GROUP}`);
    expect((await caller.request('GET', `/apis/${GROUP}/v1/flunders`)).status).toBe(404);
    expect(peer.seen).toEqual([]);
  });
});

describe('discovery with another server', () => {
  const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  interface Groups {
    items: { metadata: { name: string }; versions: { freshness: string; resources: object[] }[] }[];
  }
  const versionsOf = async ({ caller }: Started) => {
    const response = await caller.request('GET', '/apis', { headers: { accept: aggregated } });
    const { items } = await response.json<Groups>();
    return items.find(({ metadata }) => metadata.name === GROUP)?.versions;
  };

  it('lists its group before those of custom kinds and after the built-in ones', async () => {
    const { caller } = await startAggregated();
    const { groups } = await (await caller.request('GET', '/apis')).json<{ groups: { name: string }[] }>();
    expect(groups.at(-1)?.name).toBe(GROUP);
    expect(await (await caller.request('GET', `/apis/${GROUP}`)).json()).toMatchObject({
      name: GROUP,
      preferredVersion: { groupVersion: `${GROUP}/v1` },
    });
  });

  it('marks its resources as stale while it does not respond', async () => {
    const main = await startAggregated();
    const version = {
      version: 'v1',
      resources: [
        {
          resource: 'flunders',
          responseKind: { group: GROUP, version: 'v1', kind: 'Flunder' },
          scope: 'Namespaced',
          singularResource: 'flunder',
          verbs: ['get'],
          subresources: [
            {
              subresource: 'status',
              responseKind: { group: GROUP, version: 'v1', kind: 'Flunder' },
              verbs: ['get'],
            },
          ],
        },
      ],
      freshness: 'Current',
    };
    expect(await versionsOf(main)).toEqual([version]);
    main.peer.state.up = false;
    await main.settle();
    expect(await versionsOf(main)).toEqual([{ ...version, freshness: 'Stale' }]);
    expect((await main.caller.request('GET', '/apis')).status).toBe(200);
  });

  it('lists the versions of a group by priority', async () => {
    const main = await startAggregated();
    await post(main, REGISTRATIONS, registration('v2', { versionPriority: 5 }));
    await post(main, REGISTRATIONS, registration('v3', { versionPriority: 100 }));
    const group = await (
      await main.caller.request('GET', `/apis/${GROUP}`)
    ).json<{
      versions: { version: string }[];
    }>();
    expect(group.versions.map(({ version }) => version)).toEqual(['v3', 'v1', 'v2']);
  });
});

describe('the OpenAPI document, version 2, with another server', () => {
  const PATH = `/apis/${GROUP}/v1/flunders`;
  const swagger = (description: string, etag: string) => ({
    etag,
    swagger: '2.0',
    paths: {
      [PATH]: {
        get: {
          operationId: 'listFlunders',
          responses: { 200: { description, schema: { $ref: '#/definitions/Flunder' } } },
        },
      },
    },
    definitions: { Flunder: { type: 'object' } },
  });
  const documentOf = async ({ caller }: Started) => {
    const response = await caller.request('GET', '/openapi/v2');
    const { paths, definitions } = await response.json<{
      paths: Record<string, unknown>;
      definitions: object;
    }>();
    return { etag: response.header('etag'), path: paths[PATH], definitions };
  };

  it("includes that server's part, requested again by its tag, until it returns 404", async () => {
    const main = await startAggregated();
    const alone = await documentOf(main);
    expect(alone.path).toBeUndefined();
    main.peer.state.swagger = swagger('first', '"1"');
    await main.settle();
    const first = await documentOf(main);
    expect(first.path).toEqual(swagger('first', '').paths[PATH]);
    expect(first.definitions).toMatchObject({ Flunder: { type: 'object' } });
    expect(first.etag).not.toBe(alone.etag);
    await main.settle();
    expect(main.peer.swaggers).toEqual([200, 304]);
    main.peer.state.swagger = swagger('second', '"2"');
    main.peer.state.up = false;
    await main.settle();
    expect((await documentOf(main)).etag).toBe(first.etag);
    main.peer.state.up = true;
    await main.settle();
    expect((await documentOf(main)).path).toEqual(swagger('second', '').paths[PATH]);
    main.peer.state.swagger = undefined;
    await main.settle();
    expect(await documentOf(main)).toEqual(alone);
  });

  it('includes it in protobuf too, until the API service is deleted', async () => {
    const main = await startAggregated();
    main.peer.state.swagger = swagger('first', '"1"');
    await main.settle();
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    const binary = async () =>
      (await main.caller.request('GET', '/openapi/v2', { headers: { accept } })).text();
    expect(await binary()).toContain('listFlunders');
    await main.caller.request('DELETE', `${REGISTRATIONS}/v1.${GROUP}`);
    expect(await binary()).not.toContain('listFlunders');
    expect((await documentOf(main)).path).toBeUndefined();
  });
});

describe('component statuses', () => {
  it('are computed from the configured checks', async () => {
    const { caller } = await startServer(extensionServer());
    const response = await caller.request('GET', '/api/v1/componentstatuses');
    expect(response.header('warning')).toBe('299 - "v1 ComponentStatus is deprecated in v1.19+"');
    expect(await response.json()).toEqual({
      kind: 'ComponentStatusList',
      apiVersion: 'v1',
      metadata: {},
      items: ['etcd-0', 'scheduler'].map((name) => ({
        kind: 'ComponentStatus',
        apiVersion: 'v1',
        metadata: { name },
        conditions: [
          name === 'etcd-0'
            ? { type: 'Healthy', status: 'True', message: 'ok' }
            : { type: 'Healthy', status: 'False', message: 'unreachable' },
        ],
      })),
    });
  });

  it('can be read by name, but not watched or written', async () => {
    const { caller } = await startServer(extensionServer());
    const status = async (method: string, path: string) =>
      (
        await caller.request(method, `/api/v1/componentstatuses${path}`, {
          body: method === 'POST' ? {} : undefined,
        })
      ).status;
    expect(await status('GET', '/etcd-0')).toBe(200);
    expect(await status('GET', '/nothing')).toBe(500);
    expect(await status('GET', '?watch=true')).toBe(405);
    expect(await status('POST', '')).toBe(405);
    expect((componentStatuses as AnyKind).verbs).toEqual(['get', 'list']);
  });
});

it('rejects an API service whose name differs from its group version', async () => {
  const { caller } = await startServer(extensionServer());
  const body = { ...registration(), metadata: { name: 'other' } };
  const response = await caller.request('POST', REGISTRATIONS, { body });
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({
    message:
      'APIService.apiregistration.k8s.io "other" is invalid: metadata.name: Invalid value: "other": must be `spec.version+"."+spec.group`: "v1.wardle.example.com"',
  });
  expect(apiServices.verbs).toContain('watch');
});
