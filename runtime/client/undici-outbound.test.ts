import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, type Socket, createServer as createPlainServer } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Outbound, type OutboundPeer, readOutbound } from '../../base/http/outbound.ts';
import { noAlternativeNames } from '../../base/pki/alternative-names.ts';
import { createCertificateAuthority, issueCertificate } from '../../base/pki/certificates.ts';
import { generateKeyPair, privateKeyPem } from '../../base/pki/keys.ts';
import { createDialPolicy } from '../../base/net/dial-policy.ts';
import { createSystemRandom } from '../../base/random/system.ts';
import type { LookupAll } from './permitted-lookup.ts';
import { createUndiciOutbound } from './undici-outbound.ts';

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
  const certificate = issueCertificate(
    {
      subject: { commonName, organizations: [] },
      publicKey: keys.publicKey,
      usages: ['digital signature', usage],
      names: { ...noAlternativeNames, dnsNames: ['wardle.default.svc'] },
      ...validity,
    },
    authority,
    random,
  );
  return { certificate, key: privateKeyPem(keys.privateKey) };
}

const serving = issue('wardle', 'server auth');
const server = createServer(
  {
    cert: serving.certificate,
    key: serving.key,
    ca: authority.certificatePem,
    requestCert: true,
    rejectUnauthorized: false,
  },
  (request, response) => respond(request, response),
);
let respond: (request: IncomingMessage, response: ServerResponse) => void = () => {};
let peer: OutboundPeer;
const open: Outbound[] = [];

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  peer = {
    origin: `https://127.0.0.1:${port}`,
    ca: authority.certificatePem,
    serverName: 'wardle.default.svc',
  };
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function outbound(options: Parameters<typeof createUndiciOutbound>[0] = {}): Outbound {
  const created = createUndiciOutbound(options);
  open.push(created);
  return created;
}

const get = { method: 'GET', path: '/', headers: {}, headersTimeoutMs: 5_000 };
const commonName = (request: IncomingMessage): string =>
  String((request.socket as TLSSocket).getPeerCertificate().subject?.CN ?? 'nobody');

