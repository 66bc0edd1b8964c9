import { resourceQuotas, secrets, serviceAccounts } from '../../api/groups/index.ts';
import type { Scheme } from '../../api/kinds/index.ts';
import { enabledByDefault } from '../../api/features/features.ts';
import { kubernetesVocabulary as vocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createResourceQuota } from '../../apiserver/admission/resource-quota/resource-quota.ts';
import { createWebhookMetrics } from '../../apiserver/admission/webhook/metrics.ts';
import { createMutatingWebhooks } from '../../apiserver/admission/webhook/mutating.ts';
import { createValidatingWebhooks } from '../../apiserver/admission/webhook/validating.ts';
import {
  CONFIGURATIONS,
  type Behaviour,
  type Review,
  rule,
  webhook,
} from '../../apiserver/admission/webhook/webhook.fixture.ts';
import { createRecorder } from '../../apiserver/audit/audit.fixture.ts';
import { parsePolicy } from '../../apiserver/audit/policy.ts';
import type { AuditLevel } from '../../apiserver/audit/trail.ts';
import { createBearerAuthenticator, createTokenChain } from '../../apiserver/auth/bearer.ts';
import { createBootstrapTokenAuthenticator } from '../../apiserver/auth/bootstrap-token.ts';
import { createImpersonation } from '../../apiserver/auth/impersonation.ts';
import { createTokenFileAuthenticator } from '../../apiserver/auth/token-file.ts';
import { createTokenCacheMetrics } from '../../apiserver/auth/token-memory.ts';
import { createTokenRequestHandler } from '../../apiserver/auth/token-request.ts';
import { createTokenReviewHandler } from '../../apiserver/auth/token-review.ts';
import { createTokenWebhook } from '../../apiserver/auth/token-webhook.ts';
import { createWebSocketTokenAuthenticator } from '../../apiserver/auth/web-socket-token.ts';
import { startServer, widgets } from '../../apiserver/extensions/extensions.fixture.ts';
import type { VirtualHandler } from '../../apiserver/http/virtual/virtual.ts';
import type { Registry } from '../../apiserver/registry/registry.ts';
import type { AdmissionPlugin, TokenAuthenticator } from '../../apiserver/request.ts';
import { createMemoryStorage } from '../../apiserver/storage/memory.ts';
import { stampResourceVersion } from '../../apiserver/storage/stamp.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import type { Environment } from '../../base/environment.ts';
import type { HttpResponse } from '../../base/http/message.ts';
import { createInMemoryOutbound } from '../../base/http/in-memory-outbound.ts';
import type { Logger } from '../../base/log/logger.ts';
import { type Metrics, createMetrics } from '../../base/metrics/metrics.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { type CanaryRequest, CANARY, ENCODED, SECRETS, TOKEN, secret } from './canary.ts';
import type { AuditEvent } from '../../apiserver/audit/event.ts';

const DAMAGED = '/registry/core/secrets/damaged/stored';
const SYSTEM = vocabulary.namespaces.system;

/**
 * Creates a logger with the highest verbosity. It records errors with their fields and causes, as the
 * program's logger does.
 */
function createCapture() {
  const lines: string[] = [];
  const shown = (_key: string, value: unknown): unknown =>
    value instanceof Error
      ? { ...value, message: value.message, stack: value.stack, cause: value.cause }
      : value;
  const line = (fields: unknown, text?: string): void =>
    void lines.push(`${text} ${JSON.stringify(fields, shown)}`);
  const log: Logger = {
    debugEnabled: true,
    trace: line,
    debug: line,
    info: line,
    warn: line,
    error: line,
    child: () => log,
  };
  return { log, lines };
}

/**
 * Starts a server whose parts fail as the current request specifies. Captures all output in which text can
 * leak.
 */
