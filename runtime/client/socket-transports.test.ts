import { type Server, type ServerOptions, createServer } from 'node:https';
import { type IncomingMessage, type ServerResponse, createServer as createProxy } from 'node:http';
import { type AddressInfo, type Socket, createServer as createPlainServer, connect as dial } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noAlternativeNames } from '../../base/pki/alternative-names.ts';
import { createCertificateAuthority, issueCertificate } from '../../base/pki/certificates.ts';
import { generateKeyPair, privateKeyPem } from '../../base/pki/keys.ts';
import { createSystemRandom } from '../../base/random/system.ts';
import { readText } from './response.ts';
import { type CredentialSource, type Credentials, staticCredentials } from './credentials.ts';
import { createNodeTransport } from './node-transport.ts';
import { createUndiciTransport } from './undici-transport.ts';
import type { Transport, TransportRequest } from './transport.ts';

const random = createSystemRandom();
const validity = { notBeforeMs: Date.now() - 60_000, notAfterMs: Date.now() + 3_600_000 };
const authority = createCertificateAuthority(
  { commonName: 'test-ca', organizations: [] },
  generateKeyPair('ec-p256'),
  validity,
  random,
);
function issue(commonName: string, usage: string): { certificate: string; key: string } {
  const keys = generateKeyPair('ec-p256');
  const names = { ...noAlternativeNames, dnsNames: ['orch'], ipAddresses: ['127.0.0.1'] };
  const certificate = issueCertificate(
    {
      subject: { commonName, organizations: [] },
      publicKey: keys.publicKey,
      usages: ['digital signature', usage],
      names,
      ...validity,
    },
    authority,
    random,
  );
  return { certificate, key: privateKeyPem(keys.privateKey) };
}

const serving = issue('server', 'server auth');
let server: Server;
let origin = '';
let respond: (request: IncomingMessage, response: ServerResponse) => void;
const open: Transport[] = [];
let create: typeof createUndiciTransport = createUndiciTransport;

