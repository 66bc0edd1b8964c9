import { builtinKinds, formerKinds } from '../../../api/groups/index.ts';
import { createScheme } from '../../../api/kinds/scheme.ts';
import { createInMemoryOutbound } from '../../../base/http/in-memory-outbound.ts';
import type { HttpRequest, HttpResponse } from '../../../base/http/message.ts';
import type { OutboundPeer } from '../../../base/http/outbound.ts';
import { enabledByDefault } from '../../../api/features/features.ts';
import { silentLogger } from '../../../base/log/logger.ts';
import { createSeededRandom } from '../../../base/random/seeded.ts';
import { createSimulatedClock } from '../../../base/clock/simulated.ts';
import { kubernetesVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { startServer } from '../../extensions/extensions.fixture.ts';
import type { AdmissionPlugin } from '../../request.ts';
import { createSubresourceHandlers } from '../../subresources/handlers.ts';
import { createWebhookMetrics } from './metrics.ts';
import { createMutatingWebhooks } from './mutating.ts';
import { createValidatingWebhooks } from './validating.ts';

/** AdmissionReview as a webhook receives it. */
export interface Review {
  readonly kind: string;
  readonly apiVersion: string;
  readonly request: {
    readonly uid: string;
    readonly operation: string;
    readonly object: Record<string, unknown> | null;
    readonly oldObject: Record<string, unknown> | null;
    readonly [field: string]: unknown;
  };
}

/**
 * Function that handles a review. It returns the `response` of the AdmissionReview without its UID, or a
 * whole HTTP response.
 */
export type Behaviour = (review: Review, request: HttpRequest) => object | HttpResponse | Promise<object>;

/** Returns a response that allows the request unchanged. */
export const allow = (): object => ({ allowed: true });

/** Returns a behavior that allows the request and changes the object by a JSON patch. */
export const patching =
  (...operations: readonly object[]) =>
  (): object => ({
    allowed: true,
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
  });

const isHttp = (answer: object): answer is HttpResponse => 'status' in answer && 'headers' in answer;

/** Creates an outbound transport that calls the behavior named by the host, and records the calls. */
function recordCalls(behaviours: { readonly [name: string]: Behaviour }) {
  const reviews: (Review & { readonly hook: string; readonly url: string })[] = [];
  const peers: OutboundPeer[] = [];
  const requests: HttpRequest[] = [];
  const outbound = createInMemoryOutbound((origin) => {
    const hook = new URL(origin).hostname;
    const behaviour = behaviours[hook];
    if (behaviour === undefined) return undefined;
    return {
      admit: (peer) => void peers.push(peer),
      handler: async (request) => {
        requests.push(request);
        const review = JSON.parse((await request.body(1e6)).toString()) as Review;
        reviews.push({ ...review, hook, url: request.url });
        const answer = await behaviour(review, request);
        if (isHttp(answer)) return answer;
        const body = {
          kind: review.kind,
          apiVersion: review.apiVersion,
          response: { uid: review.request.uid, ...answer },
        };
        return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(body)) };
      },
    };
  });
  return { reviews, peers, requests, outbound };
}

/**
 * Starts a server with both webhook plugins, which run after the plugins in `before`. Webhooks are functions
 * in this process, selected by the host name in `https://HOST/`.
 */
export async function startWebhooks(
  behaviours: { [name: string]: Behaviour } = {},
  {
    before = [],
    configuration,
    files = {},
  }: {
    before?: readonly AdmissionPlugin[];
    configuration?: unknown;
    files?: { readonly [path: string]: string };
  } = {},
) {
  const calls = recordCalls(behaviours);
  const clock = createSimulatedClock();
  const notes = new Map<string, string>();
  const started = await startServer({
    scheme: createScheme(kubernetesVocabulary, [...builtinKinds, ...formerKinds]),
    environment: { clock, random: createSeededRandom(1), log: silentLogger },
    virtual: (registry) => createSubresourceHandlers({ registry, vocabulary: kubernetesVocabulary, clock }),
    admission: (registry, metrics, { served }) => {
      const counted = createWebhookMetrics(metrics);
      const dependencies = {
        vocabulary: kubernetesVocabulary,
        clock,
        random: createSeededRandom(2),
        log: silentLogger,
        served,
        enabled: enabledByDefault,
        objects: registry.reader.bind(registry),
        registry,
        webhookMetrics: () => counted,
        outbound: calls.outbound,
        resolveService: (namespace: string, name: string) => ({
          origin: 'https://hook',
          serverName: `${name}.${namespace}.svc`,
        }),
        readFile: (path: string) => {
          const text = files[path];
          if (text === undefined) throw new Error(`${path} does not exist`);
          return text;
        },
      };
      return [
        listening(notes),
        ...before,
        createMutatingWebhooks(dependencies, configuration),
        createValidatingWebhooks(dependencies, configuration),
      ];
    },
  });
  /** Stores a configuration of the given type. */
  const configure = async (sort: Sort, name: string, ...webhooks: readonly object[]): Promise<void> => {
    const { status, text } = await started.call('POST', CONFIGURATIONS[sort], {
      metadata: { name },
      webhooks,
    });
    if (status !== 201) throw new Error(text);
  };
  await started.call('POST', '/api/v1/namespaces', { metadata: { name: 'default', labels: { team: 'a' } } });
  const { reviews, peers, requests } = calls;
  return { ...started, clock, reviews, peers, requests, notes, configure };
}

/** Creates a plugin that records audit annotations. */
function listening(notes: Map<string, string>): AdmissionPlugin {
  const listen = (request: object): Promise<void> => {
    const annotate = (key: string, value: string): void => {
      if (!notes.has(key)) notes.set(key, value);
    };
    Object.assign(request, { annotate });
    return Promise.resolve();
  };
  return {
    name: 'Listening',
    operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
    mutates: () => false,
    mutate: listen,
    validate: listen,
  };
}

/** Type of a webhook configuration. */
export type Sort = 'Mutating' | 'Validating';

const REGISTRATION = `/apis/${kubernetesVocabulary.apiVersion('admissionregistration', 'v1')}`;
export const CONFIGURATIONS: { readonly [S in Sort]: string } = {
  Mutating: `${REGISTRATION}/mutatingwebhookconfigurations`,
  Validating: `${REGISTRATION}/validatingwebhookconfigurations`,
};

/** Creates a rule that matches all operations, groups and versions. */
export const rule = (resources: readonly string[], changes: object = {}): object => ({
  operations: ['*'],
  apiGroups: ['*'],
  apiVersions: ['*'],
  resources,
  ...changes,
});

/** Creates a webhook at `https://HOST/` that matches ConfigMaps. */
export const webhook = (host: string, changes: object = {}): object => ({
  name: `${host}.example.com`,
  clientConfig: { url: `https://${host}/` },
  rules: [rule(['configmaps'])],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  ...changes,
});

export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
export const configMap = (name: string, changes: object = {}): object => ({ metadata: { name }, ...changes });
