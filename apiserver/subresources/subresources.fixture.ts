import { builtinKinds } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { createInMemoryCaller, type InMemoryRequest } from '../http/in-memory.ts';
import { createApiServer } from '../server.ts';
import { createMemoryStorage } from '../storage/memory.ts';
import { stampResourceVersion } from '../storage/stamp.ts';
import { createSubresourceHandlers } from './handlers.ts';

const vocabulary = kubernetesVocabulary;

/** Path of the pod `p` in the namespace `a`. */
export const POD = '/api/v1/namespaces/a/pods/p';

/** Path of the Deployment `web`. */
export const DEPLOYMENT = '/apis/apps/v1/namespaces/a/deployments/web';

/** Path of the PodDisruptionBudget `b`. */
export const BUDGET = '/apis/policy/v1/namespaces/a/poddisruptionbudgets/b';

/** Starts a server with the namespace `a`. Returns a function that sends a request and parses the JSON response. */
export async function startServer() {
  const clock = createSimulatedClock();
  const server = createApiServer({
    scheme: createScheme(vocabulary, builtinKinds),
    environment: { clock, random: createSeededRandom(1), log: silentLogger },
    storage: createMemoryStorage({ stamp: stampResourceVersion }),
    authenticators: [
      { name: 'test', authenticate: () => Promise.resolve({ user: { username: 'admin', groups: [] } }) },
    ],
    authorizer: { name: 'test', authorize: () => Promise.resolve({ verdict: 'allow', reason: '' }) },
    virtual: (registry) => createSubresourceHandlers({ registry, vocabulary, clock }),
  });
  await server.start();
  const caller = createInMemoryCaller(server.handler);
  await caller.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'a' } } });
  return async (
    method: string,
    url: string,
    body?: object | string,
    contentType = 'application/json',
    accept = 'application/json',
  ) => {
    const request: InMemoryRequest =
      body !== undefined
        ? { body, headers: { 'content-type': contentType, accept } }
        : { headers: { accept } };
    const response = await caller.request(method, url, request);
    return { status: response.status, json: JSON.parse(await response.text()) as Record<string, unknown> };
  };
}

/** Function that sends a request. */
export type Call = Awaited<ReturnType<typeof startServer>>;

/** The pod `p` with the label `app: web`. */
export const pod = {
  metadata: { name: 'p', labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};
