import { builtinKinds } from '../../../api/groups/index.ts';
import { createScheme } from '../../../api/kinds/scheme.ts';
import { kubernetesVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { type SimulatedClock, createSimulatedClock } from '../../../base/clock/simulated.ts';
import { type Clock, sleep } from '../../../base/clock/clock.ts';
import type { HttpHandler } from '../../../base/http/message.ts';
import { silentLogger } from '../../../base/log/logger.ts';
import { createSeededRandom } from '../../../base/random/seeded.ts';
import { createBootstrapWriter } from '../../bootstrap/bootstrap-writer.ts';
import { ensureFlowControl } from '../../bootstrap/priorities.ts';
import type { RequestLimits } from '../../request-limits.ts';
import { type ApiServer, createApiServer } from '../../server.ts';
import { createMemoryStorage } from '../../storage/memory.ts';
import { stampResourceVersion } from '../../storage/stamp.ts';
import { type InMemoryRequest, createInMemoryCaller } from '../in-memory.ts';

/** API server with limits, and functions to call it. */
export interface LimitedServer<C extends Clock = SimulatedClock> {
  readonly server: ApiServer;
  readonly clock: C;
  /** Sends a request. `who` is a user name and groups, separated by spaces: `alice devs`. */
  call(who: string, method: string, url: string, request?: InMemoryRequest): Promise<Answer>;
  /** Returns the lines of the metrics that start with a prefix. */
  metrics(...prefixes: readonly string[]): Promise<readonly string[]>;
}

/** Status, body and headers of a response. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  header(name: string): string | undefined;
}

/**
 * Starts an API server with limits on a simulated clock. Each request for a Secret takes `serviceMs` and
 * finds none.
 */
export const startLimitedServer = (
  limits: RequestLimits,
  options: { readonly serviceMs?: number } = {},
): Promise<LimitedServer> => startLimitedServerOn(createSimulatedClock(), limits, options);

/** Starts an API server with limits on any clock. `serviceMs` may differ from request to request. */
export async function startLimitedServerOn<C extends Clock>(
  clock: C,
  limits: RequestLimits,
  { serviceMs = 100 }: { readonly serviceMs?: number | (() => number) } = {},
): Promise<LimitedServer<C>> {
  const server = createApiServer({
    scheme: createScheme(kubernetesVocabulary, builtinKinds),
    environment: { clock, random: createSeededRandom(1), log: silentLogger },
    storage: createMemoryStorage({ stamp: stampResourceVersion }),
    limits,
    authenticators: [
      {
        name: 'test',
        authenticate: ({ headers }) => {
          const [username = 'nobody', ...groups] = (headers['user']?.[0] ?? '').split(' ');
          return Promise.resolve({ user: { username, groups: [...groups, 'system:authenticated'] } });
        },
      },
    ],
    // The delay is in the authorizer, which runs after the limits.
    authorizer: {
      name: 'test',
      async authorize({ resource, user }) {
        if (resource === 'secrets')
          await sleep(clock, typeof serviceMs === 'number' ? serviceMs : serviceMs());
        return { verdict: user.username === 'mallory' ? 'no-opinion' : 'allow', reason: '' };
      },
    },
    bootstrap: [
      (registry) =>
        ensureFlowControl(
          createBootstrapWriter(registry, new AbortController().signal),
          registry,
          kubernetesVocabulary,
        ),
    ],
  });
  await server.start();
  return {
    server,
    clock,
    call: (who, method, url, request = {}) => callAs(server.handler, who, method, url, request),
    async metrics(...prefixes) {
      const { text } = await server.metrics.expose();
      return text.split('\n').filter((line) => prefixes.some((prefix) => line.startsWith(prefix)));
    },
  };
}

async function callAs(
  handler: HttpHandler,
  who: string,
  method: string,
  url: string,
  request: InMemoryRequest,
): Promise<Answer> {
  const headers = { ...request.headers, user: who };
  const response = await createInMemoryCaller(handler).request(method, url, { ...request, headers });
  return {
    status: response.status,
    text: await response.text(),
    header: (name) => response.header(name),
  };
}
