import { type KeyObject, X509Certificate, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { stringify } from 'yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtinKinds } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import type { UserInfo } from '../../api/kinds/kind.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import {
  type TestIssuer,
  createTestIssuer,
  issuerKey,
  publicJwk,
  signedToken,
} from '../../apiserver/auth/issuer.fixture.ts';
import { type Listener, createListener } from '../../apiserver/http/listener.ts';
import { createMemoryStorage } from '../../apiserver/storage/memory.ts';
import { stampResourceVersion } from '../../apiserver/storage/stamp.ts';
import type { Clock } from '../../base/clock/clock.ts';
import { createSystemClock } from '../../base/clock/system.ts';
import type { HttpHandler } from '../../base/http/message.ts';
import { type OutboundRequest, readOutbound } from '../../base/http/outbound.ts';
import type { Lifetime } from '../../base/lifetime/lifetimes.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { noAlternativeNames } from '../../base/pki/alternative-names.ts';
import {
  type CertificateAuthority,
  createCertificateAuthority,
  issueCertificate,
} from '../../base/pki/certificates.ts';
import { generateKeyPair, privateKeyPem } from '../../base/pki/keys.ts';
import { createSystemRandom } from '../../base/random/system.ts';
import { assembleApiServer } from '../../apiserver/assembly/api-server.ts';
import { controllerPermissions } from '../../controllers/manifests.ts';
import { readAuthentication } from '../../cli/server/authentication.ts';
import { apiServerCommandFlags } from '../../cli/flags/flag-tables.ts';
import { parseFlags } from '../../cli/flags/flags.ts';
import { createLiveFiles } from '../../cli/files/live-files.ts';
import { createUndiciOutbound } from '../../runtime/client/undici-outbound.ts';

// Every method of authentication by its own flags, over TLS, with real peers on loopback.

const system = createSystemClock();
let offsetMs = 0;
/** Time goes on by itself, and by leaps where a test has no patience. */
const clock: Clock = {
  now: () => system.now() + offsetMs,
  monotonic: () => system.monotonic() + offsetMs,
  setTimeout: (run, delayMs) => system.setTimeout(run, delayMs),
  clearTimeout: (timer) => system.clearTimeout(timer),
};
const random = createSystemRandom();
const log = silentLogger;
const HOUR_MS = 3_600_000;
const validity = { notBeforeMs: system.now() - HOUR_MS, notAfterMs: system.now() + HOUR_MS };

const authority = (commonName: string): CertificateAuthority =>
  createCertificateAuthority({ commonName, organizations: [] }, generateKeyPair('ec-p256'), validity, random);
const [servers, clients, proxies, strangers] = ['servers', 'clients', 'proxies', 'strangers'].map(
  authority,
) as [CertificateAuthority, CertificateAuthority, CertificateAuthority, CertificateAuthority];

interface Wanted {
  readonly organizations?: readonly string[];
  readonly usages?: readonly string[];
  readonly notAfterMs?: number;
}

function issue(commonName: string, issuer: CertificateAuthority, wanted: Wanted = {}) {
  const keys = generateKeyPair('ec-p256');
  const certificate = issueCertificate(
    {
      subject: { commonName, organizations: wanted.organizations ?? [] },
      publicKey: keys.publicKey,
      usages: ['digital signature', ...(wanted.usages ?? ['client auth'])],
      names: { ...noAlternativeNames, ipAddresses: ['127.0.0.1'] },
      ...validity,
      ...(wanted.notAfterMs === undefined ? {} : { notAfterMs: wanted.notAfterMs }),
    },
    issuer,
    random,
  );
  return { certificate, key: privateKeyPem(keys.privateKey) };
}

const folder = mkdtempSync(join(tmpdir(), 'authentication-'));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text, { mode: 0o600 });
  return join(folder, name);
};

