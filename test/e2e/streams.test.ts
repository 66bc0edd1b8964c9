import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import tls from 'node:tls';
import { Agent, WebSocket } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { builtinKinds } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { AuditEvent } from '../../apiserver/audit/event.ts';
import { type Listener, createListener } from '../../apiserver/http/listener/listener.ts';
import { type ApiServer, createApiServer } from '../../apiserver/server.ts';
import { createMemoryStorage } from '../../apiserver/storage/memory.ts';
import { stampResourceVersion } from '../../apiserver/storage/stamp.ts';
import { createSystemClock } from '../../base/clock/system.ts';
import { type Outbound, readOutbound } from '../../base/http/outbound.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createDialPolicy } from '../../base/net/dial-policy.ts';
import { noAlternativeNames } from '../../base/pki/alternative-names.ts';
import { createCertificateAuthority, issueCertificate } from '../../base/pki/certificates.ts';
import { generateKeyPair, privateKeyPem } from '../../base/pki/keys.ts';
import { createSystemRandom } from '../../base/random/system.ts';
import { createUndiciOutbound } from '../../runtime/client/undici-outbound.ts';

const clock = createSystemClock();
const random = createSystemRandom();
const log = silentLogger;
const keys = generateKeyPair('ec-p256');
const validity = { notBeforeMs: clock.now() - 60_000, notAfterMs: clock.now() + 3_600_000 };
const names = { ...noAlternativeNames, ipAddresses: ['127.0.0.1'] };
const subject = { commonName: 'server', organizations: [] };
const authority = createCertificateAuthority(
  { ...subject, commonName: 'ca' },
  generateKeyPair('ec-p256'),
  validity,
  random,
);
const credential = {
  key: privateKeyPem(keys.privateKey),
  cert: issueCertificate(
    {
      subject,
      publicKey: keys.publicKey,
      usages: ['digital signature', 'server auth'],
      names,
      ...validity,
    },
    authority,
    random,
  ),
};

const NAMESPACE = '/api/v1/namespaces/default';
const PODS = `${NAMESPACE}/pods`;
/**
 * Address of a pod at which the node agent of the test listens, because endpoints cannot have loopback
 * addresses.
 */
const POD_IP = '10.1.0.7';
const network = createUndiciOutbound();
const outbound: Outbound = {
  ...network,
  send: (peer, request) =>
    network.send({ ...peer, origin: peer.origin.replace(`//${POD_IP}:`, '//127.0.0.1:') }, request),
};
const audited: AuditEvent[] = [];
const asked: IncomingMessage[] = [];
const authorized: string[] = [];
const hungUp: string[] = [];
/** Handles a connection upgrade at the agent of the node. */
let upgrade: (request: IncomingMessage, socket: Socket, head: Buffer) => void;
let agent: https.Server;
let server: ApiServer;
let listener: Listener;

const echo = (request: IncomingMessage, socket: Socket, head: Buffer): void => {
  socket.write(
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Said: yes\r\n\r\n',
  );
  socket.write(head);
  socket.pipe(socket);
  socket.on('error', () => {});
  socket.on('close', () => hungUp.push(request.url ?? ''));
};

/** Echoes WebSocket messages (RFC 6455). Supports only short unfragmented frames. */
const echoFrames = (request: IncomingMessage, socket: Socket): void => {
  const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const accept = createHash('sha1').update(key).digest('base64');
  const protocol = request.headers['sec-websocket-protocol'];
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: ${protocol}\r\n\r\n`,
  );
  socket.on('error', () => {});
  socket.on('data', (frame: Buffer) => {
    const [first = 0, second = 0] = frame;
    const length = second & 0x7f;
    const [mask, body] = [frame.subarray(2, 6), frame.subarray(6, 6 + length)];
    socket.write(Buffer.from([first, length, ...body.map((byte, at) => byte ^ (mask[at % 4] ?? 0))]));
    if ((first & 0x0f) === 8) socket.end();
  });
};

const send = async (method: string, path: string, body: object, type = 'application/json'): Promise<void> => {
  const origin = `https://127.0.0.1:${listener.address().port}`;
  const headers = { 'content-type': type };
  const request = { method, path, headers, body: JSON.stringify(body), headersTimeoutMs: 10_000 };
  const answer = await outbound.send({ origin, ca: authority.certificatePem }, request);
  const text = (await readOutbound(answer, 1 << 20)).toString();
  if (answer.status > 201) throw new Error(text);
};

/** Opens a raw connection and sends an upgrade request. */
async function connect(method: string, path: string, headers: Record<string, string> = {}) {
  const socket = tls.connect({
    host: '127.0.0.1',
    port: listener.address().port,
    ca: authority.certificatePem,
  });
  await once(socket, 'secureConnect');
  const head = { Host: 'x', Connection: 'Upgrade', Upgrade: 'SPDY/3.1', ...headers };
  const lines = Object.entries(head).map(([key, value]) => `${key}: ${value}\r\n`);
  let said = '';
  socket
    .setEncoding('latin1')
    .on('data', (text: string) => (said += text))
    .on('error', () => {});
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const until = (text: string): Promise<void> => expect.poll(() => said, { timeout: 60_000 }).toContain(text);
  return { socket, until, said: () => said };
}

