import http2 from 'node:http2';
import type { ClientRequest } from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createSystemClock } from '../../../base/clock/system.ts';
import type { HttpHandler, HttpRequest, HttpResponse } from '../../../base/http/message.ts';
import { silentLogger } from '../../../base/log/logger.ts';
import { createCertificateAuthority, issueCertificate } from '../../../base/pki/certificates.ts';
import { generateKeyPair, privateKeyPem } from '../../../base/pki/keys.ts';
import { createSeededRandom } from '../../../base/random/seeded.ts';
import { type Listener, createListener } from './listener.ts';

const clock = createSystemClock();
const random = createSeededRandom(1);
const validity = { notBeforeMs: clock.now() - 60_000, notAfterMs: clock.now() + 3_600_000 };
const authority = createCertificateAuthority(
  { commonName: 'ca', organizations: [] },
  generateKeyPair('ec-p256'),
  validity,
  random,
);

function credentials(commonName: string) {
  const keys = generateKeyPair('ec-p256');
  const template = {
    subject: { commonName, organizations: [] },
    publicKey: keys.publicKey,
    usages: ['digital signature', 'server auth', 'client auth'],
    ...validity,
  };
  return { key: privateKeyPem(keys.privateKey), cert: issueCertificate(template, authority, random) };
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

const running: Listener[] = [];
afterEach(async () => {
  for (const listener of running.splice(0)) await listener.stop();
});

async function listen(handler: HttpHandler, port = 0): Promise<Listener> {
  const tls = { ...credentials('server'), clientCa: authority.certificatePem };
  const listener = createListener({
    handler,
    host: '127.0.0.1',
    port,
    tls,
    clock,
    log: silentLogger,
    graceMs: 500,
  });
  await listener.start();
  running.push(listener);
  return listener;
}

/**
 * Sends a request on a dedicated connection and ignores its result. If `options` has headers, they announce a
 * body that never arrives.
 */
function asked(listener: Listener, options: https.RequestOptions = {}): ClientRequest {
  const place = { ...listener.address(), host: '127.0.0.1', agent: false, rejectUnauthorized: false };
  const request = https.request({ ...place, ...options });
  request.on('error', () => {});
  if (options.headers === undefined) request.end();
  else request.flushHeaders();
  return request;
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string;
  readonly tls?: { readonly key: string; readonly cert: string };
}

function overHttp1(
  listener: Listener,
  { method = 'GET', path = '/', headers = {}, body, tls }: Sent = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { port } = listener.address();
    const options = {
      host: '127.0.0.1',
      port,
      method,
      path,
      headers,
      agent: false,
      rejectUnauthorized: false,
      ...tls,
    };
    const request = https.request(options, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

function overHttp2(
  listener: Listener,
  { method = 'GET', headers = {}, body, tls }: Sent = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const session = http2.connect(`https://127.0.0.1:${listener.address().port}`, {
      rejectUnauthorized: false,
      ...tls,
    });
    session.on('error', reject);
    const stream = session.request({ ':method': method, ...headers });
    let status = 0;
    let text = '';
    stream.on('response', (head) => (status = Number(head[':status'])));
    stream.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    stream.on('end', () => {
      session.close();
      resolve({ status, body: text });
    });
    stream.on('error', reject);
    stream.end(body);
  });
}

const answer = (body: HttpResponse['body'], status = 200): HttpResponse => ({ status, headers: {}, body });
const text = (value: unknown): HttpResponse => answer(Buffer.from(JSON.stringify(value)));

describe.each([
  ['HTTP/1.1', overHttp1],
  ['HTTP/2', overHttp2],
] as const)('the listener over %s', (_name, send) => {
  it('neither joins nor splits repeated headers', async () => {
    const listener = await listen((request) => Promise.resolve(text(request.headers['impersonate-group'])));
    const { body } = await send(listener, { headers: { 'impersonate-group': ['a', 'b,c'] } });
    expect(JSON.parse(body)).toEqual(['a', 'b,c']);
  });

  it('transmits bodies in both directions', async () => {
    const listener = await listen(async (request) => answer(await request.body(100), 201));
    expect(await send(listener, { method: 'POST', body: 'hello' })).toEqual({ status: 201, body: 'hello' });
  });

  it('rejects a body that exceeds the limit, and responds', async () => {
    const listener = await listen(async (request) => {
      const outcome = await request.body(10).then(
        () => 'read',
        (thrown: Error) => thrown.constructor.name,
      );
      return answer(Buffer.from(outcome), 413);
    });
    const { status, body } = await send(listener, { method: 'POST', body: 'x'.repeat(100_000) });
    expect([status, body]).toEqual([413, 'BodyTooLarge']);
  });

  it('writes large bodies completely, whatever the sizes of their chunks', async () => {
    const chunks = [1, 200_000, 5, 65_536, 0, 300_001].map((length, at) => Buffer.alloc(length, 97 + at));
    const listener = await listen(() => Promise.resolve(answer(chunks)));
    const { body } = await send(listener);
    expect(body === Buffer.concat(chunks).toString()).toBe(true);
  });

  it('exposes the unverified client certificate', async () => {
    const listener = await listen((request) =>
      Promise.resolve(text(request.peer.certificate?.subject ?? 'none')),
    );
    expect(JSON.parse((await send(listener)).body)).toBe('none');
    const { body } = await send(listener, { tls: credentials('alice') });
    expect(JSON.parse(body)).toBe('CN=alice');
  });

  it('ends streams on stop, and lets other requests finish', async () => {
    const [streaming, waiting] = [deferred(), deferred()];
    let finish = (): void => {};
    const listener = await listen((request) => {
      if (request.method === 'GET')
        return Promise.resolve(
          answer((sink) => {
            sink.onClose(() => sink.write(Buffer.from('never seen')));
            sink.write(Buffer.from('event'));
            streaming.resolve();
          }),
        );
      return new Promise((resolve) => {
        finish = () => resolve(answer(Buffer.from('done')));
        waiting.resolve();
      });
    });
    const answers = Promise.all([send(listener), send(listener, { method: 'DELETE' })]);
    await Promise.all([streaming.promise, waiting.promise]);
    const stopped = listener.stop();
    finish();
    expect((await answers).map(({ body }) => body)).toEqual(['event', 'done']);
    await stopped;
  });
});

describe('the listener', () => {
  it('responds to a request whose body arrives while it stops', async () => {
    const arrived = deferred();
    const listener = await listen(async (request) => {
      arrived.resolve();
      return { status: 201, headers: {}, body: Buffer.from(await request.body(100)) };
    });
    const session = http2.connect(`https://127.0.0.1:${listener.address().port}`, {
      rejectUnauthorized: false,
    });
    const stream = session.request({ ':method': 'POST' }, { endStream: false });
    await arrived.promise;
    const stopped = listener.stop();
    stream.end('late');
    let text = '';
    for await (const chunk of stream) text += String(chunk);
    expect(text).toBe('late');
    await stopped;
  });

  it('reports a port in use with an error message of one sentence', async () => {
    const first = await listen(() => Promise.resolve(text(0)));
    const { port } = first.address();
    await expect(listen(() => Promise.resolve(text(0)), port)).rejects.toMatchObject({
      code: 'ERR_LISTEN_PORT_IN_USE',
      message: `cannot listen on 127.0.0.1:${port}: another program uses the port`,
    });
  });

  it.each([
    ['https://other:8443/a/b?c=d', ['/a/b?c=d', 'other:8443']],
    ['HTTP://other', ['/', 'other']],
    ['https://other?watch=1', ['/?watch=1', 'other']],
    ['/https://other/a', ['/https://other/a', 'named']],
  ])('parses the request target %s as other servers do', async (path, expected) => {
    const listener = await listen(({ url, headers }) => ({
      status: 200,
      headers: {},
      body: Buffer.from(JSON.stringify([url, headers['host']?.[0]])),
    }));
    expect(JSON.parse((await overHttp1(listener, { path, headers: { host: 'named' } })).body)).toEqual(
      expected,
    );
  });

  it.each(['GET', 'POST'])('responds to plain HTTP with a hint to use TLS (%s)', async (method) => {
    const listener = await listen(() => Promise.resolve(text(0)));
    const socket = net.connect(listener.address().port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(`${method} / HTTP/1.1\r\nHost: a\r\n\r\n`);
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    expect(answer).toBe('HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n');
  });

  it('rejects a key that does not match the certificate', async () => {
    const tls = { key: credentials('a').key, cert: credentials('b').cert };
    const handler: HttpHandler = () => Promise.resolve(text(0));
    const listener = createListener({ handler, host: '127.0.0.1', port: 0, tls, clock, log: silentLogger });
    await expect(listener.start()).rejects.toMatchObject({ code: 'ERR_LISTEN_TLS' });
    await listener.stop();
  });

  it('aborts the signal of a request whose peer has disconnected', async () => {
    let gone: (value: string) => void = () => {};
    const left = new Promise<string>((resolve) => (gone = resolve));
    const arrived = deferred();
    const listener = await listen((request) => {
      request.signal.addEventListener('abort', () => gone('aborted'));
      arrived.resolve();
      return new Promise(() => {});
    });
    const request = asked(listener);
    await arrived.promise;
    request.destroy();
    expect(await left).toBe('aborted');
  });

  it('rejects a read of the body after the peer has disconnected', async () => {
    const arrived = deferred();
    const gone = deferred();
    let body: Promise<unknown> | undefined;
    const listener = await listen((request) => {
      arrived.resolve();
      request.onClose?.(() => {
        body = request.body(100);
        body.catch(() => {});
        gone.resolve();
      });
      return new Promise(() => {});
    });
    const request = asked(listener, { method: 'POST', headers: { 'content-length': 10 } });
    await arrived.promise;
    request.destroy();
    await gone.promise;
    await expect(body).rejects.toThrow('the peer closed the connection before it sent the whole body');
  });

  it.each([
    ['its peer has disconnected', 'aborted'],
    ['its deadline has passed', 'time is up'],
  ])('reports a cancelled request without a signal: %s', async (why, message) => {
    const arrived = deferred();
    const closed = deferred();
    let taken: HttpRequest | undefined;
    const listener = await listen((request) => {
      taken = request;
      request.onClose?.(closed.resolve);
      arrived.resolve();
      return new Promise(() => {});
    });
    const request = asked(listener);
    await arrived.promise;
    const look = (): void => taken?.cancellation?.throwIfAborted();
    expect(look).not.toThrow();
    if (why === 'its deadline has passed') taken?.abort?.(new Error('time is up'));
    request.destroy();
    await closed.promise;
    expect(look).toThrow(message);
  });
});
