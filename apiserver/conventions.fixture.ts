import { features } from '../api/features/features.ts';
import { configMaps, namespaces, pods } from '../api/groups/index.ts';
import { type AnyKind, createScheme } from '../api/kinds/scheme.ts';
import { forbidden } from '../api/status/api-error.ts';
import { kubernetesVocabulary } from '../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../base/clock/simulated.ts';
import { createFeatureGates } from '../base/feature-gates/feature-gates.ts';
import { silentLogger } from '../base/log/logger.ts';
import { createSeededRandom } from '../base/random/seeded.ts';
import { createInMemoryCaller, type InMemoryRequest } from './http/in-memory.ts';
import { createApiServer } from './server.ts';
import { createMemoryStorage } from './storage/memory.ts';
import { stampResourceVersion } from './storage/stamp.ts';

const KINDS = [configMaps, namespaces, pods] as unknown as readonly AnyKind[];

/** API path of the ConfigMaps in namespace `a`. */
export const COLLECTION = '/api/v1/namespaces/a/configmaps';

/** API path of the ConfigMap `c`. */
export const ITEM = `${COLLECTION}/c`;

/** Event of a watch. */
export interface WatchEvent {
  readonly type: string;
  readonly object: { readonly metadata: { readonly name?: string } };
}

/**
 * Starts a server with two ConfigMaps. It denies access only to `alice`, and rejects objects named `refused`.
 */
export async function start(gates: readonly string[] = []) {
  const server = createApiServer({
    scheme: createScheme(kubernetesVocabulary, KINDS),
    environment: { clock: createSimulatedClock(), random: createSeededRandom(1), log: silentLogger },
    storage: createMemoryStorage({ stamp: stampResourceVersion }),
    features: createFeatureGates(features, gates),
    authenticators: [
      {
        name: 'test',
        authenticate: (request) =>
          Promise.resolve({ user: { username: request.headers['user']?.[0] ?? 'admin', groups: [] } }),
      },
    ],
    authorizer: {
      name: 'test',
      authorize: ({ user }) =>
        Promise.resolve({ verdict: user.username === 'alice' ? 'no-opinion' : 'allow', reason: '' }),
    },
    admission: [
      {
        name: 'Test',
        operations: ['CREATE'],
        validate: ({ name }) =>
          name === 'refused'
            ? Promise.reject(forbidden({ group: '', resource: 'configmaps' }, name, 'no'))
            : Promise.resolve(),
      },
    ],
  });
  await server.start();
  const caller = createInMemoryCaller(server.handler);
  const call = async (method: string, url: string, request: InMemoryRequest = {}) => {
    const response = await caller.request(method, url, request);
    const text = await response.text();
    const json = (text.startsWith('{') ? JSON.parse(text) : {}) as {
      readonly message?: string;
      readonly metadata?: { readonly remainingItemCount?: number; readonly continue?: string };
      readonly items?: readonly unknown[];
    };
    return { status: response.status, text, json, header: (name: string) => response.header(name) };
  };
  await call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'a' } } });
  for (const name of ['c', 'd']) await call('POST', COLLECTION, { body: { metadata: { name } } });
  return { server, call, caller };
}
