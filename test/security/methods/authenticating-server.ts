import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { builtinKinds } from '../../../api/groups/index.ts';
import { createScheme } from '../../../api/kinds/scheme.ts';
import type { UserInfo } from '../../../api/kinds/kind.ts';
import { kubernetesVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { type Listener, createListener } from '../../../apiserver/http/listener/listener.ts';
import { createMemoryStorage } from '../../../apiserver/storage/memory.ts';
import { stampResourceVersion } from '../../../apiserver/storage/stamp.ts';
import type { Clock } from '../../../base/clock/clock.ts';
import { createSystemClock } from '../../../base/clock/system.ts';
import type { HttpHandler } from '../../../base/http/message.ts';
import { type OutboundRequest, readOutbound } from '../../../base/http/outbound.ts';
import type { Lifetime } from '../../../base/lifetime/lifetimes.ts';
import { silentLogger } from '../../../base/log/logger.ts';
import {
  type CertificateAuthority,
  createCertificateAuthority,
  issueCertificate,
} from '../../../base/pki/certificates.ts';
import { noAlternativeNames } from '../../../base/pki/alternative-names.ts';
import { generateKeyPair, privateKeyPem } from '../../../base/pki/keys.ts';
import { createSystemRandom } from '../../../base/random/system.ts';
import { assembleApiServer } from '../../../apiserver/assembly/api-server.ts';
import { controllerPermissions } from '../../../controllers/manifests.ts';
import { readAuthentication } from '../../../cli/server/authentication.ts';
import { apiServerCommandFlags } from '../../../cli/flags/flag-tables.ts';
import { parseFlags } from '../../../cli/flags/flags.ts';
import { createLiveFiles } from '../../../cli/files/live-files.ts';
import { createUndiciOutbound } from '../../../runtime/client/undici-outbound.ts';

// API servers with authentication flags, over TLS, with real peers on loopback. The test files of a process
// share modules, so each file calls `startServersHere`.

const system = createSystemClock();

let offsetMs = 0;

/** Advances the clock of the server by a number of milliseconds at once. */
export const leap = (ms: number): void => void (offsetMs += ms);

/** Clock that advances with real time, and in steps where a test would wait too long. */
export const clock: Clock = {
  now: () => system.now() + offsetMs,
  monotonic: () => system.monotonic() + offsetMs,
  setTimeout: (run, delayMs) => system.setTimeout(run, delayMs),
  clearTimeout: (timer) => system.clearTimeout(timer),
};

const random = createSystemRandom();

/** Discards log lines. */
export const log = silentLogger;

const HOUR_MS = 3_600_000;

const validity = { notBeforeMs: system.now() - HOUR_MS, notAfterMs: system.now() + HOUR_MS };

const authority = (commonName: string): CertificateAuthority =>
  createCertificateAuthority({ commonName, organizations: [] }, generateKeyPair('ec-p256'), validity, random);

/** Certificate authorities of servers, clients and proxies, and one that no server trusts. */
export const [servers, clients, proxies, strangers] = ['servers', 'clients', 'proxies', 'strangers'].map(
  authority,
) as [CertificateAuthority, CertificateAuthority, CertificateAuthority, CertificateAuthority];

interface Wanted {
  readonly organizations?: readonly string[];
  readonly usages?: readonly string[];
  readonly notAfterMs?: number;
}

/** Issues a certificate with a new key. */
export function issue(commonName: string, issuer: CertificateAuthority, wanted: Wanted = {}) {
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

let folder = '';

/** Writes a file that only its owner can read. Returns its path. */
export const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text, { mode: 0o600 });
  return join(folder, name);
};

let outbound: ReturnType<typeof createUndiciOutbound>;

const lifetimes: Lifetime[] = [];

/** Serves a handler over TLS on a loopback port. Returns its address. */
export async function listen(handler: HttpHandler, issuer = servers): Promise<string> {
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

/** Key that signs ServiceAccount tokens. */
export const signing = generateKeyPair('ec-p256').privateKey;

/** Key of the serving certificate. */
export const serving = generateKeyPair('ec-p256').privateKey;

/** Starts an API server with the given flags. Returns its address. */
export async function serve(...argv: readonly string[]): Promise<string> {
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

/** Sends a request with the given credentials. */
export async function send(
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

/** Returns the authenticated user, or the status code of the error response. */
export async function whoAmI(url: string, shown: Shown): Promise<UserInfo | number> {
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const { status, text } = await send(url, 'POST', path, shown, {});
  return status === 201 ? (JSON.parse(text) as { status: { userInfo: UserInfo } }).status.userInfo : status;
}

/** Returns the name of the authenticated user, or the status code of the error response. */
export const named = async (url: string, shown: Shown): Promise<string | number> => {
  const found = await whoAmI(url, shown);
  return typeof found === 'number' ? found : found.username;
};

/**
 * Creates a directory and a transport for the tests of the calling file. Stops all servers of the file
 * afterwards.
 */
export function startServersHere(): void {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'authentication-'));
    outbound = createUndiciOutbound();
  });
  afterAll(async () => {
    for (const lifetime of lifetimes.splice(0).reverse()) await lifetime.stop();
    await outbound.close();
    rmSync(folder, { recursive: true, force: true });
  });
}