beforeAll(async () => {
  agent = https.createServer(credential, (request, response) => {
    asked.push(request);
    response
      .writeHead(400, { 'content-type': 'text/plain' })
      .end('you must specify at least 1 of stdin, stdout, stderr');
  });
  agent.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    asked.push(request);
    upgrade(request, socket, head);
  });
  await new Promise<void>((resolve) => agent.listen(0, '127.0.0.1', resolve));
  server = createApiServer({
    dialPolicy: createDialPolicy({ allowLoopback: true }),
    scheme: createScheme(kubernetesVocabulary, builtinKinds),
    environment: { clock, random, log },
    storage: createMemoryStorage({ stamp: stampResourceVersion }),
    authenticators: [
      { name: 'test', authenticate: async () => ({ user: { username: 'alice', groups: [] } }) },
    ],
    authorizer: {
      name: 'test',
      authorize: async ({ verb, resource, subresource, name: object }) => {
        authorized.push(`${verb} ${resource}/${subresource}`);
        return { verdict: object === 'denied' ? 'deny' : 'allow', reason: '' };
      },
    },
    outbound,
    audit: () => ({
      policy: { decide: () => ({ level: 'Metadata', omitStages: new Set(), omitManagedFields: false }) },
      backend: {
        name: 'test',
        process: (events) => audited.push(...events) > 0,
        start: async () => {},
        stop: async () => {},
      },
    }),
  });
  await server.start();
  const options = {
    handler: server.handler,
    host: '127.0.0.1',
    port: 0,
    tls: credential,
    clock,
    log,
    graceMs: 100,
  };
  listener = createListener(options);
  await listener.start();
  await send('POST', '/api/v1/namespaces', { metadata: { name: 'default' } });
  await send('POST', '/api/v1/nodes', { metadata: { name: 'n1' } });
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: (agent.address() as AddressInfo).port } },
  };
  await send('PATCH', '/api/v1/nodes/n1/status', { status }, 'application/merge-patch+json');
  await send('POST', PODS, {
    metadata: { name: 'web-0' },
    spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] },
  });
  await send('PATCH', `${PODS}/web-0/status`, { status: { podIP: POD_IP } }, 'application/merge-patch+json');
  const port = (agent.address() as AddressInfo).port;
  await send('POST', `${NAMESPACE}/services`, { metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } });
  const targetRef = { kind: 'Pod', name: 'web-0', namespace: 'default' };
  await send('POST', `${NAMESPACE}/endpoints`, {
    metadata: { name: 'web' },
    subsets: [{ addresses: [{ ip: POD_IP, targetRef }], ports: [{ port }] }],
  });
});

afterAll(async () => {
  await listener.stop();
  await server.stop();
  await network.close();
  agent.closeAllConnections();
  agent.close();
});

beforeEach(() => {
  upgrade = echo;
  for (const seen of [asked, authorized, hungUp, audited]) seen.length = 0;
});