beforeAll(async () => {
  const options: ServerOptions = {
    cert: serving.certificate,
    key: serving.key,
    ca: authority.certificatePem,
    requestCert: true,
    rejectUnauthorized: false,
  };
  server = createServer(options, (request, response) => respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await Promise.all(open.map((transport) => transport.close()));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function connect(
  credentials: CredentialSource = staticCredentials({}),
  more: Partial<Parameters<typeof createUndiciTransport>[0]> = {},
): Transport {
  const tls = { ca: authority.certificatePem };
  const transport = create({ server: origin, tls, credentials, ...more });
  open.push(transport);
  return transport;
}

const get = (path: string, more: Partial<TransportRequest> = {}): TransportRequest => ({
  method: 'GET',
  path,
  headers: {},
  headersTimeoutMs: 5_000,
  ...more,
});

describe.each([
  ['createUndiciTransport', createUndiciTransport],
  ['createNodeTransport', createNodeTransport],
])('%s', (_name, creator) => {
  beforeAll(() => {
    create = creator;
  });

  it('transfers method, path, headers and body, and returns the status', async () => {
    respond = (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.writeHead(201, { 'x-seen': `${request.method} ${request.url} ${request.headers['x-a']}` });
        response.end(Buffer.concat(chunks));
      });
    };
    const transport = connect(staticCredentials({}), { server: `${origin}/below/` });
    const response = await transport.send(
      get('/api/v1?x=1', { method: 'POST', headers: { 'x-a': 'b' }, body: 'é✓' }),
    );
    expect(response.status).toBe(201);
    expect(response.headers['x-seen']).toBe('POST /below/api/v1?x=1 b');
    expect(await readText(response.body)).toBe('é✓');
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'transfers the body of %s, and none without a body',
    async (method) => {
      respond = (request, response) => {
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () => response.end(`${request.method} ${Buffer.concat(chunks).toString()}`));
      };
      const transport = connect();
      const text = async (body?: string): Promise<string> =>
        readText((await transport.send(get('/', { method, ...(body !== undefined && { body }) }))).body);
      expect([await text('é✓'), await text()]).toEqual([`${method} é✓`, `${method} `]);
    },
  );

  it('sends impersonation headers, one per group and with encoded keys', async () => {
    respond = (request, response) => response.end(JSON.stringify(request.rawHeaders));
    const impersonate = { user: 'eve', groups: ['a', 'b'], extra: { 'example.com/scope': ['x'] } };
    const answer = await connect(staticCredentials({}), { impersonate }).send(get('/'));
    const headers = JSON.parse(await readText(answer.body)) as string[];
    const sent = headers.flatMap((name, at) =>
      at % 2 === 0 && name.startsWith('impersonate-') ? [`${name}: ${headers[at + 1]}`] : [],
    );
    expect(sent).toEqual([
      'impersonate-user: eve',
      'impersonate-group: a',
      'impersonate-group: b',
      'impersonate-extra-example.com%2Fscope: x',
    ]);
  });

  it('sends the token and the certificate, and opens a new connection for a new certificate', async () => {
    respond = (request, response) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      response.end(`${subject?.CN} ${request.headers.authorization}`);
    };
    let shown: Credentials = { ...issue('alice', 'client auth'), authorization: 'Bearer one' };
    const transport = connect({ get: () => Promise.resolve(shown), rejected: () => Promise.resolve(false) });
    const ask = async (): Promise<string> => readText((await transport.send(get('/'))).body);
    expect(await ask()).toBe('alice Bearer one');
    shown = { ...issue('bob', 'client auth') };
    expect(await ask()).toBe('bob undefined');
  });

  it('retries once with new credentials after a 401', async () => {
    let requests = 0;
    respond = (request, response) => {
      requests++;
      response.statusCode = request.headers.authorization === 'Bearer new' ? 200 : 401;
      response.end();
    };
    let token = 'old';
    const source = (next: string): CredentialSource => ({
      get: () => Promise.resolve({ authorization: `Bearer ${token}` }),
      rejected: () => {
        token = next;
        return Promise.resolve(true);
      },
    });
    expect((await connect(source('new')).send(get('/', { method: 'POST', body: '{}' }))).status).toBe(200);
    expect(requests).toBe(2);
    token = 'old';
    expect((await connect(source('wrong')).send(get('/'))).status).toBe(401);
    expect(requests).toBe(4);
  });

  it('does not let watches use up the connections of requests', async () => {
    respond = (request, response) => {
      if (request.url === '/watch') response.write('x');
      else response.end('y');
    };
    const transport = connect(staticCredentials({}), { connections: 1 });
    const controllers = Array.from({ length: 20 }, () => new AbortController());
    const watches = await Promise.all(
      controllers.map(({ signal }) => transport.send(get('/watch', { streaming: true, signal }))),
    );
    expect(await readText((await transport.send(get('/'))).body)).toBe('y');
    for (const controller of controllers) controller.abort(new Error('enough'));
    for (const watch of watches) await expect(readText(watch.body)).rejects.toThrow('enough');
  });

  it('frees the connection of an aborted request', async () => {
    let asked = (): void => {};
    const hanging = new Promise<void>((resolve) => (asked = resolve));
    respond = (request, response) => {
      if (request.url === '/hangs') asked();
      else response.end('y');
    };
    const transport = connect(staticCredentials({}), { connections: 1 });
    const controller = new AbortController();
    const hangs = transport.send(get('/hangs', { signal: controller.signal }));
    const waits = transport.send(get('/waits', { signal: controller.signal }));
    const next = transport.send(get('/'));
    await hanging;
    controller.abort(new Error('enough'));
    await expect(hangs).rejects.toThrow('enough');
    await expect(waits).rejects.toThrow('enough');
    expect(await readText((await next).body)).toBe('y');
  });

  // The time limit is below undici's connect timeout of ten seconds, which would otherwise end the request.
  it.each([true, false])(
    'rejects an aborted request to a silent server (stream: %s)',
    { timeout: 9_000 },
    async (streaming) => {
      const sockets: Socket[] = [];
      const controller = new AbortController();
      const silent = createPlainServer((socket) => {
        sockets.push(socket);
        controller.abort(new Error('enough'));
      });
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      const { port } = silent.address() as AddressInfo;
      const transport = connect(staticCredentials({}), { server: `https://127.0.0.1:${port}` });
      const sent = transport.send(get('/', { streaming, signal: controller.signal }));
      await expect(sent).rejects.toThrow('enough');
      for (const socket of sockets) socket.destroy();
      silent.close();
    },
  );

  it('closes the connection when the loop over a body is left', async () => {
    const gone = new Promise<void>((resolve) => {
      respond = (_, response) => {
        response.on('close', resolve);
        response.write('x');
      };
    });
    const response = await connect().send(get('/', { streaming: true }));
    for await (const chunk of response.body) {
      expect(Buffer.from(chunk).toString()).toBe('x');
      break;
    }
    await gone;
  });

  it('closes the connection of a response above its limit', async () => {
    const chunk = Buffer.alloc(64 * 1024);
    let sent = 0;
    const closed = new Promise<void>((resolve) => {
      respond = (_, response) => {
        const more = (): void => {
          while (!response.destroyed && response.write(chunk)) sent += chunk.length;
        };
        response.on('drain', more).once('close', resolve);
        more();
      };
    });
    await expect(connect().send(get('/', { limitBytes: 1024 * 1024 }))).rejects.toMatchObject({
      code: 'ERR_TOO_LARGE',
      message: 'the response is longer than 1048576 bytes',
    });
    await closed;
    expect(sent).toBeLessThan(32 * 1024 * 1024);
  });

  it('rejects a broken body, a closed port and an untrusted server with distinct codes', async () => {
    respond = (_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('x');
      setImmediate(() => response.destroy());
    };
    await expect(connect().send(get('/'))).rejects.toMatchObject({ code: 'ERR_CONNECTION' });
    const response = await connect().send(get('/', { streaming: true }));
    await expect(readText(response.body)).rejects.toMatchObject({ code: 'ERR_CONNECTION' });

    const closed = createPlainServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    await expect(
      connect(staticCredentials({}), { server: `https://127.0.0.1:${port}` }).send(get('/')),
    ).rejects.toMatchObject({ code: 'ERR_UNREACHABLE', message: expect.stringContaining('ECONNREFUSED') });

    await expect(connect(staticCredentials({}), { tls: {} }).send(get('/'))).rejects.toMatchObject({
      code: 'ERR_TLS',
    });
  });

  it('verifies the certificate for the configured server name instead of the host', async () => {
    respond = (_, response) => response.end('y');
    const named = (serverName: string): Transport =>
      connect(staticCredentials({}), { tls: { ca: authority.certificatePem, serverName } });
    expect((await named('orch').send(get('/'))).status).toBe(200);
    await expect(named('other').send(get('/'))).rejects.toMatchObject({ code: 'ERR_TLS' });
  });

  it.skipIf(creator === createNodeTransport)(
    'tunnels through an HTTP proxy, which cannot read the traffic',
    async () => {
      respond = (request, response) => response.end(request.headers.authorization);
      const asked: string[] = [];
      const proxy = createProxy();
      proxy.on('connect', (request, client: Socket) => {
        asked.push(`CONNECT ${request.url} ${request.headers.authorization}`);
        const [host, port] = (request.url ?? '').split(':');
        const upstream = dial(Number(port), host, () => {
          client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
          upstream.pipe(client).pipe(upstream);
        });
        upstream.on('error', () => client.destroy());
        client.on('error', () => upstream.destroy());
      });
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
      const transport = connect(staticCredentials({ authorization: 'Bearer x' }), {
        proxyUrl: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      });
      expect(await readText((await transport.send(get('/'))).body)).toBe('Bearer x');
      expect(asked).toEqual([`CONNECT ${new URL(origin).host} undefined`]);
      await transport.close();
      await new Promise((resolve) => proxy.close(resolve));
    },
  );

  it('throws for an invalid server URL', () => {
    expect(() => connect(staticCredentials({}), { server: 'localhost:6443' })).toThrow(/must be a URL/);
  });
});
