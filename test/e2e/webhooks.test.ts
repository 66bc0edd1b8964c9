import { afterAll, beforeAll, expect, it } from 'vitest';
import { enabledByDefault } from '../../api/features/features.ts';
import { builtinKinds } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { kubernetesVocabulary as vocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createWebhookMetrics } from '../../apiserver/admission/webhook/metrics.ts';
import { createMutatingWebhooks } from '../../apiserver/admission/webhook/mutating.ts';
import { createInMemoryCaller } from '../../apiserver/http/in-memory.ts';
import { type Listener, createListener } from '../../apiserver/http/listener/listener.ts';
import { createApiServer } from '../../apiserver/server.ts';
import { createMemoryStorage } from '../../apiserver/storage/memory.ts';
import { stampResourceVersion } from '../../apiserver/storage/stamp.ts';
import { createSystemClock } from '../../base/clock/system.ts';
import type { HttpHandler } from '../../base/http/message.ts';
import { silentLogger as log } from '../../base/log/logger.ts';
import { createDialPolicy } from '../../base/net/dial-policy.ts';
import { createSystemRandom } from '../../base/random/system.ts';
import { createUndiciOutbound } from '../../runtime/client/undici-outbound.ts';
import { createHourlyAuthority } from './authority.ts';

const clock = createSystemClock();
const random = createSystemRandom();
const newAuthority = () => createHourlyAuthority('labels.hooks.svc');
const authority = newAuthority();
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
const asked: string[] = [];

/** Webhook that labels objects with the name in the caller's certificate. At another path, it redirects. */
const hook: HttpHandler = async (request) => {
  asked.push(request.url);
  if (request.url.startsWith('/away'))
    return { status: 302, headers: { location: '/label' }, body: Buffer.from('') };
  const {
    apiVersion,
    kind,
    request: asking,
  } = JSON.parse(Buffer.from(await request.body(1e6)).toString()) as {
    apiVersion: string;
    kind: string;
    request: { uid: string };
  };
  const who = /CN=([^\n]+)/.exec(request.peer.certificate?.subject ?? '')?.[1] ?? 'nobody';
  const patch = [{ op: 'add', path: '/metadata/labels', value: { who } }];
  const response = {
    uid: asking.uid,
    allowed: true,
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
  };
  return { status: 200, headers: {}, body: Buffer.from(JSON.stringify({ apiVersion, kind, response })) };
};

const outbound = createUndiciOutbound({ policy: createDialPolicy({ allowLoopback: true }) });
let listener: Listener;
let origin: string;

const client = authority.issue('api-server', 'client auth');
const FILE = '/hooks.conf';
const files: { readonly [path: string]: string } = {
  [FILE]: JSON.stringify({
    users: [
      {
        name: 'labels.hooks.svc',
        user: {
          'client-certificate-data': Buffer.from(client.certificate).toString('base64'),
          'client-key-data': Buffer.from(client.key).toString('base64'),
        },
      },
    ],
  }),
};
const configuration = {
  kind: 'WebhookAdmissionConfiguration',
  apiVersion: 'apiserver.config.k8s.io/v1',
  kubeConfigFile: FILE,
};

const server = createApiServer({
  scheme: createScheme(vocabulary, builtinKinds),
  environment: { clock, random, log },
  storage: createMemoryStorage({ stamp: stampResourceVersion }),
  authenticators: [{ name: 'test', authenticate: async () => ({ user: { username: 'admin', groups: [] } }) }],
  authorizer: { name: 'test', authorize: async () => ({ verdict: 'allow', reason: '' }) },
  admission: (registry, metrics, { served }) => [
    createMutatingWebhooks(
      {
        vocabulary,
        clock,
        random,
        log,
        served,
        enabled: enabledByDefault,
        objects: (kind) => registry.reader(kind),
        registry,
        webhookMetrics: () => createWebhookMetrics(metrics),
        outbound,
        resolveService: (namespace, name) => ({ origin, serverName: `${name}.${namespace}.svc` }),
        readFile: (path) => files[path] ?? '',
      },
      configuration,
    ),
  ],
});
const caller = createInMemoryCaller(server.handler);

beforeAll(async () => {
  const { certificate: cert, key } = authority.issue('hook', 'server auth');
  listener = createListener({
    handler: hook,
    host: '127.0.0.1',
    port: 0,
    tls: { cert, key, clientCa: authority.certificatePem },
    http2: false,
    clock,
    log,
  });
  await listener.start();
  origin = `https://127.0.0.1:${listener.address().port}`;
  await server.start();
});

afterAll(async () => {
  await server.stop();
  await outbound.close();
  await listener.stop();
});

/** Creates a ConfigMap while one webhook with `clientConfig` is registered. Returns the outcome. */
async function label(name: string, clientConfig: object, ca = authority.certificatePem) {
  await caller.request('POST', CONFIGURATIONS, {
    body: {
      metadata: { name },
      webhooks: [
        {
          name: `${name}.example.com`,
          clientConfig: { ...clientConfig, caBundle: Buffer.from(ca).toString('base64') },
          rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    },
  });
  const body = { metadata: { name } };
  const response = await caller.request('POST', '/api/v1/namespaces/default/configmaps', { body });
  const answer = JSON.parse(await response.text()) as {
    message?: string;
    metadata?: { labels?: { who?: string } };
  };
  await caller.request('DELETE', `${CONFIGURATIONS}/${name}`);
  return { status: response.status, message: answer.message ?? '', who: answer.metadata?.labels?.who };
}

const service = (path: string): object => ({ service: { namespace: 'hooks', name: 'labels', path } });

it('the API server calls a Service over TLS by the name in its certificate, and presents its own certificate', async () => {
  expect(await label('service', service('/label'))).toMatchObject({ status: 201, who: 'api-server' });
  expect(asked.at(-1)).toBe('/label?timeout=10s');
});

it('the API server sends no credentials to an address for which it has none', async () => {
  expect(await label('url', { url: `${origin}/label` })).toMatchObject({ status: 201, who: 'nobody' });
});

it('the API server never calls a webhook whose certificate another authority signed', async () => {
  const before = asked.length;
  const { status, message } = await label('forged', service('/label'), newAuthority().certificatePem);
  expect(status).toBe(500);
  expect(message).toMatch(/^Internal error occurred: failed calling webhook "forged.example.com": /);
  expect(asked).toHaveLength(before);
});

it('the API server follows no redirect of a webhook', async () => {
  const { status, message } = await label('away', service('/away'));
  expect(status).toBe(500);
  expect(message).toContain('the server responded with the status code 302');
  expect(asked.at(-1)).toMatch(/^\/away/);
});
