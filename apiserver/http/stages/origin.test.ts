import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kubernetesVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../../base/clock/simulated.ts';
import type { HttpPeer } from '../../../base/http/message.ts';
import { createMetrics } from '../../../base/metrics/metrics.ts';
import { createCertificateAuthority, issueCertificate } from '../../../base/pki/certificates.ts';
import { generateKeyPair } from '../../../base/pki/keys.ts';
import { createSeededRandom } from '../../../base/random/seeded.ts';
import { anonymous } from '../../auth/anonymous.ts';
import { createBearerAuthenticator } from '../../auth/bearer.ts';
import { createClientCertificateAuthenticator } from '../../auth/client-certificate.ts';
import { createRequestHeaderAuthenticator, standardIdentityHeaders } from '../../auth/request-header.ts';
import { createWebSocketTokenAuthenticator } from '../../auth/web-socket-token.ts';
import { startServer } from '../../extensions/extensions.fixture.ts';

const clock = createSimulatedClock(Date.UTC(2026, 0, 1));
const random = createSeededRandom(1);
const validity = { notBeforeMs: clock.now() - 1_000, notAfterMs: clock.now() + 3_600_000 };

function issuer(commonName: string) {
  const subject = { commonName, organizations: [] };
  const authority = createCertificateAuthority(subject, generateKeyPair('ec-p256'), validity, random);
  const issue = (name: string): HttpPeer => {
    const { publicKey } = generateKeyPair('ec-p256');
    const usages = ['digital signature', 'client auth'];
    const given = { subject: { commonName: name, organizations: [] }, publicKey, usages, ...validity };
    return {
      address: '10.0.0.9',
      certificate: new X509Certificate(issueCertificate(given, authority, random)),
    };
  };
  return { roots: () => [authority.certificate], issue };
}

const clients = issuer('clients');
const proxies = issuer('proxies');
const anonymousPeer: HttpPeer = { address: '10.0.0.9' };
const admin = clients.issue('admin');

const bearer = { authorization: 'Bearer secret' };
const protocol = (token: string): object => ({
  'sec-websocket-protocol': `a, base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`,
});

/**
 * Columns: name of the credential, connection, headers, and true if a browser adds the credential by itself.
 */
const CREDENTIALS: readonly [string, HttpPeer, object, boolean][] = [
  ['a client certificate', admin, {}, true],
  ['a client certificate next to a token', admin, bearer, true],
  ['a client certificate next to a made-up token', admin, { authorization: 'Bearer x' }, true],
  ['a client certificate next to Basic credentials', admin, { authorization: 'Basic YTpi' }, true],
  ['no credential', anonymousPeer, {}, true],
  ['Basic credentials', anonymousPeer, { authorization: 'Basic YTpi' }, true],
  ['a token', anonymousPeer, bearer, false],
  ['a proxy', proxies.issue('proxy'), { 'x-remote-user': 'jane' }, false],
];

/** Columns: name of the origin, headers, and true if the headers mean a page of another site. */
const ORIGINS: readonly [string, object, boolean][] = [
  ['no page', {}, false],
  ['a page of the server', { origin: 'https://server:6443' }, false],
  [
    'a page of the server by fetch metadata',
    { 'sec-fetch-site': 'same-origin', origin: 'https://server:6443' },
    false,
  ],
  [
    'a page behind a proxy of the user',
    { 'sec-fetch-site': 'same-origin', origin: 'http://localhost:8001' },
    false,
  ],
  ['the address bar', { 'sec-fetch-site': 'none' }, false],
  ['another site', { origin: 'https://evil.example' }, true],
  ['another site by fetch metadata', { 'sec-fetch-site': 'cross-site' }, true],
  ['another site by both headers', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, true],
  ['another server of the site', { 'sec-fetch-site': 'same-site' }, true],
  ['another port', { origin: 'https://server:8443' }, true],
  ['the same host without TLS', { origin: 'http://server:6443' }, true],
  ['a page with a null origin', { origin: 'null' }, true],
  ['a page of an old browser', { referer: 'https://evil.example/page' }, true],
  ['two pages', { origin: ['https://server:6443', 'https://evil.example'] }, true],
  ['an unknown value of Sec-Fetch-Site', { 'sec-fetch-site': 'elsewhere' }, true],
];

