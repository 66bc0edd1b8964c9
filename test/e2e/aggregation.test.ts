import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtinKinds } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { endpoints, services } from '../../api/groups/core-v1-service.ts';
import { type Listener, createListener } from '../../apiserver/http/listener/listener.ts';
import { createServiceResolver } from '../../apiserver/outbound/service-resolver.ts';
import { createApiServer } from '../../apiserver/server.ts';
import { createMemoryStorage } from '../../apiserver/storage/memory.ts';
import { stampResourceVersion } from '../../apiserver/storage/stamp.ts';
import { createSystemClock } from '../../base/clock/system.ts';
import type { HttpHandler } from '../../base/http/message.ts';
import { type OutboundRequest, readOutbound } from '../../base/http/outbound.ts';
import type { Lifetime } from '../../base/lifetime/lifetimes.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createDialPolicy } from '../../base/net/dial-policy.ts';
import { createSystemRandom } from '../../base/random/system.ts';
import { createUndiciOutbound } from '../../runtime/client/undici-outbound.ts';
import { createHourlyAuthority } from './authority.ts';

const clock = createSystemClock();
const random = createSystemRandom();
const log = silentLogger;
const authority = createHourlyAuthority('wardle.default.svc');
const GROUP = '/apis/wardle.example.com/v1';
const gone: string[] = [];

/**
 * Extension server that accepts requests only from the front proxy, echoes bodies while they arrive, and
 * sends watch events without end.
 */
const extension: HttpHandler = async (request) => {
  const caller = /CN=([^\n]+)/.exec(request.peer.certificate?.subject ?? '')?.[1];
  if (caller !== 'front-proxy-client') return { status: 401, headers: {}, body: Buffer.from('who?') };
  const user = request.headers['x-remote-user']?.[0] ?? '';
  if (request.url === GROUP)
    return { status: 200, headers: {}, body: Buffer.from('{"kind":"APIResourceList","resources":[]}') };
  if (request.url.includes('watch=true'))
    return {
      status: 200,
      headers: {},
      body: (sink) => {
        sink.onClose(() => gone.push(user));
        sink.write(Buffer.from(`hello ${user}\n`));
      },
    };
  const parts: Uint8Array[] = [];
  for await (const part of request.stream?.() ?? []) parts.push(part);
  return { status: 200, headers: { 'x-parts': String(parts.length) }, body: parts };
};

const outbound = createUndiciOutbound({ policy: createDialPolicy({ allowLoopback: true }) });
const lifetimes: Lifetime[] = [];
let main: Listener;

function listen(handler: HttpHandler): Listener {
  const { certificate, key } = authority.issue('server', 'server auth');
  const tls = { cert: certificate, key, clientCa: authority.certificatePem };
  const listener = createListener({ handler, host: '127.0.0.1', port: 0, tls, clock, log, graceMs: 100 });
  lifetimes.push(listener);
  return listener;
}

const send = (method: string, path: string, more: Partial<OutboundRequest> = {}) => {
  const origin = `https://127.0.0.1:${main.address().port}`;
  const request = { method, path, headers: {}, headersTimeoutMs: 10_000, ...more };
  return outbound.send({ origin, ca: authority.certificatePem }, request);
};

beforeAll(async () => {
  const peer = listen(extension);
  await peer.start();
  const frontProxy = authority.issue('front-proxy-client', 'client auth');
  const server = createApiServer({
    scheme: createScheme(kubernetesVocabulary, builtinKinds),
    environment: { clock, random, log },
    storage: createMemoryStorage({ stamp: stampResourceVersion }),
    authenticators: [
      { name: 'test', authenticate: async () => ({ user: { username: 'alice', groups: [] } }) },
    ],
    authorizer: { name: 'test', authorize: async () => ({ verdict: 'allow', reason: '' }) },
    aggregation: (registry) => ({
      outbound,
      resolve: createServiceResolver({
        services: registry.reader(services),
        endpoints: registry.reader(endpoints),
        random,
      }),
      credential: () => frontProxy,
    }),
  });
  lifetimes.push(server);
  main = listen(server.handler);
  await server.start();
  await main.start();
  const post = async (path: string, body: object): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const { status, body: answer } = await send('POST', path, { headers, body: JSON.stringify(body) });
    expect([status, (await readOutbound({ body: answer }, 1 << 20)).length > 0]).toEqual([201, true]);
  };
  await post('/api/v1/namespaces', { metadata: { name: 'default' } });
  await post('/api/v1/namespaces/default/services', {
    metadata: { name: 'wardle' },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  });
  await post('/apis/apiregistration.k8s.io/v1/apiservices', {
    metadata: { name: 'v1.wardle.example.com' },
    spec: {
      group: 'wardle.example.com',
      version: 'v1',
      groupPriorityMinimum: 1000,
      versionPriority: 10,
      caBundle: Buffer.from(authority.certificatePem).toString('base64'),
      service: { namespace: 'default', name: 'wardle', port: peer.address().port },
    },
  });
  for (let status = 503; status === 503;) {
    const response = await send('GET', GROUP);
    await readOutbound(response, 1 << 20);
    ({ status } = response);
  }
});

afterAll(async () => {
  for (const each of lifetimes.reverse()) await each.stop();
  await outbound.close();
});

it('a large body is streamed to another server and back over sockets', async () => {
  const size = 8 * 1024 * 1024;
  async function* body() {
    for (let sent = 0; sent < size; sent += 65_536) yield Buffer.alloc(65_536, 7);
  }
  const response = await send('POST', `${GROUP}/things`, { body: body() });
  expect(response.status).toBe(200);
  expect(Number(response.headers['x-parts']?.[0])).toBeGreaterThan(1);
  const echoed = await readOutbound(response, size);
  expect(echoed.equals(Buffer.alloc(size, 7))).toBe(true);
});

it('a watch is streamed, and is closed at the other server when the client disconnects', async () => {
  const response = await send('GET', `${GROUP}/things?watch=true`, { streaming: true, headersTimeoutMs: 0 });
  for await (const chunk of response.body) {
    expect(Buffer.from(chunk).toString()).toBe('hello alice\n');
    break;
  }
  await expect.poll(() => gone).toEqual(['alice']);
});