describe('a pod stream', () => {
  it.each([
    [
      'POST',
      'exec?command=sh&command=-c&stdin=true&stdout=true&tty=true',
      'create',
      '/exec/default/web-0/c?input=1&output=1&tty=1&command=sh&command=-c',
    ],
    ['GET', 'exec?command=ls&stderr=true&container=c', 'get', '/exec/default/web-0/c?error=1&command=ls'],
    ['POST', 'attach?stdout=true', 'create', '/attach/default/web-0/c?output=1'],
    ['POST', 'portforward?ports=80,443', 'create', '/portForward/default/web-0?port=80%2C443'],
  ])('by %s %s is proxied in both directions until one side closes', async (method, path, verb, at) => {
    const { socket, until, said } = await connect(method, `${PODS}/web-0/${path}`);
    await until('\r\n\r\n');
    expect(said()).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
    expect(said().toLowerCase()).toContain('upgrade: spdy/3.1\r\n');
    expect(said().toLowerCase()).toContain('x-said: yes\r\n');
    socket.write(Buffer.from([0x80, 3, 0, 1, 0xff, 0, 0x0d, 0x0a]));
    await until('\x80\x03\x00\x01\xff\x00\r\n');
    expect([asked[0]?.method, asked[0]?.url]).toEqual([method, at]);
    expect(authorized).toContain(`${verb} pods/${path.split('?')[0]}`);
    socket.destroy();
    await expect.poll(() => hungUp).toEqual([at]);
  });

  it('transfers more than the buffers hold, and ends when the node disconnects', async () => {
    const size = 4 * 1024 * 1024;
    upgrade = (_request, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n');
      socket.end(Buffer.alloc(size, 'x'));
    };
    const { socket, said } = await connect('POST', `${PODS}/web-0/exec?command=ls`);
    await once(socket, 'end');
    expect(said().slice(said().indexOf('\r\n\r\n') + 4)).toHaveLength(size);
    socket.destroy();
  });

  it('forwards no credentials of the client', async () => {
    const { socket, until } = await connect('POST', `${PODS}/web-0/exec?command=ls`, {
      Authorization: 'Bearer secret',
      'X-Remote-User': 'root',
      'Sec-WebSocket-Protocol': 'v4.channel.k8s.io, base64url.bearer.authorization.k8s.io.c2VjcmV0',
    });
    await until('101');
    const sent = JSON.stringify(asked[0]?.headers);
    expect(sent).not.toMatch(/secret|c2VjcmV0|root|authorization/i);
    expect(asked[0]?.headers['sec-websocket-protocol']).toBe('v4.channel.k8s.io');
    socket.destroy();
  });

  it('is a WebSocket if the client requests one', async () => {
    upgrade = echoFrames;
    const url = `wss://127.0.0.1:${listener.address().port}${PODS}/web-0/exec?command=cat&stdin=true`;
    const dispatcher = new Agent({ connect: { ca: authority.certificatePem } });
    const client = new WebSocket(url, { protocols: ['v4.channel.k8s.io'], dispatcher });
    client.addEventListener('open', () => client.send('hello'));
    const echoed = await new Promise((resolve) =>
      client.addEventListener('message', ({ data }) => resolve(data)),
    );
    expect([echoed, client.protocol]).toEqual(['hello', 'v4.channel.k8s.io']);
    client.close();
    await dispatcher.close();
  });

  it("returns the node's HTTP response if it does not upgrade", async () => {
    upgrade = (_request, socket) =>
      void socket.end(
        'HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n\r\nnot me',
      );
    const { socket, said } = await connect('POST', `${PODS}/web-0/exec?command=ls`);
    await once(socket, 'end');
    expect(said()).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n[^]*not me/);
    socket.destroy();
  });

  it('is rejected before the node is called', async () => {
    const denied = await connect('POST', `${PODS}/denied/exec?command=ls`);
    await denied.until('"code":403');
    const unknown = await connect('POST', `${PODS}/web-0/exec?container=x`);
    await unknown.until('container x is not valid for pod web-0');
    expect(asked).toEqual([]);
    for (const { socket } of [denied, unknown]) await expect.poll(() => socket.readableEnded).toBe(true);
  });

  it('returns a descriptive error if the node disconnects', async () => {
    upgrade = (_request, socket) => void socket.destroy();
    const { until, said, socket } = await connect('POST', `${PODS}/web-0/exec?command=ls`);
    await until('error dialing backend: ');
    expect(said()).toMatch(/^HTTP\/1\.1 500 /);
    socket.destroy();
  });
});

it.each([
  ['a node', () => '/api/v1/nodes/n1'],
  ['a pod', () => `${PODS}/https:web-0:${(agent.address() as AddressInfo).port}`],
  ['a service', () => `${NAMESPACE}/services/https:web:80`],
])('a proxy to %s forwards upgrades', async (_what, to) => {
  const { socket, until } = await connect('GET', `${to()}/proxy/any/path?x=y`);
  await until('101');
  socket.write('ping');
  await until('ping');
  expect(asked[0]?.url).toBe('/any/path?x=y');
  socket.destroy();
  await expect.poll(() => hungUp).toEqual(['/any/path?x=y']);
});

it.each([
  ['exec', 'exec?command=audited'],
  ['proxy', 'proxy/audited'],
])('a stream of %s is counted and audited while it is open', async (subresource, path) => {
  const at = subresource === 'exec' ? 'web-0' : `https:web-0:${(agent.address() as AddressInfo).port}`;
  const open = async (): Promise<number> => {
    const { text } = await server.metrics.expose();
    const of = `apiserver_longrunning_requests\\{[^}]*resource="pods",[^}]*subresource="${subresource}"[^}]*\\} (\\d+)`;
    return Number(new RegExp(of).exec(text)?.[1] ?? 0);
  };
  const stages = (): readonly unknown[] =>
    audited.filter(({ requestURI }) => requestURI.includes('audited')).map(({ stage }) => stage);
  const { socket, until } = await connect('GET', `${PODS}/${at}/${path}`);
  await until('101');
  await expect.poll(open).toBe(1);
  expect(stages()).toEqual(['RequestReceived', 'ResponseStarted']);
  socket.destroy();
  await expect.poll(stages).toEqual(['RequestReceived', 'ResponseStarted', 'ResponseComplete']);
  await expect.poll(open).toBe(0);
});

it('the body of a request is read if its upgrade is ignored', async () => {
  const body = JSON.stringify({ metadata: { name: 'plain' } });
  const { socket, until } = await connect('POST', '/api/v1/namespaces', {
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
  });
  socket.write(body);
  await until('"name":"plain"');
  await expect.poll(() => socket.readableEnded).toBe(true);
});