export async function startCanaryServer(level: AuditLevel) {
  const { log, lines } = createCapture();
  const recorder = createRecorder();
  const storage = createMemoryStorage({ stamp: stampResourceVersion });
  const current: { request: CanaryRequest | undefined } = { request: undefined };
  const environment = { clock: createSimulatedClock(), random: createSeededRandom(1), log };
  const authorizer = { name: 'all', authorize: () => ({ verdict: 'allow' as const, reason: '' }) };
  let tokens: TokenAuthenticator | undefined;
  const tokensOf = (registry: Registry): TokenAuthenticator =>
    (tokens ??= createTokens(registry, environment));
  const started = await startServer({
    storage,
    environment,
    authorizer,
    stages: [createImpersonation({ authorizer, vocabulary })],
    audit: () => ({
      policy: parsePolicy(
        `{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: ${level}}]}`,
        vocabulary,
      ),
      backend: recorder.backend,
    }),
    authenticators: (registry) => [
      createBearerAuthenticator(tokensOf(registry)),
      createWebSocketTokenAuthenticator(tokensOf(registry), vocabulary),
    ],
    virtual: (registry) => virtualOf(registry, tokensOf(registry), current),
    admission: (registry, metrics, { served }) =>
      pluginsOf({ registry, metrics, served, environment, current }),
  });
  await fill(started);
  lines.length = 0;

  /** Sends a request. Returns the text that it caused, by place. */
  async function send(
    request: CanaryRequest,
  ): Promise<{ status: number; shown: Readonly<Record<string, string>> }> {
    const before = recorder.batches.length;
    lines.length = 0;
    current.request = request;
    const { authorization = `Bearer ${TOKEN}`, ...headers } = request.headers ?? {};
    const isSocket = 'sec-websocket-protocol' in headers;
    const response = await started.caller.request(request.method, request.path, {
      ...(request.body !== undefined && { body: request.body }),
      headers: { ...headers, ...(!isSocket && { authorization }) },
    });
    const refusal = response.status >= 400 ? await response.text() : '';
    current.request = undefined;
    const events = recorder.batches.slice(before).flat();
    return {
      status: response.status,
      shown: {
        refusal,
        warnings: JSON.stringify(response.headers['warning'] ?? ''),
        audit: JSON.stringify(events.map((event) => searchedParts(event, request))),
        log: lines.join('\n'),
      },
    };
  }

  /** Returns the metrics, and the Events that the server has written. */
  async function afterwards(): Promise<Readonly<Record<string, string>>> {
    const metrics = await started.call('GET', '/metrics', undefined, BEARER);
    const events = await started.call('GET', '/api/v1/events', undefined, BEARER);
    return { metrics: metrics.text, events: events.text };
  }

  /** Restores the stored Secret. */
  const restore = () => started.call('PUT', `${SECRETS}/stored`, secret, BEARER);
  return { send, afterwards, restore, recorder, stop: () => started.server.stop() };
}

/** Returns an audit event without the bodies that it may contain. */
const searchedParts = (
  { requestObject, responseObject, ...rest }: AuditEvent,
  { mayBeAudited }: CanaryRequest,
): object => ({ ...rest, ...(mayBeAudited !== true && { requestObject, responseObject }) });

/** Creates the admission plugins: a broken one, both webhook plugins and quotas. */
function pluginsOf({
  registry,
  metrics,
  served,
  environment,
  current,
}: {
  readonly registry: Registry;
  readonly metrics: Metrics;
  readonly served: Scheme;
  readonly environment: Environment;
  readonly current: { readonly request: CanaryRequest | undefined };
}): readonly AdmissionPlugin[] {
  const counted = createWebhookMetrics(metrics);
  const dependencies = {
    ...environment,
    vocabulary,
    served,
    enabled: enabledByDefault,
    objects: registry.reader.bind(registry),
    registry,
    webhookMetrics: () => counted,
    outbound: createInMemoryOutbound((origin) => webhookAt(origin, current)),
    resolveService: () => ({ origin: 'https://service', serverName: 'service' }),
    readFile: () => '',
  };
  const quotas = registry.reader(resourceQuotas);
  const { clock } = environment;
  return [
    broken(current),
    createMutatingWebhooks(dependencies, undefined),
    createValidatingWebhooks(dependencies, undefined),
    createResourceQuota({ quotas, registry: registry.of(resourceQuotas), vocabulary, clock }, undefined),
  ];
}

const BEARER = { headers: { authorization: `Bearer ${TOKEN}` } };

/** Creates authenticators for every kind of token. The token webhook repeats the token in its errors. */
function createTokens(
  registry: Registry,
  { clock, log }: Pick<Environment, 'clock' | 'log'>,
): TokenAuthenticator {
  const tokenCache = createTokenCacheMetrics(createMetrics(), clock);
  const apiAudiences = ['api'];
  let calls = 0;
  const echo = createTokenWebhook({
    async post(review) {
      const { spec } = review as { readonly spec: { readonly token: string } };
      if (calls++ % 2 === 0) throw new Error(`unexpected answer for ${spec.token}`);
      const error = `no such token: ${JSON.stringify(review)}`;
      return {
        kind: 'TokenReview',
        apiVersion: vocabulary.apiVersion('authentication', 'v1'),
        status: { error },
      };
    },
    version: 'v1',
    vocabulary,
    clock,
    log,
    tokenCache,
    ttlMs: 0,
    apiAudiences,
  });
  return createTokenChain({
    apiAudiences,
    authenticators: [
      createTokenFileAuthenticator([{ token: TOKEN, user: { username: 'admin', groups: [] } }]),
      createBootstrapTokenAuthenticator({ secrets: registry.reader(secrets), vocabulary, clock }),
      echo,
    ],
  });
}