const outbound = createUndiciOutbound();
const lifetimes: Lifetime[] = [];
async function listen(handler: HttpHandler, issuer = servers): Promise<string> {
  const { certificate, key } = issue('server', issuer, { usages: ['server auth'] });
  const clientCa = [clients, proxies].map(({ certificatePem }) => certificatePem).join('');
  const tls = { cert: certificate, key, clientCa };
  const listener: Listener = createListener({
    handler,
    host: '127.0.0.1',
    port: 0,
    tls,
    clock,
    log,
    graceMs: 100,
  });
  await listener.start();
  lifetimes.push(listener);
  return `https://127.0.0.1:${listener.address().port}`;
}

const signing = generateKeyPair('ec-p256').privateKey;
const serving = generateKeyPair('ec-p256').privateKey;

/** An API server with these flags; the address it is at. */
async function serve(...argv: readonly string[]): Promise<string> {
  const flags = parseFlags(apiServerCommandFlags, [
    ...argv,
    `--token-auth-file=${file('tokens.csv', 'root-token,root,1,system:masters\n')}`,
  ]);
  const own = {
    clientCa: () => clients.certificatePem,
    serviceAccountKey: signing,
    servingKey: privateKeyPem(serving),
  };
  const live = createLiveFiles({ clock, log });
  const authentication = await readAuthentication(flags, own, {
    vocabulary: kubernetesVocabulary,
    clock,
    live,
  });
  const server = assembleApiServer({
    controllerPermissions,
    ...authentication,
    scheme: createScheme(kubernetesVocabulary, builtinKinds),
    environment: { clock, random, log },
    storage: createMemoryStorage({ stamp: stampResourceVersion }),
    serverCa: servers.certificatePem,
    serverUrl: () => 'https://127.0.0.1:6443',
    outbound,
  });
  await server.start();
  lifetimes.push(server);
  const url = await listen(server.handler);
  await letEverybodyAskWhoTheyAre(url);
  return url;
}

interface Shown {
  readonly token?: string;
  readonly certificate?: string;
  readonly key?: string;
  readonly headers?: OutboundRequest['headers'];
}

async function send(
  url: string,
  method: string,
  path: string,
  { token, certificate, key, headers }: Shown,
  body?: object,
) {
  const peer = {
    origin: url,
    ca: servers.certificatePem,
    ...(certificate && key ? { certificate, key } : {}),
  };
  const response = await outbound.send(peer, {
    method,
    path,
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headersTimeoutMs: 10_000,
  });
  const text = (await readOutbound(response, 1 << 20)).toString();
  return { status: response.status, text, headers: response.headers };
}

async function letEverybodyAskWhoTheyAre(url: string): Promise<void> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const root = { token: 'root-token' };
  const rules = [
    { apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'], verbs: ['create'] },
  ];
  await send(url, 'POST', `${rbac}/clusterroles`, root, { metadata: { name: 'who' }, rules });
  const group = (name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name });
  const made = await send(url, 'POST', `${rbac}/clusterrolebindings`, root, {
    metadata: { name: 'who' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'who' },
    subjects: [group('system:authenticated'), group('system:unauthenticated')],
  });
  expect(made.status).toBe(201);
}

/** Whom the server takes one for, or the status of its refusal. */
async function whoAmI(url: string, shown: Shown): Promise<UserInfo | number> {
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const { status, text } = await send(url, 'POST', path, shown, {});
  return status === 201 ? (JSON.parse(text) as { status: { userInfo: UserInfo } }).status.userInfo : status;
}

