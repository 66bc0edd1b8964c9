import type { ApiObject, DeepReadonly, Kind, Scheme } from '../../api/kinds/index.ts';
import { ApiError, expired } from '../../api/status/index.ts';
import {
  type Client,
  ClientError,
  type DeleteOptions,
  type ListOf,
  type ListOptions,
  type Lister,
  type PatchType,
  type ResourceClient,
  type SelectOptions,
  type WriteCondition,
  type WriteOptions,
} from '../../runtime/index.ts';
import { resourceOf } from '../invariants/invariant.ts';
import type { ApiAnswer, ApiRequest, Unchanged } from './api-request.ts';

/** Sends a request. Resolves with its response, which may never arrive. */
export type Ask = (request: ApiRequest) => Promise<ApiAnswer>;

/** Returns the value of a response, or throws the error that a client would throw. */
function settle(answer: ApiAnswer): unknown {
  if ('ok' in answer) return answer.ok;
  if ('refused' in answer) throw new ApiError(answer.refused);
  throw new ClientError(answer.lost, 'no answer came');
}

export interface RecordingOptions {
  readonly scheme: Scheme;
  readonly ask: Ask;
  readonly serverClock: Client['serverClock'];
  /**
   * True if requests contain conditions on other objects. False for a server that ignores these conditions.
   */
  readonly conditions: boolean;
}

const unchangedOf = ({ kind, namespace = '', name, ...facts }: WriteCondition): Unchanged => ({
  resource: resourceOf(kind),
  namespace,
  name,
  ...facts,
});

/**
 * Creates a client that converts each call to a request as plain data. `serverClock` supplies the server's
 * time.
 */
export function createRecordingClient({ scheme, ask, serverClock, conditions }: RecordingOptions): Client {
  const conditionsOf = (options: WriteOptions = {}): Pick<ApiRequest, 'while' | 'dryRun'> => ({
    ...(conditions && options.while ? { while: options.while.map(unchangedOf) } : {}),
    ...(options.dryRun ? { dryRun: true } : {}),
  });
  const call = async <T>(request: Partial<ApiRequest> & Pick<ApiRequest, 'verb' | 'resource'>): Promise<T> =>
    // The model responds to a request for a kind with objects of that kind.
    settle(await ask({ namespace: '', name: '', subresource: '', ...request })) as T;

  const lister = <T extends ApiObject>(kind: Kind<T>, namespace: string): Lister<T> => {
    const resource = resourceOf(kind);
    const list = async (options: ListOptions<T> = {}): Promise<ListOf<T>> => {
      const { metadataOnly, resourceVersionMatch, transform } = options;
      const listed = await call<ListOf<T>>({
        verb: 'list',
        resource,
        namespace,
        ...selection(options),
        ...(metadataOnly ? { metadataOnly } : {}),
        ...(resourceVersionMatch === 'Exact' ? { exact: true } : {}),
      });
      return transform ? { ...listed, items: listed.items.map(transform) } : listed;
    };
    return {
      list,
      pages: async function* (options) {
        yield await list(options);
      },
      // Controllers watch through informers. A direct watch from an old version fails with the error for an
      // expired version.
      watch: () => ({
        [Symbol.asyncIterator]: () => ({
          next: () => Promise.reject(expired('the model keeps no history')),
        }),
      }),
    };
  };
  const of = <T extends ApiObject>(kind: Kind<T>, namespace: string): ResourceClient<T> => {
    const at = { resource: resourceOf(kind), namespace };
    const nameOf = (object: DeepReadonly<ApiObject>): string => object.metadata?.name ?? '';
    return {
      ...lister(kind, namespace),
      get: (name) => call({ ...at, verb: 'get', name }),
      getDated: (name) => call({ ...at, verb: 'get', name, dated: true }),
      create: (body, options) =>
        call({ ...at, verb: 'create', name: nameOf(body), body, ...conditionsOf(options) }),
      update: (body, options) =>
        call({ ...at, verb: 'update', name: nameOf(body), body, ...conditionsOf(options) }),
      patch: (name, type, body, options) =>
        call({ ...at, verb: 'patch', name, body, ...meant(type), ...conditionsOf(options) }),
      delete: async (name, options = {}) => {
        await call({ ...at, verb: 'delete', name, ...wish(options), ...conditionsOf(options) });
      },
      deleteCollection: async (options = {}) => {
        await call({
          ...at,
          verb: 'deletecollection',
          ...selection(options),
          ...wish(options),
          ...conditionsOf(options),
        });
      },
      subresource: (subresource) => ({
        get: (name) => call({ ...at, verb: 'get', name, subresource }),
        update: (body, options) =>
          call({ ...at, verb: 'update', name: nameOf(body), subresource, body, ...conditionsOf(options) }),
        patch: (name, type, body, options) =>
          call({ ...at, verb: 'patch', name, subresource, body, ...meant(type), ...conditionsOf(options) }),
        create: (name, body) => call({ ...at, verb: 'create', name, subresource, body }),
      }),
    };
  };
  return {
    scheme,
    namespaced: of,
    cluster: (kind) => of(kind, ''),
    all: (kind) => lister(kind, ''),
    request: async ({ method, path }) => ({
      status: 200,
      headers: {},
      body: await call({ verb: 'raw', resource: '', path: method === 'GET' ? path : `${method} ${path}` }),
    }),
    typeMetaOf: scheme.typeMetaOf,
    serverClock,
    close: async () => {},
  };
}

const meant = (type: PatchType): Pick<ApiRequest, 'patchType'> =>
  type === 'merge' ? {} : { patchType: type };

const selection = ({ labelSelector, fieldSelector }: SelectOptions) => ({
  ...(labelSelector === undefined ? {} : { labelSelector }),
  ...(fieldSelector === undefined ? {} : { fieldSelector }),
});

const wish = ({ preconditions, propagationPolicy, gracePeriodSeconds }: DeleteOptions) => ({
  ...(preconditions === undefined ? {} : { preconditions }),
  ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
  ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
});
