import { once } from 'node:events';
import { connect } from 'node:tls';
import { Agent, WebSocket } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { configMaps, namespaces } from '../../../api/groups/index.ts';
import { type AnyKind, createScheme } from '../../../api/kinds/scheme.ts';
import { decodeWatchFrame, FRAME_LENGTH_BYTES } from '../../../api/protobuf/watch-event.ts';
import { kubernetesVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../../base/clock/simulated.ts';
import { createSystemClock } from '../../../base/clock/system.ts';
import { silentLogger } from '../../../base/log/logger.ts';
import { createCertificateAuthority, issueCertificate } from '../../../base/pki/certificates.ts';
import { generateKeyPair, privateKeyPem } from '../../../base/pki/keys.ts';
import { createSeededRandom } from '../../../base/random/seeded.ts';
import { createWebSocketTokenAuthenticator } from '../../auth/web-socket-token.ts';
import { createApiServer } from '../../server.ts';
import { createMemoryStorage } from '../../storage/memory.ts';
import { stampResourceVersion } from '../../storage/stamp.ts';
import { createInMemoryCaller } from '../in-memory.ts';
import { createListener } from '../listener/listener.ts';

const KINDS = [configMaps, namespaces] as unknown as readonly AnyKind[];
const WATCH = '/api/v1/namespaces/a/configmaps?watch=true';
const PROTOBUF = kubernetesVocabulary.protobufMediaType;
const bearer = (token: string): string =>
  `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`;

function credentials() {
  const nowMs = createSystemClock().now();
  const validity = { notBeforeMs: nowMs - 60_000, notAfterMs: nowMs + 3_600_000 };
  const random = createSeededRandom(1);
  const keys = generateKeyPair('ec-p256');
  const subject = { commonName: 'server', organizations: [] };
  const authority = createCertificateAuthority(subject, generateKeyPair('ec-p256'), validity, random);
  const usages = ['digital signature', 'server auth'];
  const cert = issueCertificate(
    { subject, publicKey: keys.publicKey, usages, ...validity },
    authority,
    random,
  );
  return { key: privateKeyPem(keys.privateKey), cert };
}

const leaving: (() => unknown)[] = [];
afterEach(async () => {
  for (const leave of leaving.splice(0).reverse()) await leave();
});

/** Starts a server behind a real listener. A client with the token may do everything. */
async function serve(unreadMs = 30_000) {
  const clock = createSimulatedClock();
  const tokens = {
    name: 'test',
    authenticateToken: (token: string) =>
      Promise.resolve(token === 'secret' ? { user: { username: 'admin', groups: [] } } : undefined),
  };
  const server = createApiServer({
    scheme: createScheme(kubernetesVocabulary, KINDS),
    environment: { clock, random: createSeededRandom(1), log: silentLogger },
    storage: createMemoryStorage({ stamp: stampResourceVersion }),
    authenticators: [
      createWebSocketTokenAuthenticator(tokens, kubernetesVocabulary),
      {
        name: 'header',
        authenticate: ({ headers }) =>
          headers['user'] && { user: { username: headers['user'][0] ?? '', groups: [] } },
      },
    ],
    authorizer: {
      name: 'test',
      authorize: ({ user }) => ({ verdict: user.username === 'admin' ? 'allow' : 'no-opinion', reason: '' }),
    },
  });
  await server.start();
  const signals: AbortSignal[] = [];
  const listener = createListener({
    handler: (request) => {
      signals.push(request.signal);
      return server.handler(request);
    },
    host: '127.0.0.1',
    port: 0,
    tls: credentials(),
    clock: createSystemClock(),
    log: silentLogger,
    graceMs: 200,
    limits: { unreadMs },
  });
  await listener.start();
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  leaving.push(
    () => server.stop(),
    () => listener.stop(),
    () => dispatcher.destroy(),
  );
  const caller = createInMemoryCaller(server.handler);
  const post = async (url: string, metadata: object, data?: object): Promise<void> => {
    const { status } = await caller.request('POST', url, {
      headers: { user: 'admin' },
      body: { metadata, data },
    });
    expect(status).toBe(201);
  };
  await post('/api/v1/namespaces', { name: 'a' });
  const put = (name: string, data: object = {}) => post('/api/v1/namespaces/a/configmaps', { name }, data);
  const { port } = listener.address();

  /** Opens a client and records its messages. */
  function watch(query = '', headers: Record<string, string> = { user: 'admin' }, protocols: string[] = []) {
    const url = `wss://127.0.0.1:${port}${WATCH}${query}`;
    const socket = new WebSocket(url, { dispatcher, headers, protocols });
    socket.binaryType = 'arraybuffer';
    const messages: unknown[] = [];
    const end: { code?: number } = {};
    socket.addEventListener('message', ({ data }) => messages.push(data));
    socket.addEventListener('close', ({ code }) => (end.code = code));
    socket.addEventListener('error', () => {});
    leaving.push(() => socket.close());
    return { socket, messages, end };
  }
  return { clock, put, port, watch, signals, listener };
}

const shown = (messages: readonly unknown[]): readonly string[] =>
  messages.map((text) => {
    const { type, object } = JSON.parse(text as string) as {
      type: string;
      object: { metadata: { name: string } };
    };
    return `${type} ${object.metadata.name}`;
  });

describe('a watch over a WebSocket', () => {
  it('sends one text message for each event', async () => {
    const { put, watch } = await serve();
    await put('first');
    const { socket, messages } = watch();
    await expect.poll(() => shown(messages)).toEqual(['ADDED first']);
    expect([socket.protocol, socket.extensions]).toEqual(['', '']);
    await put('second', { text: 'ä'.repeat(40_000) });
    await expect.poll(() => shown(messages)).toEqual(['ADDED first', 'ADDED second']);
  });

  it('sends one binary message for each event in protobuf, without a length prefix', async () => {
    const { put, watch } = await serve();
    await put('first');
    const { messages } = watch('', { user: 'admin', accept: PROTOBUF });
    await expect.poll(() => messages).toHaveLength(1);
    const message = Buffer.from(messages[0] as ArrayBuffer);
    const length = Buffer.alloc(FRAME_LENGTH_BYTES);
    length.writeUInt32BE(message.length);
    const { type, object } = decodeWatchFrame(Buffer.concat([length, message]));
    expect(type).toBe('ADDED');
    expect(Buffer.from(object).subarray(0, 3).toString()).toBe('k8s');
  });

  it('accepts a token among its subprotocols and selects the other subprotocol', async () => {
    const { put, watch } = await serve();
    const { socket, messages } = watch('', {}, ['base64.binary.k8s.io', bearer('secret')]);
    await put('first');
    await expect.poll(() => shown(messages)).toEqual(['ADDED first']);
    expect(socket.protocol).toBe('base64.binary.k8s.io');
  });

  it.each([
    ['without a credential', {}, []],
    ['with a bad token', {}, ['base64.binary.k8s.io', bearer('guess')]],
    ['without the right', { user: 'eve' }, []],
    ['with several subprotocols', { user: 'admin' }, ['a', 'b']],
    ['to a page of another site', { user: 'admin', origin: 'https://elsewhere.example' }, []],
    ['to a page with a null origin', { user: 'admin', origin: 'null' }, []],
  ] as readonly [string, Record<string, string>, string[]][])(
    'is rejected %s',
    async (_name, headers, protocols) => {
      const { watch } = await serve();
      const { messages, end } = watch('', headers, protocols);
      await expect.poll(() => end.code).toBe(1006);
      expect(messages).toEqual([]);
    },
  );

  it("is accepted from another site with a token, and from the server's own site without one", async () => {
    const { put, port, watch } = await serve();
    const elsewhere = watch('', { origin: 'https://elsewhere.example' }, ['a', bearer('secret')]);
    const own = watch('', { user: 'admin', origin: `https://127.0.0.1:${port}` });
    await put('first');
    await expect.poll(() => shown(elsewhere.messages)).toEqual(['ADDED first']);
    await expect.poll(() => shown(own.messages)).toEqual(['ADDED first']);
  });

  it('ends after its `timeoutSeconds`', async () => {
    const { clock, watch } = await serve();
    const { socket, end } = watch('&timeoutSeconds=5');
    await once(socket as unknown as EventTarget, 'open');
    await clock.advance(5_000);
    await expect.poll(() => end.code).toBe(1000);
  });

  it('sends a close frame while the server stops', async () => {
    const { listener, watch } = await serve();
    const { socket, end } = watch();
    await once(socket as unknown as EventTarget, 'open');
    await listener.stop();
    await expect.poll(() => end.code).toBe(1000);
  });

  it('ends after the client closes it', async () => {
    const { watch } = await serve();
    const { socket, end } = watch();
    await once(socket as unknown as EventTarget, 'open');
    socket.close(4001);
    await expect.poll(() => end.code).toBe(4001);
  });
});

describe('a WebSocket handshake', () => {
  /** Returns the raw response to a request with these headers. */
  async function answerTo(port: number, headers: readonly string[]): Promise<string> {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
    leaving.push(() => socket.destroy());
    const lines = [
      `GET ${WATCH} HTTP/1.1`,
      'Host: a',
      'User: admin',
      'Connection: Upgrade',
      'Upgrade: websocket',
    ];
    socket.write(`${[...lines, ...headers].join('\r\n')}\r\n\r\n`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return answer.toString('latin1');
  }

  it.each([
    ['without a key', ['Sec-WebSocket-Version: 13'], 'mismatch challenge/response'],
    [
      'of another version',
      ['Sec-WebSocket-Key: AAAA', 'Sec-WebSocket-Version: 8'],
      'missing or bad WebSocket Version',
    ],
    [
      'with several subprotocols',
      ['Sec-WebSocket-Key: AAAA', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Protocol: a, b'],
      'missing or bad WebSocket-Protocol',
    ],
  ])('%s is rejected', async (_name, headers, text) => {
    const { port } = await serve();
    const answer = await answerTo(port, headers);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer.toLowerCase()).toContain('sec-websocket-version: 13\r\n');
    expect(answer).toContain(text);
  });
});

it('a WebSocket watcher that never reads is disconnected', async () => {
  const { put, port, clock, signals } = await serve(100);
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  leaving.push(() => socket.destroy());
  const head = ['Host: a', 'User: admin', 'Connection: Upgrade', 'Upgrade: websocket'];
  const asked = [...head, 'Sec-WebSocket-Key: AAAA', 'Sec-WebSocket-Version: 13'].join('\r\n');
  socket.write(`GET ${WATCH}&timeoutSeconds=5 HTTP/1.1\r\n${asked}\r\n\r\n`);
  await once(socket, 'data');
  socket.pause();
  const closed = once(socket, 'close', { signal: AbortSignal.timeout(5_000) });
  socket.on('error', () => {});
  const data = { text: 'x'.repeat(900_000) };
  for (let i = 0; i < 12; i++) await put(`large-${i}`, data);
  await clock.advance(5_000);
  // The peer has not read the close frame, so the server destroys the connection.
  await expect.poll(() => signals.at(-1)?.aborted, { timeout: 5_000 }).toBe(true);
  socket.resume();
  await closed;
  expect(socket.bytesRead).toBeLessThan(12 * 900_000);
});
