import { builtinKinds } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { type InMemoryRequest, createInMemoryCaller } from '../http/in-memory.ts';
import { type ApiServerOptions, createApiServer } from '../server.ts';
import { createMemoryStorage } from '../storage/memory.ts';
import { stampResourceVersion } from '../storage/stamp.ts';

const apiVersion = kubernetesVocabulary.apiVersion('apiextensions', 'v1');
/** Path of the CustomResourceDefinition collection. */
export const CRDS = `/apis/${apiVersion}/customresourcedefinitions`;

/**
 * Starts a server with all built-in kinds, a memory store and virtual time. Its only user has every
 * permission.
 */
export async function startServer(options: Partial<ApiServerOptions> = {}) {
  const clock = createSimulatedClock();
  const storage = options.storage ?? createMemoryStorage({ stamp: stampResourceVersion });
  const server = createApiServer({
    scheme: createScheme(kubernetesVocabulary, builtinKinds),
    environment: { clock, random: createSeededRandom(1), log: silentLogger },
    authenticators: [
      { name: 'test', authenticate: async () => ({ user: { username: 'admin', groups: [] } }) },
    ],
    authorizer: { name: 'test', authorize: async () => ({ verdict: 'allow', reason: '' }) },
    ...options,
    storage,
  });
  await server.start();
  const caller = createInMemoryCaller(server.handler);
  const call = async (method: string, url: string, body?: unknown, request: InMemoryRequest = {}) => {
    const response = await caller.request(method, url, {
      ...(body === undefined ? {} : { body }),
      ...request,
    });
    const text = await response.text();
    const json = (text.startsWith('{') ? JSON.parse(text) : {}) as Json;
    return { status: response.status, text, json, header: (name: string) => response.header(name) };
  };
  /** Polls `done` for up to 500 turns of the event loop, in which the server reconciles definitions. */
  const eventually = async (done: () => Promise<boolean> | boolean): Promise<void> => {
    for (let turn = 0; turn < 500; turn++) {
      if (await done()) return;
      await new Promise((resolve) => setImmediate(resolve));
    }
    throw new Error('the condition was not met within 500 turns of the event loop');
  };
  const established = async (name: string): Promise<void> =>
    eventually(async () => {
      const { json } = await call('GET', `${CRDS}/${name}`);
      return conditionOf(json, 'Established')?.status === 'True';
    });
  const define = async (definition: { readonly metadata: { readonly name: string } }): Promise<void> => {
    const { status, text } = await call('POST', CRDS, definition);
    if (status !== 201) throw new Error(text);
    await established(definition.metadata.name);
  };
  return { server, storage, clock, caller, call, eventually, established, define };
}

/** Parsed JSON object. */
export interface Json {
  readonly [field: string]: unknown;
  readonly metadata?: { readonly [field: string]: unknown };
}

interface ShownCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** Returns a condition of a definition. */
export const conditionOf = (definition: Json, type: string): ShownCondition | undefined =>
  ((definition['status'] as { conditions?: ShownCondition[] } | undefined)?.conditions ?? []).find(
    (each) => each.type === type,
  );

const version = (name: string, storage: boolean, changes: object = {}): object => ({
  name,
  served: true,
  storage,
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            size: { type: 'integer', default: 1 },
            color: { type: 'string' },
            replicas: { type: 'integer' },
          },
        },
        status: {
          type: 'object',
          properties: { ready: { type: 'integer' }, selector: { type: 'string' } },
        },
      },
    },
  },
  ...changes,
});

/**
 * Returns the definition `widgets.example.com`. Its versions share a schema, and the first version is stored.
 */
export const widgets = (versions = ['v1'], spec: object = {}, changes: object = {}) => ({
  apiVersion,
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: {
      plural: 'widgets',
      singular: 'widget',
      kind: 'Widget',
      listKind: 'WidgetList',
      shortNames: ['wd'],
    },
    versions: versions.map((name, at) => version(name, at === 0, changes)),
    ...spec,
  },
});

/** Returns a widget object. */
export const widget = (name: string, spec: object = {}, apiVersion = 'example.com/v1') => ({
  apiVersion,
  kind: 'Widget',
  metadata: { name },
  spec,
});

/** Path of the widget collection. */
export const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
