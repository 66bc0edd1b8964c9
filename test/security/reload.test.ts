import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtinKinds } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { kubernetesVocabulary as vocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { Clock } from '../../base/clock/clock.ts';
import { createSystemClock } from '../../base/clock/system.ts';
import { readOutbound } from '../../base/http/outbound.ts';
import { Lifetimes } from '../../base/lifetime/lifetimes.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { noAlternativeNames } from '../../base/pki/alternative-names.ts';
import {
  type CertificateAuthority,
  createCertificateAuthority,
  issueCertificate,
} from '../../base/pki/certificates.ts';
import { generateKeyPair, privateKeyPem } from '../../base/pki/keys.ts';
import { createSystemRandom } from '../../base/random/system.ts';
import { apiServerCommandFlags } from '../../cli/flags/flag-tables.ts';
import { parseFlags } from '../../cli/flags/flags.ts';
import { provision } from '../../cli/files/provision.ts';
import { type Served, createServed } from '../../cli/server/serve.ts';
import { createUndiciOutbound } from '../../runtime/client/undici-outbound.ts';

// Tests that replaced certificates and authorities take effect at the next connection, without a restart.

const EVERY_MS = 5_000;
const due = new Set<() => void>();
const system = createSystemClock();
/** Clock that runs the five-second timers only when the test requests it. */
const clock: Clock = {
  ...system,
  now: () => system.now(),
  monotonic: () => system.monotonic(),
  clearTimeout: (timer) => system.clearTimeout(timer),
  setTimeout(run, delayMs) {
    if (delayMs !== EVERY_MS) return system.setTimeout(run, delayMs);
    due.add(run);
    return system.setTimeout(() => {}, 0);
  },
};
function readFilesAgain(): void {
  const now = [...due];
  due.clear();
  for (const run of now) run();
}

const random = createSystemRandom();
const environment = { clock, random, log: silentLogger };
const folder = mkdtempSync(join(tmpdir(), 'reload-'));
const path = (name: string): string => join(folder, name);
const validity = { notBeforeMs: system.now() - 3_600_000, notAfterMs: system.now() + 3_600_000 };
const authority = (commonName: string): CertificateAuthority =>
  createCertificateAuthority({ commonName, organizations: [] }, generateKeyPair('ec-p256'), validity, random);

function issue(issuer: CertificateAuthority, commonName: string, usages: readonly string[]) {
  const { publicKey, privateKey } = generateKeyPair('ec-p256');
  const names = { ...noAlternativeNames, ipAddresses: ['127.0.0.1'] };
  const subject = { commonName, organizations: ['system:masters'] };
  const template = { subject, names, publicKey, usages, ...validity };
  return { certificate: issueCertificate(template, issuer, random), key: privateKeyPem(privateKey) };
}
type Pair = ReturnType<typeof issue>;

function writeServing({ certificate, key }: Pair): void {
  writeFileSync(path('tls.crt'), certificate);
  writeFileSync(path('tls.key'), key);
}

const [servers, clients, laterClients] = [authority('servers'), authority('clients'), authority('later')];
const outbound = createUndiciOutbound();
let served: Served;
let running: Lifetimes;

beforeAll(async () => {
  writeServing(issue(servers, 'first', ['server auth']));
  writeFileSync(path('clients.pem'), clients.certificatePem);
  const flags = parseFlags(apiServerCommandFlags, [
    `--data-dir=${path('data')}`,
    '--vocabulary=kubernetes',
    '--secure-port=0',
    `--tls-cert-file=${path('tls.crt')}`,
    `--tls-private-key-file=${path('tls.key')}`,
    `--client-ca-file=${path('clients.pem')}`,
  ]);
  const provisioned = await provision(path('data'), { vocabulary, hosts: [], environment });
  served = await createServed({
    flags,
    scheme: createScheme(vocabulary, builtinKinds),
    environment,
    provisioned,
  });
  running = new Lifetimes(served.lifetimes, { clock });
  await running.start();
});

afterAll(async () => {
  await running?.stop();
  await outbound.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns the name in the certificate that the server presents to a new connection. */
const servedAs = (): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(
      { port: Number(new URL(served.url()).port), host: '127.0.0.1', rejectUnauthorized: false },
      () => {
        resolve(new X509Certificate(socket.getPeerCertificate().raw).subject);
        socket.destroy();
      },
    );
    socket.on('error', reject);
  });

/** Sends a request over a new connection with a client certificate. */
async function get(url: string, pair: Pair): Promise<{ readonly status: number; readonly text: string }> {
  const { origin, pathname } = new URL(url);
  const answer = await outbound.send(
    { origin, ca: servers.certificatePem, ...pair },
    { method: 'GET', path: pathname, headers: {}, headersTimeoutMs: 10_000 },
  );
  return { status: answer.status, text: Buffer.from(await readOutbound(answer, 1 << 20)).toString() };
}

it('a running server reloads its serving certificate and client authorities, and publishes them', async () => {
  const [client, later] = [issue(clients, 'a', ['client auth']), issue(laterClients, 'b', ['client auth'])];
  const published = (): Promise<{ readonly status: number; readonly text: string }> =>
    get(`${served.url()}/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication`, later);
  expect(await servedAs()).toContain('CN=first');
  expect((await get(`${served.url()}/api`, client)).status).toBe(200);
  expect((await get(`${served.url()}/api`, later)).status).toBe(401);

  // A new certificate without its key, or an invalid certificate, changes nothing.
  writeFileSync(path('tls.crt'), issue(servers, 'half', ['server auth']).certificate);
  writeFileSync(path('clients.pem'), 'broken');
  readFilesAgain();
  await expect.poll(() => due.size).toBeGreaterThan(1);
  expect(await servedAs()).toContain('CN=first');
  expect((await get(`${served.url()}/api`, client)).status).toBe(200);

  writeServing(issue(servers, 'second', ['server auth']));
  writeFileSync(path('clients.pem'), laterClients.certificatePem);
  readFilesAgain();
  await expect.poll(servedAs).toContain('CN=second');
  await expect.poll(async () => (await get(`${served.url()}/api`, later)).status).toBe(200);
  // The change also affects an open connection, because the authority is checked again for each request.
  expect((await get(`${served.url()}/api`, client)).status).toBe(401);
  await expect
    .poll(async () => (await published()).text)
    .toContain(JSON.stringify(laterClients.certificatePem).slice(1, -1));
});
