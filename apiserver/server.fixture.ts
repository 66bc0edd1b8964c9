import { configMaps, cronJobs, namespaces, pods, tokenReviews } from '../api/groups/index.ts';
import { type AnyKind, createScheme } from '../api/kinds/scheme.ts';
import { unauthorized } from '../api/status/api-error.ts';
import { kubernetesVocabulary } from '../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../base/clock/simulated.ts';
import { silentLogger } from '../base/log/logger.ts';
import { createSeededRandom } from '../base/random/seeded.ts';
import { createInMemoryCaller, type InMemoryRequest } from './http/in-memory.ts';
import { type ApiServerOptions, createApiServer } from './server.ts';
import { createMemoryStorage } from './storage/memory.ts';
import { stampResourceVersion } from './storage/stamp.ts';

const KINDS = [configMaps, cronJobs, namespaces, pods, tokenReviews] as unknown as readonly AnyKind[];

/** Media type of a Table. */
export const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/**
 * Starts a server with the namespace `a`. `admin` may do everything, and the user `bad` has an invalid
 * credential.
 */
export async function startServer(options: Partial<ApiServerOptions> = {}) {
  const clock = createSimulatedClock();
  const server = createApiServer({
    scheme: createScheme(kubernetesVocabulary, KINDS),
    environment: { clock, random: createSeededRandom(1), log: silentLogger },
    storage: createMemoryStorage({ stamp: stampResourceVersion }),
    authenticators: [
      {
        name: 'test',
        authenticate: (request) => {
          const name = request.headers['user']?.[0] ?? 'admin';
          if (name === 'bad') throw unauthorized('wrong');
          return Promise.resolve({ user: { username: name, groups: [] } });
        },
      },
      {
        name: 'anonymous',
        authenticate: () => Promise.resolve({ user: { username: 'anyone', groups: [] } }),
      },
    ],
    authorizer: {
      name: 'test',
      authorize: ({ user }) =>
        Promise.resolve({ verdict: user.username === 'admin' ? 'allow' : 'no-opinion', reason: '' }),
    },
    ...options,
  });
  await server.start();
  const caller = createInMemoryCaller(server.handler);
  await caller.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'a' } } });
  const call = async (method: string, url: string, request: InMemoryRequest = {}) => {
    const response = await caller.request(method, url, request);
    const text = await response.text();
    const json = (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, unknown>;
    return { status: response.status, text, json, header: (name: string) => response.header(name) };
  };
  return { server, caller, call, clock };
}

/** The ConfigMap `c`. */
export const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { k: 'v' } };

/** API path of the ConfigMap `c`. */
export const ITEM = '/api/v1/namespaces/a/configmaps/c';

/** API path of the ConfigMaps in namespace `a`. */
export const COLLECTION = '/api/v1/namespaces/a/configmaps';

/** Starts a server with the ConfigMap `c`. */
export async function startWithOne() {
  const started = await startServer();
  await started.call('POST', COLLECTION, { body: CONFIG_MAP });
  return started;
}