describe('createUndiciOutbound', () => {
  it('verifies the given server name and sends the given certificate', async () => {
    respond = (request, response) => response.end(commonName(request));
    const made = outbound();
    const shown = { ...peer, ...issue('front-proxy-client', 'client auth') };
    const text = async (to: OutboundPeer) =>
      (await readOutbound(await made.send(to, get), 1024)).toString('utf8');
    expect(await text(shown)).toBe('front-proxy-client');
    expect(await text(peer)).toBe('nobody');
  });

  it.each([
    ['another server name', { serverName: 'other.default.svc' }],
    ['another certificate authority', { ca: serving.certificate }],
  ])('rejects a peer whose certificate has %s', async (_what, changes) => {
    const sent = outbound().send({ ...peer, ...changes }, get);
    await expect(sent).rejects.toMatchObject({ code: 'ERR_OUTBOUND_TLS' });
  });

  it('accepts an unverified peer only with insecureSkipVerify', async () => {
    respond = (_request, response) => response.end('ok');
    const unverified = { origin: peer.origin, insecureSkipVerify: true };
    expect((await outbound().send(unverified, get)).status).toBe(200);
    await expect(outbound().send({ origin: peer.origin }, get)).rejects.toMatchObject({
      code: 'ERR_OUTBOUND_TLS',
    });
  });

  it('never follows a redirect', async () => {
    respond = (_request, response) => response.writeHead(302, { location: '/elsewhere' }).end();
    const response = await outbound().send(peer, get);
    expect([response.status, response.headers['location']]).toEqual([302, ['/elsewhere']]);
  });

  it('reuses a connection only for the same identity', async () => {
    respond = (request, response) => response.end(String(request.socket.remotePort));
    const made = outbound();
    const portsOf = async (to: OutboundPeer): Promise<Set<string>> => {
      const ports = new Set<string>();
      for (let i = 0; i < 8; i++) ports.add((await readOutbound(await made.send(to, get), 1024)).toString());
      return ports;
    };
    const first = await portsOf(peer);
    const second = await portsOf({ ...peer, ...issue('other', 'client auth') });
    expect(first.size).toBeLessThan(4);
    expect([...second].filter((port) => first.has(port))).toEqual([]);
  });

  it('streams a request body at the speed of the peer', async () => {
    respond = (request, response) => request.pipe(response);
    async function* body() {
      for (const part of ['a', 'b', 'c']) yield Buffer.from(part);
    }
    const response = await outbound().send(peer, { ...get, method: 'POST', body: body() });
    expect((await readOutbound(response, 1024)).toString('utf8')).toBe('abc');
  });

  it('closes the connection when the loop over the response body is left', async () => {
    const closed = new Promise<void>((resolve) => {
      respond = (_request, response) => {
        response.on('close', resolve);
        response.write('event\n');
      };
    });
    const response = await outbound().send(peer, { ...get, streaming: true, headersTimeoutMs: 0 });
    for await (const chunk of response.body) {
      expect(Buffer.from(chunk).toString()).toBe('event\n');
      break;
    }
    await closed;
  });

  it('rejects with the reason of its signal', async () => {
    respond = () => {};
    const controller = new AbortController();
    const sent = outbound().send(peer, { ...get, signal: controller.signal });
    controller.abort(new Error('the client left'));
    await expect(sent).rejects.toThrow('the client left');
  });

  // The time limit is below undici's connect timeout of ten seconds, which would otherwise end the request.
  it('rejects with the reason of its signal if the peer is silent', { timeout: 9_000 }, async () => {
    const sockets: Socket[] = [];
    const controller = new AbortController();
    const silent = createPlainServer((socket) => {
      sockets.push(socket);
      controller.abort(new Error('the client left'));
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const sent = outbound().send(
      { origin: `https://127.0.0.1:${port}` },
      { ...get, signal: controller.signal },
    );
    await expect(sent).rejects.toThrow('the client left');
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  it('omits the headers from the error for an invalid header', async () => {
    const sent = outbound().send(peer, { ...get, headers: { 'x-remote-user': 'secret\r\nx: y' } });
    await expect(sent).rejects.toMatchObject({ code: 'ERR_OUTBOUND_REQUEST' });
    await expect(sent).rejects.not.toThrow(/secret/);
  });

  it('rejects with distinct codes for a refused connection and after it was closed', async () => {
    const made = outbound();
    await expect(made.send({ origin: 'https://127.0.0.1:1' }, get)).rejects.toMatchObject({
      code: 'ERR_OUTBOUND_CONNECTION',
    });
    await made.close();
    await expect(made.send(peer, get)).rejects.toMatchObject({ code: 'ERR_OUTBOUND_CLOSED' });
  });
});

it('createUndiciOutbound stops reading a response at its size limit', async () => {
  respond = (_request, response) => response.end('x'.repeat(100));
  const response = await outbound().send(peer, get);
  await expect(readOutbound(response, 99)).rejects.toMatchObject({ code: 'ERR_OUTBOUND_TOO_LARGE' });
});

describe('an outbound with a dial policy', () => {
  /** Returns a lookup that resolves every name to these addresses and counts its calls. */
  function resolver(...addresses: readonly string[]): { lookup: LookupAll; count: () => number } {
    let asked = 0;
    return {
      count: () => asked,
      lookup: (_name, _options, done) => {
        asked++;
        done(
          null,
          addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        );
      },
    };
  }
  const at = (host: string): OutboundPeer => ({
    ...peer,
    origin: `https://${host}:${new URL(peer.origin).port}`,
  });
  const requests = [get, { ...get, streaming: true }, { ...get, upgrade: 'SPDY/3.1' }];

  it.each([
    ['127.0.0.1', []],
    ['[::ffff:127.0.0.1]', []],
    ['127.1', []],
    ['pod.example', ['127.0.0.1']],
    ['pod.example', ['::ffff:7f00:1']],
    ['pod.example', ['fe80::1%eth0']],
    ['pod.example', ['169.254.169.254']],
    ['pod.example', ['10.1.1.1', '127.0.0.1']],
  ])('never connects to %s, resolved to %j, for a request, a stream or an upgrade', async (host, found) => {
    let reached = false;
    respond = (_request, response) => void ((reached = true), response.end());
    const { lookup } = resolver(...found);
    const made = outbound({ policy: createDialPolicy({}), lookup });
    for (const request of requests)
      await expect(made.send(at(host), request)).rejects.toMatchObject({
        code: 'ERR_OUTBOUND_ADDRESS',
        message: expect.stringMatching(/^address not allowed: /) as string,
      });
    expect(reached).toBe(false);
  });

  it('connects to the checked address and resolves the name once', async () => {
    respond = (_request, response) => response.end('ok');
    for (const request of requests) {
      const { lookup, count } = resolver('127.0.0.1');
      const made = outbound({ policy: createDialPolicy({ allowLoopback: true }), lookup });
      expect((await made.send(at('pod.example'), request)).status).toBe(200);
      expect(count()).toBe(1);
    }
  });

  it("rejects the server's own port even if loopback is permitted", async () => {
    const port = Number(new URL(peer.origin).port);
    const own = (asked: number): string[] => (asked === port ? ['10.1.0.7'] : []);
    const { lookup } = resolver('127.0.0.1');
    const made = outbound({ policy: createDialPolicy({ allowLoopback: true, own }), lookup });
    for (const host of ['127.0.0.1', 'localhost', '[::1]'])
      for (const request of requests)
        await expect(made.send(at(host), request)).rejects.toThrow('is this server itself');
  });
});
