import { expect } from 'vitest';
import { builtinKinds } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
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
import type { Attributes } from '../request.ts';
import { createServiceResolver } from '../outbound/service-resolver.ts';
import { type ApiServer, createApiServer } from '../server.ts';
import { createMemoryStorage } from '../storage/memory.ts';
import { stampResourceVersion } from '../storage/stamp.ts';
import { endpoints, services } from '../../api/groups/core-v1-service.ts';

/** API group of the extension server. */
export const GROUP = 'wardle.example.com';

/** Origin URL of the extension server. */
export const ORIGIN = 'https://10.1.1.1:8443';

const scheme = createScheme(kubernetesVocabulary, builtinKinds);

/** Attributes of all authorized requests, in order of arrival. */
export const authorized: Attributes[] = [];

const allowed = {
  name: 'test',
  authorize: async (attributes: Attributes) => {
    authorized.push(attributes);
    return { verdict: 'allow' as const, reason: '' };
  },
};

const started: ApiServer[] = [];

/** Stops all servers that the test started. */
export async function stopServers(): Promise<void> {
  for (const server of started.splice(0)) await server.stop();
}

const json = (value: unknown, status = 200): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(value)),
});

/** Creates an extension server that records its requests. */
export function extensionServer() {
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

/** Starts a server whose outbound requests reach `peer`. */
export async function startServer(peer: { handler: HttpHandler }) {
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
  const finishChecks = () => clock.advance(31_000);
  return { server, caller, clock, apiService, finishChecks };
}

/** A started API server and functions to use it. */
export type Started = Awaited<ReturnType<typeof startServer>>;

/** Returns an APIService object for a version of the extension server. */
export const registration = (version = 'v1', changes: object = {}) => ({
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

/** Creates an object and asserts that the request succeeds. */
export async function post({ caller }: Started, url: string, body: object): Promise<void> {
  const response = await caller.request('POST', url, { body });
  expect([response.status, response.status < 300 ? '' : await response.text()]).toEqual([201, '']);
}

/** Path of the namespace `default`. */
export const CORE = '/api/v1/namespaces/default';

/** Path of the APIService collection. */
export const REGISTRATIONS = '/apis/apiregistration.k8s.io/v1/apiservices';

/** Returns the Service of the extension server. */
export const service = (port = 443) => ({
  metadata: { name: 'wardle' },
  spec: { ports: [{ name: 'https', port }] },
});

/** Returns the Endpoints of the extension server's Service with the given addresses. */
export const address = (...ips: string[]) => ({
  metadata: { name: 'wardle' },
  subsets: [{ addresses: ips.map((ip) => ({ ip })), ports: [{ name: 'https', port: 8443 }] }],
});

/** Starts an API server with one available extension server. */
export async function startAggregated() {
  const peer = extensionServer();
  const main = await startServer(peer);
  await post(main, '/api/v1/namespaces', { metadata: { name: 'default' } });
  await post(main, `${CORE}/services`, service());
  await post(main, `${CORE}/endpoints`, address('10.1.1.1'));
  await post(main, REGISTRATIONS, registration());
  await main.finishChecks();
  return { ...main, peer };
}
