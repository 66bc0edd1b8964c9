import { builtinKinds } from '../../../api/groups/index.ts';
import { createScheme } from '../../../api/kinds/scheme.ts';
import { unauthorized } from '../../../api/status/api-error.ts';
import { kubernetesVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { signalOf } from '../../../base/async/cancellation.ts';
import { createSimulatedClock } from '../../../base/clock/simulated.ts';
import { silentLogger } from '../../../base/log/logger.ts';
import { createSeededRandom } from '../../../base/random/seeded.ts';
import { createRecorder } from '../../audit/audit.fixture.ts';
import type { AuditBackend } from '../../audit/backend.ts';
import { parsePolicy } from '../../audit/policy.ts';
import { createImpersonation } from '../../auth/impersonation.ts';
import type { AdmissionPlugin, Authorizer } from '../../request.ts';
import { createApiServer } from '../../server.ts';
import { createMemoryStorage } from '../../storage/memory.ts';
import { stampResourceVersion } from '../../storage/stamp.ts';
import { type InMemoryRequest, createInMemoryCaller } from '../in-memory.ts';
import type { VirtualHandler } from '../virtual/virtual.ts';

const authorizer: Authorizer = {
  name: 'test',
  authorize: ({ user }) =>
    Promise.resolve(
      user.username === 'eve'
        ? { verdict: 'no-opinion', reason: 'unknown user' }
        : { verdict: 'allow', reason: 'she may' },
    ),
};

const broken: AdmissionPlugin = {
  name: 'Broken',
  operations: ['CREATE'],
  validate({ name }, cancellation) {
    if (name === 'broken') return Promise.reject(new TypeError('the password is hunter2'));
    if (name !== 'slow') return Promise.resolve();
    return new Promise((_resolve, reject) => {
      const signal = signalOf(cancellation);
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  },
};

const reviews: VirtualHandler = {
  group: 'authentication',
  version: 'v1',
  resource: 'tokenreviews',
  subresource: '',
  handle: (_context, body) => Promise.resolve({ ...body, status: { authenticated: true } }),
};

/** Audit policy and back end of the server. */
export interface Options {
  readonly policy?: string;
  readonly backend?: AuditBackend;
}

/**
 * Starts a server with an audit policy. alice may do everything, eve nothing, and `bad` has an invalid token.
 */
export async function start({ policy = 'rules: [{level: RequestResponse}]', backend }: Options = {}) {
  const clock = createSimulatedClock(Date.UTC(2026, 0, 1));
  const recorder = createRecorder();
  const server = createApiServer({
    scheme: createScheme(kubernetesVocabulary, builtinKinds),
    environment: { clock, random: createSeededRandom(1), log: silentLogger },
    storage: createMemoryStorage({ stamp: stampResourceVersion }),
    authenticators: [
      {
        name: 'test',
        authenticate({ headers }) {
          const username = headers['user']?.[0] ?? 'alice';
          if (username === 'bad') throw unauthorized();
          return Promise.resolve({ user: { username, groups: ['dev'] } });
        },
      },
    ],
    authorizer,
    stages: [createImpersonation({ authorizer, vocabulary: kubernetesVocabulary })],
    virtual: [reviews],
    admission: [broken],
    audit: () => ({
      policy: parsePolicy(`apiVersion: audit.k8s.io/v1\nkind: Policy\n${policy}`, kubernetesVocabulary),
      backend: backend ?? recorder.backend,
    }),
  });
  await server.start();
  const caller = createInMemoryCaller(server.handler);
  await caller.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'a' } } });
  recorder.batches.length = 0;
  const call = async (method: string, url: string, request: InMemoryRequest = {}) => {
    const response = await caller.request(method, url, request);
    return { status: response.status, text: await response.text(), id: response.header('audit-id') };
  };
  const metric = async (name: string) =>
    (await server.metrics.expose()).text.split('\n').filter((line) => line.startsWith(name));
  return { server, caller, call, clock, recorder, metric };
}

/** API path of the ConfigMaps in namespace `a`. */
export const COLLECTION = '/api/v1/namespaces/a/configmaps';

/** API path of the ConfigMap `c`. */
export const ITEM = `${COLLECTION}/c`;

/** The ConfigMap `c`. */
export const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { k: 'v' } };

/** Starts a server with the ConfigMap `c` and an empty record of events. */
export const created = async (options?: Options) => {
  const started = await start(options);
  await started.call('POST', COLLECTION, { body: CONFIG_MAP });
  started.recorder.batches.length = 0;
  return started;
};