/** The status of the answer to bytes that no client would send. */
function statusOf(url: string, bytes: string): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), ca: servers.certificatePem }, () =>
      socket.write(bytes, 'latin1'),
    );
    socket.once('data', (data) => {
      resolve(Number(data.toString('latin1').split(' ', 2)[1]));
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

const named = async (url: string, shown: Shown): Promise<string | number> => {
  const found = await whoAmI(url, shown);
  return typeof found === 'number' ? found : found.username;
};

afterAll(async () => {
  for (const lifetime of lifetimes.reverse()) await lifetime.stop();
  await outbound.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('OpenID Connect', () => {
  const [first, second] = [issuerKey('first', 'rsa'), issuerKey('second', 'rsa')];
  let issuer: TestIssuer;
  let issuerUrl: string;
  let url: string;
  const claims = (over: object = {}) => ({
    iss: issuerUrl,
    aud: 'cluster',
    sub: 'jane',
    exp: Math.floor(clock.now() / 1000) + 600,
    groups: ['devs'],
    tier: 'gold',
    ...over,
  });

  beforeAll(async () => {
    issuer = createTestIssuer(() => issuerUrl, [publicJwk(first)]);
    issuerUrl = await listen(issuer.handler);
    url = await serve(
      `--oidc-issuer-url=${issuerUrl}`,
      '--oidc-client-id=cluster',
      `--oidc-ca-file=${file('issuer-ca.pem', servers.certificatePem)}`,
      '--oidc-username-claim=sub',
      '--oidc-username-prefix=oidc:',
      '--oidc-groups-claim=groups',
      '--oidc-groups-prefix=oidc:',
      '--oidc-required-claim=tier=gold',
    );
  });

  it('lets in whom the issuer names', async () => {
    expect(await whoAmI(url, { token: await signedToken(claims(), first) })).toEqual({
      username: 'oidc:jane',
      groups: ['oidc:devs', 'system:authenticated'],
    });
    expect(issuer.asked).toEqual(['/.well-known/openid-configuration', '/keys']);
  });

  it('refuses tokens for others, of the past, without what is required, and forged ones', async () => {
    for (const over of [
      { aud: 'else' },
      { exp: 1 },
      { tier: 'tin' },
      { nbf: Math.floor(clock.now() / 1000) + 400 },
    ])
      expect(await named(url, { token: await signedToken(claims(over), first) })).toBe(401);
    expect(await named(url, { token: await signedToken(claims(), second) })).toBe(401);
    const { status, text } = await send(url, 'GET', '/api', {
      token: await signedToken(claims({ exp: 1 }), first),
    });
    expect([status, (JSON.parse(text) as { message: string }).message]).toEqual([401, 'Unauthorized']);
  });

  it('follows the issuer to its new key, and away from the old one', async () => {
    issuer.keys = [publicJwk(second)];
    offsetMs += 11_000;
    expect(await named(url, { token: await signedToken(claims(), second) })).toBe('oidc:jane');
    expect(await named(url, { token: await signedToken(claims(), first) })).toBe(401);
  });

  it('trusts no issuer whose certificate it cannot verify', async () => {
    const impostor = createTestIssuer(() => impostorUrl, [publicJwk(first)]);
    const impostorUrl: string = await listen(impostor.handler, strangers);
    const other = await serve(
      `--oidc-issuer-url=${impostorUrl}`,
      '--oidc-client-id=cluster',
      `--oidc-ca-file=${file('issuer-ca.pem', servers.certificatePem)}`,
    );
    const token = await signedToken(claims({ iss: impostorUrl }), first);
    expect(await named(other, { token })).toBe(401);
    expect(impostor.asked).toEqual([]);
  });
});

describe('a token webhook', () => {
  it('is asked over TLS by the identity of its file, once in two minutes', async () => {
    const asked: unknown[] = [];
    const hook = await listen(async (request) => {
      const review = JSON.parse(Buffer.from(await request.body(10_000)).toString()) as {
        spec: { token: string };
      };
      asked.push([request.url, request.peer.certificate?.subject, review.spec.token]);
      const status =
        review.spec.token === 'good'
          ? { authenticated: true, user: { username: 'hooked', groups: ['g'], extra: { a: ['b'] } } }
          : { authenticated: false, error: 'no such token' };
      return { status: 200, headers: {}, body: Buffer.from(JSON.stringify({ ...review, status })) };
    });
    const identity = issue('api-server', clients);
    const config = file(
      'webhook.yaml',
      stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [
          {
            name: 'c',
            cluster: {
              server: `${hook}/check`,
              'certificate-authority': file('hook-ca.pem', servers.certificatePem),
            },
          },
        ],
        users: [
          {
            name: 'u',
            user: {
              'client-certificate': file('hook.crt', identity.certificate),
              'client-key': file('hook.key', identity.key),
            },
          },
        ],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      }),
    );
    const url = await serve(
      `--authentication-token-webhook-config-file=${config}`,
      '--authentication-token-webhook-version=v1',
      '--authentication-token-webhook-cache-ttl=2m',
    );
    for (let i = 0; i < 3; i++)
      expect(await whoAmI(url, { token: 'good' })).toEqual({
        username: 'hooked',
        groups: ['g', 'system:authenticated'],
        extra: { a: ['b'] },
      });
    expect(asked).toEqual([['/check', 'CN=api-server', 'good']]);
    expect(await named(url, { token: 'bad' })).toBe(401);
    offsetMs += 120_000;
    expect(await named(url, { token: 'good' })).toBe('hooked');
    expect(asked).toHaveLength(3);
    // A token that is known here is never shown to others.
    expect(await named(url, { token: 'root-token' })).toBe('root');
    expect(asked).toHaveLength(3);
  });
});

describe('an authenticating proxy', () => {
  let url: string;
  const jane = { 'x-remote-user': 'jane', 'x-remote-group': 'devs', 'x-remote-extra-acme.com%2Fk': 'v' };
  beforeAll(async () => {
    url = await serve(
      `--requestheader-client-ca-file=${file('proxy-ca.pem', proxies.certificatePem)}`,
      '--requestheader-allowed-names=front',
      '--requestheader-username-headers=X-Remote-User',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    );
  });

  it('is believed whom a request comes from', async () => {
    expect(await whoAmI(url, { ...issue('front', proxies), headers: jane })).toEqual({
      username: 'jane',
      groups: ['devs', 'system:authenticated'],
      extra: { 'acme.com/k': ['v'] },
    });
  });

  it.each([
    'x-remote-user',
    'X-REMOTE-USER',
    'X-Remote-User',
    'x_remote_user',
    'X-Remote-User-',
    'X-Remote_User',
  ])('is not imitated by the header %s', async (header) => {
    const headers = { [header]: 'system:admin', 'x-remote-group': 'system:masters', 'x-remote-uid': '0' };
    expect(await named(url, { headers })).toBe('system:anonymous');
    expect(await whoAmI(url, { ...issue('alice', clients), headers })).toEqual({
      username: 'alice',
      groups: ['system:authenticated'],
    });
    expect(await named(url, { token: 'root-token', headers })).toBe('root');
    expect(await named(url, { token: 'nonsense', headers })).toBe(401);
    expect(await named(url, { ...issue('front', strangers), headers })).toBe(401);
    expect(await named(url, { ...issue('imitation', proxies), headers })).toBe(401);
    expect(await named(url, { ...issue('front', proxies, { usages: ['server auth'] }), headers })).toBe(401);
    expect(await named(url, { ...issue('front', clients), headers })).toBe('front');
  });

  it.each([
    ['X-Remote-User: system:admin\r\nX-Remote-Group: system:masters', 403],
    ['X-Remote-User : system:admin', 400],
    [' X-Remote-User: system:admin', 400],
    ['X-Remote-User\t: system:admin', 400],
    ['X-Remote-User\0: system:admin', 400],
    ['X-Other: a\r\n X-Remote-User: system:admin', 400],
    ['Authorization: Bearer nonsense\r\nAuthorization: Bearer root-token', 401],
    ['Authorization: Bearer nonsense, Bearer root-token', 401],
  ])('is not imitated by what is no proper header: %j', async (lines, status) => {
    expect(
      await statusOf(url, `GET /api/v1/nodes HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines}\r\n\r\n`),
    ).toBe(status);
  });

  it('is no client of its own', async () => {
    expect(await named(url, issue('front', proxies))).toBe(401);
  });

  it('may pass on a request to act as another, which the user must be allowed', async () => {
    const headers = { ...jane, 'impersonate-user': 'root' };
    expect(await named(url, { ...issue('front', proxies), headers })).toBe(403);
    expect(await named(url, { token: 'root-token', headers: { 'impersonate-user': 'bob' } })).toBe('bob');
  });
});

describe('client certificates', () => {
  it('are good for clients, of the client authority, in their time', async () => {
    const url = await serve();
    const soon = { notAfterMs: Math.floor(clock.now() / 1000) * 1000 + 60_000 };
    const short = issue('alice', clients, soon);
    expect(await whoAmI(url, issue('alice', clients, { organizations: ['devs'] }))).toEqual({
      username: 'alice',
      groups: ['devs', 'system:authenticated'],
    });
    expect(await named(url, issue('alice', clients, { usages: ['server auth'] }))).toBe(401);
    expect(await named(url, issue('alice', strangers))).toBe(401);
    expect(await named(url, short)).toBe('alice');
    offsetMs += 61_000;
    expect(await named(url, short)).toBe(401);
    // A good token makes up for it, a bad one does not.
    expect(await named(url, { ...short, token: 'root-token' })).toBe('root');
    expect(await named(url, { ...short, token: 'nonsense' })).toBe(401);
  });
});

describe('service account tokens', () => {
  it('of several keys and issuers are taken, and verified by others from the discovery documents', async () => {
    const former = generateKeyPair('rsa-2048');
    const url = await serve(
      `--service-account-key-file=${file('a.pem', former.publicKey.export({ type: 'spki', format: 'pem' }).toString())}`,
      '--service-account-issuer=https://now.test',
      '--service-account-issuer=https://before.test',
      '--service-account-jwks-uri=https://keys.test/jwks',
      '--service-account-max-token-expiration=1h',
    );
    const root = { token: 'root-token' };
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    const made = await send(url, 'POST', accounts, root, { metadata: { name: 'robot' } });
    expect(made.status).toBe(201);
    const asked = await send(url, 'POST', `${accounts}/robot/token`, root, {
      spec: { expirationSeconds: 7200 },
    });
    const warning = 'requested expiration of 7200 seconds shortened to 3600 seconds';
    expect(asked.headers['warning']).toEqual([`299 - "${warning}"`]);
    const { token } = (JSON.parse(asked.text) as { status: { token: string } }).status;
    const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as object;
    expect(payload).toMatchObject({
      iss: 'https://now.test',
      aud: ['https://now.test', 'https://before.test'],
    });
    const robot = 'system:serviceaccount:default:robot';
    expect(await named(url, { token })).toBe(robot);
    const old = { id: 'old', algorithm: 'RS256', privateKey: former.privateKey, publicKey: former.publicKey };
    expect(
      await named(url, { token: await signedToken({ ...payload, iss: 'https://before.test' }, old) }),
    ).toBe(robot);
    expect(
      await named(url, { token: await signedToken({ ...payload, iss: 'https://later.test' }, old) }),
    ).toBe(401);
    const configuration = await send(url, 'GET', '/.well-known/openid-configuration', { token });
    expect([
      configuration.status,
      configuration.headers['content-type'],
      configuration.headers['cache-control'],
    ]).toEqual([200, ['application/json'], ['public, max-age=3600']]);
    expect(JSON.parse(configuration.text)).toMatchObject({
      issuer: 'https://now.test',
      jwks_uri: 'https://keys.test/jwks',
    });
    const keys = await send(url, 'GET', '/openid/v1/jwks', { token });
    expect(keys.headers['content-type']).toEqual(['application/jwk-set+json']);
    expect((JSON.parse(keys.text) as { keys: { alg: string }[] }).keys.map(({ alg }) => alg)).toEqual([
      'ES256',
      'RS256',
    ]);
    expect((await send(url, 'GET', '/openid/v1/jwks', {})).status).toBe(403);
    await send(url, 'DELETE', `${accounts}/robot`, root);
    expect(await named(url, { token })).toBe(401);
    await send(url, 'POST', accounts, root, { metadata: { name: 'robot' } });
    expect(await named(url, { token })).toBe(401);
  });
});

describe('flags', () => {
  const readWith = (key: KeyObject, ...argv: readonly string[]) =>
    readAuthentication(
      parseFlags(apiServerCommandFlags, argv),
      {
        clientCa: () => clients.certificatePem,
        serviceAccountKey: signing,
        servingKey: privateKeyPem(key),
      },
      { vocabulary: kubernetesVocabulary, clock, live: createLiveFiles({ clock, log }) },
    );
  const read = (...argv: readonly string[]) => readWith(serving, ...argv);

  it.each([
    [['--oidc-issuer-url=https://a.test'], 'oidc-issuer-url and oidc-client-id should be specified together'],
    [['--oidc-client-id=a'], 'oidc-issuer-url and oidc-client-id should be specified together'],
    [['--oidc-issuer-url=http://a.test', '--oidc-client-id=a'], "require 'https'"],
    [
      ['--oidc-issuer-url=https://a.test', '--oidc-client-id=a', '--oidc-signing-algs=HS256'],
      'unsupported signing alg',
    ],
    [['--requestheader-username-headers=X-A'], 'needs --requestheader-client-ca-file'],
    [['--service-account-max-token-expiration=5m'], 'must be between 1 hour and 2^32 seconds'],
    [['--service-account-jwks-uri=http://a.test'], 'requires https scheme'],
    [['--service-account-issuer=https://a,https://a'], 'more than once'],
    [['--authentication-token-webhook-config-file=/nowhere'], '/nowhere does not exist'],
  ])('%j are refused', async (argv, reason) => {
    await expect(read(...argv)).rejects.toThrow(reason);
  });

  it('take the key that the server serves with for tokens, where no file is named and its kind signs', async () => {
    const { serviceAccountKeys: keys } = await read();
    expect(keys?.map((key) => key.equals(createPublicKey(serving)))).toEqual([true]);
    const named = await read(`--service-account-key-file=${file('own.pem', privateKeyPem(signing))}`);
    expect(named.serviceAccountKeys?.map((key) => key.equals(createPublicKey(signing)))).toEqual([true]);
    const { privateKey: silent } = generateKeyPairSync('ed25519');
    expect((await readWith(silent)).serviceAccountKeys).toEqual([]);
  });

  it('pass over what OpenSSL writes before a key on a curve', async () => {
    const parameters = '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n';
    const path = file('curve.pem', parameters + privateKeyPem(signing));
    const { serviceAccountKeys: keys } = await read(`--service-account-key-file=${path}`);
    expect(keys?.map((key) => key.equals(createPublicKey(signing)))).toEqual([true]);
  });

  it('keep the public half of a private key file alone', async () => {
    const key = generateKeyPair('ec-p256').privateKey;
    const settings = await read(`--service-account-key-file=${file('private.pem', privateKeyPem(key))}`);
    expect(settings.serviceAccountKeys?.map(({ type }) => type)).toEqual(['public']);
    expect(settings.serviceAccountKeys?.[0]?.equals(createPublicKey(key))).toBe(true);
  });

  it('name the authority of the proxy beside that of the clients', async () => {
    const settings = await read(
      `--requestheader-client-ca-file=${file('proxy-ca.pem', proxies.certificatePem)}`,
      '--requestheader-username-headers=X-Remote-User',
    );
    const known = new X509Certificate(settings.authenticatingProxy?.clientCa() ?? '');
    expect(known.subject).toBe('CN=proxies');
    expect(new X509Certificate(settings.clientCa()).subject).toBe('CN=clients');
  });
});
