import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { createSystemClock } from '../../base/clock/system.ts';
import { noAlternativeNames } from '../../base/pki/alternative-names.ts';
import { createCertificateAuthority, issueCertificate } from '../../base/pki/certificates.ts';
import { generateKeyPair, privateKeyPem } from '../../base/pki/keys.ts';
import { createSystemRandom } from '../../base/random/system.ts';
import type { Review } from '../../apiserver/admission/webhook/webhook.fixture.ts';
import { CANARY, ENCODED, TOKEN, leakIn } from '../security/canary.ts';
import { type Api, createApi } from './api.ts';
import { created, eventually } from './cluster.ts';
import { createWorkbench } from './process.ts';

const bench = createWorkbench();
afterAll(() => bench.close());

const READY = /^ready https/m;
const SECRETS = '/api/v1/namespaces/team/secrets';
const SYSTEM_SECRETS = '/api/v1/namespaces/kube-system/secrets';
/**
 * Controllers whose writes of Secrets the webhook denies. For the namespace controller, the denial appears in
 * a condition of the namespace instead.
 */
const DENIED = ['garbagecollector', 'serviceaccount-token', 'tokencleaner'];

/** Starts a webhook that denies every request and repeats the object in its reason. */
async function startEcho(): Promise<{ url: string; caBundle: string }> {
  const now = createSystemClock().now();
  const validity = { notBeforeMs: now - 60_000, notAfterMs: now + 3_600_000 };
  const random = createSystemRandom();
  const named = (commonName: string) => ({ commonName, organizations: [] });
  const authority = createCertificateAuthority(named('ca'), generateKeyPair('ec-p256'), validity, random);
  const keys = generateKeyPair('ec-p256');
  const certificate = issueCertificate(
    {
      subject: named('echo'),
      publicKey: keys.publicKey,
      usages: ['digital signature', 'server auth'],
      names: { ...noAlternativeNames, ipAddresses: ['127.0.0.1'] },
      ...validity,
    },
    authority,
    random,
  );
  const server = createServer(
    { cert: certificate, key: privateKeyPem(keys.privateKey) },
    (request, answer) => {
      let text = '';
      request.setEncoding('utf8').on('data', (part: string) => (text += part));
      request.on('end', () => {
        const { kind, apiVersion, request: asked } = JSON.parse(text) as Review;
        const object = asked.object ?? asked.oldObject ?? {};
        const values = Object.values(object['data'] ?? {}).map((value) =>
          Buffer.from(value as string, 'base64').toString(),
        );
        const message = `${values.join(' ')} ${JSON.stringify(object)}`;
        const response = {
          uid: asked.uid,
          allowed: false,
          status: { message },
          warnings: [message.slice(0, 60)],
        };
        answer.end(JSON.stringify({ kind, apiVersion, response }));
      });
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}/`,
    caBundle: Buffer.from(authority.certificate.toString()).toString('base64'),
  };
}

/** Creates Secrets that controllers update or delete, and sends writes of these Secrets as a client. */
async function provoke(api: Api, stranger: Api, webhook: object): Promise<void> {
  const data = { password: ENCODED };
  await created(api, '/api/v1/namespaces', { metadata: { name: 'team' } });
  await created(api, '/api/v1/namespaces/team/serviceaccounts', { metadata: { name: 'worker' } });
  const owner = await created(api, '/api/v1/namespaces/team/configmaps', { metadata: { name: 'owner' } });
  const { uid } = owner['metadata'] as { readonly uid: string };
  await created(api, '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    metadata: { name: 'echo' },
    webhooks: [
      {
        name: 'echo.example.com',
        clientConfig: webhook,
        rules: [
          { operations: ['UPDATE', 'DELETE'], apiGroups: [''], apiVersions: ['v1'], resources: ['secrets'] },
        ],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  });
  await created(api, SECRETS, {
    metadata: {
      name: 'owned',
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }],
    },
    data,
  });
  await created(api, SECRETS, {
    metadata: { name: 'token', annotations: { 'kubernetes.io/service-account.name': 'worker' } },
    type: 'kubernetes.io/service-account-token',
    data,
  });
  await created(api, SYSTEM_SECRETS, {
    metadata: { name: 'bootstrap-token-abcdef' },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': 'abcdef',
      'token-secret': 'qz7canaryqz7cana',
      expiration: '2020-01-01T00:00:00Z',
    },
  });
  await api.call('DELETE', '/api/v1/namespaces/team/configmaps/owner');
  const { text } = await api.call('DELETE', `${SECRETS}/owned`);
  expect(text).toContain('denied the request: <contents redacted>');
  for (const [method, body] of [
    ['PUT', { metadata: { name: 'owned' }, data: { password: ENCODED, more: ENCODED } }],
    ['PATCH', { metadata: { labels: { a: 'b' } } }],
    ['PATCH', { data: { password: CANARY } }],
    ['DELETE', undefined],
    ['PUT', `{"data":{"password":${CANARY}}}`],
  ] as const)
    expect((await api.call(method, `${SECRETS}/owned`, { body })).status).toBeGreaterThanOrEqual(400);
  for (const authorization of [`Bearer ${CANARY}`, `Basic ${ENCODED}`])
    expect((await stranger.call('GET', SECRETS, { headers: { authorization } })).status).toBeGreaterThan(400);
  const authorization = `Bearer ${TOKEN}`;
  expect((await stranger.call('GET', SECRETS, { headers: { authorization } })).status).toBe(200);
  await api.call('DELETE', '/api/v1/namespaces/team');
}

describe('a server and its controllers whose writes of Secrets a webhook denies', () => {
  it('leak no value in logs, audit, metrics, Events, conditions, the journal and its documents', async () => {
    const folder = bench.folder();
    const [data, policy, audit, tokens] = ['data', 'policy.yaml', 'audit.log', 'tokens.csv'].map((name) =>
      join(folder, name),
    ) as [string, string, string, string];
    writeFileSync(policy, '{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: RequestResponse}]}');
    writeFileSync(tokens, `${TOKEN},admin,1,"system:masters"\n`);
    const names = ['up', '--vocabulary', 'kubernetes', '--data-dir', data, '--secure-port', '0', '--v', '10'];
    const files = ['--audit-policy-file', policy, '--audit-log-path', audit, '--token-auth-file', tokens];
    const others = ['--allow-loopback-proxy', '--controllers', '*,tokencleaner'];
    const program = bench.orch([...names, ...files, ...others]);
    await program.output(READY);
    const api = createApi(join(data, 'admin.conf'));
    const stranger = createApi(join(data, 'admin.conf'), { credentials: 'none' });
    onTestFinished(async () => void (await Promise.all([api.close(), stranger.close()])));
    await provoke(api, stranger, await startEcho());

    const textOf = async (path: string): Promise<string> => (await api.call('GET', path)).text;
    const denied = async (): Promise<readonly string[]> => {
      const entries = (await textOf('/journal/v1/export')).split('\n').filter((line) => /denied/.test(line));
      return DENIED.filter((name) => entries.some((line) => line.includes(`"controller":"${name}"`)));
    };
    await eventually(denied).toEqual(DENIED);
    await eventually(() => textOf('/api/v1/namespaces/team')).toContain('denied the request');
    const documents = DENIED.flatMap((name) => [
      `/journal/v1/controllers/${name}`,
      `/journal/v1/controllers/${name}/keys`,
    ]);
    const shown: Record<string, string> = {};
    for (const path of [
      '/metrics',
      '/api/v1/events',
      '/api/v1/namespaces/team',
      '/journal/v1/export',
      '/journal/v1/controllers',
      '/journal/v1/entries?limit=10000',
      ...documents,
    ]) {
      shown[path] = await textOf(path);
      expect(shown[path].length, path).toBeGreaterThan(20);
    }
    await program.end('SIGTERM');
    Object.assign(shown, { log: program.stderr, output: program.stdout, audit: readFileSync(audit, 'utf8') });
    expect(shown['log']).toContain('request finished');
    expect(shown['audit']).toContain('"resource":"secrets"');
    const leaks = Object.entries(shown).flatMap(([place, text]) => {
      const leak = leakIn(text);
      return leak === undefined ? [] : [`${place}: ${leak}`];
    });
    expect(leaks).toEqual([]);
  }, 180_000);
});