const COLLECTION = '/api/v1/namespaces/default/configmaps';
const JSON_TYPE = { 'content-type': 'application/json' };
const WEB_SOCKET = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAA',
};

let started: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  const tokens = {
    name: 'test',
    authenticateToken: async (token: string) =>
      token === 'secret' ? { user: { username: 'holder', groups: [] } } : undefined,
  };
  started = await startServer({
    authenticators: [
      createRequestHeaderAuthenticator({
        clientCa: proxies.roots,
        allowedNames: [],
        headers: standardIdentityHeaders,
        clock,
      }),
      createClientCertificateAuthenticator({
        clientCa: clients.roots,
        clock,
        metrics: createMetrics({ release: '1.24', showHidden: false }),
      }),
      createBearerAuthenticator(tokens),
      createWebSocketTokenAuthenticator(tokens, kubernetesVocabulary),
      anonymous,
    ],
  });
  await started.call('POST', '/api/v1/namespaces', { metadata: { name: 'default' } });
});
afterAll(() => started.server.stop());

/**
 * Returns the status, and true if the page was the reason for a rejection. Does not wait for the end of a
 * stream.
 */
async function ask(method: string, path: string, peer: HttpPeer, headers: object, body?: object) {
  const leaving = new AbortController();
  const response = await started.caller.request(method, path, {
    peer,
    signal: leaving.signal,
    headers: { host: 'server:6443', ...headers } as never,
    ...(body && { body }),
  });
  const { status } = response;
  const text = status >= 400 ? await response.text() : '';
  leaving.abort();
  return [status, text.includes('a page of another site')];
}

describe.each(CREDENTIALS)('with %s', (_credential, peer, shown, isAdded) => {
  it.each(ORIGINS)(
    'a request from %s is rejected only for a foreign page without an explicit credential',
    async (_from, origin, isForeign) => {
      const refused = isAdded && isForeign;
      const headers = { ...shown, ...origin };
      const body = { metadata: { generateName: 'c-' } };
      const typed = { ...headers, ...JSON_TYPE };
      expect(await ask('POST', COLLECTION, peer, typed, body)).toEqual([refused ? 403 : 201, refused]);
      for (const method of ['PUT', 'PATCH', 'DELETE'])
        expect((await ask(method, `${COLLECTION}/absent`, peer, typed, body))[1]).toBe(refused);
      for (const method of ['GET', 'HEAD', 'OPTIONS'])
        expect((await ask(method, COLLECTION, peer, headers))[1]).toBe(false);
      const stream = { ...headers, ...WEB_SOCKET };
      expect((await ask('GET', `${COLLECTION}?watch=true`, peer, stream))[1]).toBe(refused);
      const spdy = { ...headers, connection: 'upgrade', upgrade: 'SPDY/3.1' };
      expect((await ask('POST', '/api/v1/namespaces/default/pods/p/exec', peer, spdy))[1]).toBe(refused);
      expect((await ask('GET', '/api/v1/namespaces/default/pods/p/exec', peer, spdy))[1]).toBe(refused);
    },
  );
});

describe('a WebSocket from another site', () => {
  const at = (peer: HttpPeer, token: string) =>
    ask('GET', `${COLLECTION}?watch=true`, peer, {
      ...WEB_SOCKET,
      ...protocol(token),
      origin: 'https://evil.example',
    });

  it('is opened only with a token', async () => {
    expect((await at(anonymousPeer, 'secret'))[1]).toBe(false);
    expect(await at(admin, 'made up')).toEqual([403, true]);
    expect(await at(admin, 'secret')).toEqual([403, true]);
  });
});

describe('a body without a content type', () => {
  const untyped = (headers: object) =>
    ask(
      'POST',
      COLLECTION,
      anonymousPeer,
      { ...bearer, 'content-type': '', ...headers },
      { metadata: { generateName: 'c-' } },
    );

  it('is parsed as JSON from a program and rejected from a browser', async () => {
    expect((await untyped({}))[0]).toBe(201);
    for (const [, origin] of ORIGINS.filter(([, headers]) => Object.keys(headers).length > 0))
      expect((await untyped(origin))[0]).toBe(415);
  });
});