/**
 * Creates handlers of virtual resources with tokens. If the request specifies a defect, each throws an error
 * with the whole body.
 */
function virtualOf(
  registry: Registry,
  tokens: TokenAuthenticator,
  current: { readonly request: CanaryRequest | undefined },
): readonly VirtualHandler[] {
  const handlers = [
    createTokenReviewHandler(tokens, ['api']),
    createTokenRequestHandler({
      serviceAccounts: registry.reader(serviceAccounts),
      secrets: registry.reader(secrets),
      pods: { ...registry.reader(serviceAccounts), live: async () => undefined } as never,
      vocabulary,
      clock: createSimulatedClock(),
      issuer: { boundToken: async () => CANARY } as never,
      apiAudiences: ['api'],
    }),
  ];
  return handlers.map((handler) => ({
    ...handler,
    async handle(...given) {
      if (current.request?.defect) throw defectOf(given[1]);
      return handler.handle(...given);
    },
  }));
}

const defectOf = (object: unknown): Error => {
  const text = `cannot read ${JSON.stringify(object)} at ${CANARY}\n    at ${CANARY} (${ENCODED}:1:1)`;
  return Object.assign(new TypeError(text, { cause: new Error(text) }), { object });
};

const broken = (current: { readonly request: CanaryRequest | undefined }): AdmissionPlugin => ({
  name: 'Broken',
  operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
  concerns: ({ plural }) => plural === 'secrets',
  validate({ object, previous }) {
    if (current.request?.defect) throw defectOf(object ?? previous);
  },
});

/**
 * Returns the webhook at `https://SORT-POLICY/`. It responds as the current request specifies, and otherwise
 * allows the write.
 */
function webhookAt(origin: string, current: { readonly request: CanaryRequest | undefined }) {
  const host = new URL(origin).hostname;
  return {
    handler: async (request: Parameters<Behaviour>[1]) => {
      const review = JSON.parse((await request.body(1e7)).toString()) as Review;
      const { webhook: chosen } = current.request ?? {};
      const isChosen = chosen !== undefined && `${chosen.sort}-${chosen.policy}` === host;
      const answer = isChosen ? await chosen.behaviour(review, request) : { allowed: true };
      if ('headers' in answer && 'status' in answer) return answer as HttpResponse;
      const { kind, apiVersion } = review;
      const response = { uid: review.request.uid, ...answer };
      return { status: 200, headers: {}, body: Buffer.from(JSON.stringify({ kind, apiVersion, response })) };
    },
  };
}

type Started = Awaited<ReturnType<typeof startServer>>;

/**
 * Stores the objects of the requests: the Secret, a damaged Secret, a namespace with an exhausted quota, a
 * ServiceAccount and a bootstrap token.
 */
async function fill({ call: unauthenticated, storage }: Started): Promise<void> {
  const call = async (path: string, body: object, method = 'POST'): Promise<void> => {
    const { status, text } = await unauthenticated(method, path, body, BEARER);
    if (status >= 300) throw new Error(text);
  };
  for (const name of ['default', 'full', 'damaged', SYSTEM])
    await call('/api/v1/namespaces', { metadata: { name } });
  await call(SECRETS, secret);
  await call('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'worker' } });
  await call('/api/v1/namespaces/full/resourcequotas', {
    metadata: { name: 'none' },
    spec: { hard: { 'count/secrets': '0' } },
  });
  await call(
    '/api/v1/namespaces/full/resourcequotas/none/status',
    {
      metadata: { name: 'none' },
      spec: { hard: { 'count/secrets': '0' } },
      status: { hard: { 'count/secrets': '0' }, used: { 'count/secrets': '0' } },
    },
    'PUT',
  );
  await call(`/api/v1/namespaces/${SYSTEM}/secrets`, {
    metadata: { name: 'bootstrap-token-abcdef' },
    type: vocabulary.secretTypes.bootstrapToken,
    stringData: {
      'token-id': 'abcdef',
      'token-secret': '0123456789abcdef',
      'usage-bootstrap-authentication': 'true',
    },
  });
  await call('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', widgets());
  for (const sort of ['Mutating', 'Validating'] as const)
    await call(CONFIGURATIONS[sort], {
      metadata: { name: 'echo' },
      webhooks: ['Fail', 'Ignore'].map((failurePolicy) =>
        webhook(`${sort}-${failurePolicy}`.toLowerCase(), { rules: [rule(['secrets'])], failurePolicy }),
      ),
    });
  const head = '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"stored","namespace":"damaged"},';
  await storage.put(DAMAGED, Buffer.from(`${head}"data":{"password":${CANARY}}}`), 'absent');
}
