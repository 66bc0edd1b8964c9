import { writeJson } from '../../api/schema/index.ts';
import type { ApiObject, DeepReadonly, Kind, Scheme } from '../../api/kinds/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import type { Logger } from '../../base/log/index.ts';
import { headerOf, parseJson } from './response.ts';
import { deepFreeze, isRecord } from '../../base/collections/index.ts';
import type {
  Client,
  ConditionOptions,
  DeleteOptions,
  PatchType,
  RawResponse,
  RawRequest,
  ResourceClient,
  SelectOptions,
  SubresourceClient,
  WriteOptions,
} from './client.ts';
import { ClientError } from './client-error.ts';
import { keepLast } from './keep-last.ts';
import { createLister } from './lister.ts';
import { type ResourcePaths, resourcePaths, withQuery } from './resource-path.ts';
import {
  type ReadResponse,
  type ResponseLimits,
  type Calls,
  type RequestObservation,
  type RetrySettings,
  createSender,
} from './sender.ts';
import { type ServerClock, createServerClock } from './server-clock.ts';
import { createTokenBucket, unlimited } from './token-bucket.ts';
import type { Transport } from './transport.ts';
import { conditionHeaders } from './write-condition.ts';

/** Settings of `createClient`. */
export interface ClientSettings {
  readonly scheme: Scheme;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Logger;
  /** User agent such as `orch-controller-manager/0.1.0`. */
  readonly userAgent: string;
  /** Maximum sustained number of requests per second. Default: no limit. */
  readonly qps?: number;
  /**
   * Maximum number of requests at once before `qps` delays them. Default 1.5 times `qps`; without effect if
   * `qps` is undefined.
   */
  readonly burst?: number;
  /**
   * Time limit of a request in milliseconds; for a watch, time limit of the response headers. Default 30,000.
   */
  readonly timeoutMs?: number;
  readonly retry?: RetrySettings;
  readonly limits?: ResponseLimits;
  /** Server clock shared by the clients of one API server. Default: a new server clock. */
  readonly serverClock?: ServerClock;
  /** Called after each attempt, for metrics. */
  readonly observe?: (observation: RequestObservation) => void;
}

const MIB = 1024 * 1024;

const CONTENT_TYPES: Readonly<Record<PatchType, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  // JSON is valid YAML, and Kubernetes 1.24 has no JSON media type for server-side apply.
  apply: 'application/apply-patch+yaml',
};

const writeQuery = (options: WriteOptions & { readonly force?: boolean }) => ({
  dryRun: options.dryRun ? 'All' : undefined,
  fieldManager: options.fieldManager,
  force: options.force ? true : undefined,
});

/** Creates a client over `transport`. Creating it sends no request. */
export function createClient(settings: ClientSettings): Client {
  const { scheme, transport, clock, log, timeoutMs = 30_000 } = settings;
  const { serverClock = createServerClock(clock) } = settings;
  const { objectBytes = 32 * MIB, listBytes = 512 * MIB } = settings.limits ?? {};
  const limits = { objectBytes, listBytes };
  const sender = createSender({
    transport,
    clock,
    log,
    bucket:
      settings.qps === undefined
        ? unlimited
        : createTokenBucket({
            clock,
            qps: settings.qps,
            burst: settings.burst ?? Math.max(1, Math.ceil(settings.qps * 1.5)),
          }),
    headers: { accept: 'application/json', 'user-agent': settings.userAgent },
    retry: settings.retry ?? {},
    serverClock,
    observe: settings.observe ?? (() => {}),
  });
  const callsOf = <T extends ApiObject>(kind: Kind<T>): Calls => ({
    sender,
    scheme,
    timeoutMs,
    limits,
    typeMeta: scheme.typeMetaOf(kind),
    metaGroup: scheme.vocabulary.group('meta'),
  });
  const kept = keepLast();
  return {
    scheme,
    namespaced: (kind, namespace) =>
      kept(kind, namespace, () => {
        requireScope(kind, true, `namespaced(${kind.plural}, …)`);
        return resourceClient(callsOf(kind), resourcePaths(scheme, kind, namespace), serverClock);
      }),
    cluster: (kind) => {
      requireScope(kind, false, `cluster(${kind.plural})`);
      return resourceClient(callsOf(kind), resourcePaths(scheme, kind, undefined), serverClock);
    },
    all: (kind) => createLister(callsOf(kind), resourcePaths(scheme, kind, undefined)),
    request: (request) => rawRequest({ sender, timeoutMs, limits }, request),
    typeMetaOf: scheme.typeMetaOf,
    serverClock,
    close: () => sender.close(),
  };
}

function requireScope<T extends ApiObject>(kind: Kind<T>, namespaced: boolean, call: string): void {
  if (kind.namespaced === namespaced) return;
  throw new ClientError(
    'ERR_ARGUMENT',
    `${call}: ${kind.plural} ${kind.namespaced ? 'are namespaced: use namespaced(kind, namespace)' : 'are cluster-scoped: use cluster(kind)'}`,
  );
}

async function rawRequest(
  { sender, timeoutMs, limits }: Pick<Calls, 'sender' | 'timeoutMs' | 'limits'>,
  request: RawRequest,
): Promise<RawResponse> {
  const answer = await sender.exchange({
    method: request.method,
    path: request.path,
    headers: request.headers,
    body: request.body === undefined ? undefined : writeJson(request.body),
    signal: request.signal,
    timeoutMs: request.timeoutMs ?? timeoutMs,
    limitBytes: limits.listBytes,
  });
  const json = /^application\/(?:[\w.-]+\+)?json\b/.test(headerOf(answer.headers, 'content-type') ?? '');
  const body = json
    ? parseJson(answer.text, `the response to ${request.method} ${request.path}`)
    : answer.text;
  return { status: answer.status, headers: answer.headers, body };
}

interface ObjectResponse<R> {
  readonly object: DeepReadonly<R>;
  readonly headers: ReadResponse['headers'];
}

/** Sends a request with `body` as JSON and parses the returned object. */
async function requestObject<R>(
  calls: Calls,
  method: string,
  path: string,
  options: ConditionOptions,
  body?: unknown,
  contentType?: string,
): Promise<ObjectResponse<R>> {
  const answer = await calls.sender.exchange({
    method,
    path,
    headers: headersOf(calls, options, contentType),
    body: body === undefined ? undefined : writeJson(body),
    signal: options.signal,
    timeoutMs: calls.timeoutMs,
    limitBytes: calls.limits.objectBytes,
  });
  const what = `the response to ${method} ${path}`;
  const object = parseJson(answer.text, what);
  if (!isRecord(object)) throw new ClientError('ERR_PROTOCOL', `${what} is not an object`);
  return { object: deepFreeze(object) as DeepReadonly<R>, headers: answer.headers };
}

/**
 * Returns the additional headers of a request, or undefined if there are none, which saves a copy of the
 * headers.
 */
function headersOf(
  { scheme }: Calls,
  { while: conditions }: ConditionOptions,
  contentType?: string,
): Readonly<Record<string, string>> | undefined {
  const type = contentType === undefined ? undefined : { 'content-type': contentType };
  return conditions === undefined ? type : { ...type, ...conditionHeaders(scheme, conditions) };
}

const objectCall = async <R>(...request: Parameters<typeof requestObject>): Promise<DeepReadonly<R>> =>
  (await requestObject<R>(...request)).object;

/**
 * Returns the `Date` of a response in milliseconds since the epoch, or `nowMs` if the response has no date.
 */
function dateOf(headers: ReadResponse['headers'], nowMs: number): number {
  const ms = Date.parse(headerOf(headers, 'date') ?? '');
  return Number.isNaN(ms) ? nowMs : ms;
}

function requireName(object: DeepReadonly<ApiObject>, verb: string): string {
  const name = object.metadata?.name;
  if (name === undefined || name === '')
    throw new ClientError('ERR_ARGUMENT', `${verb} needs an object with metadata.name`);
  return name;
}

const deleteBody = ({ preconditions, propagationPolicy, gracePeriodSeconds }: DeleteOptions) => ({
  kind: 'DeleteOptions',
  apiVersion: 'v1',
  ...(preconditions === undefined ? {} : { preconditions }),
  ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
  ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
});

async function deleteCall(calls: Calls, path: string, options: DeleteOptions): Promise<void> {
  await calls.sender.exchange({
    method: 'DELETE',
    path,
    headers: headersOf(calls, options),
    body: writeJson(deleteBody(options)),
    signal: options.signal,
    timeoutMs: calls.timeoutMs,
    limitBytes: calls.limits.objectBytes,
  });
}

/** Returns the object with its kind and API version, which the server requires. */
const typed = (
  { typeMeta: { kind, apiVersion } }: Calls,
  object: DeepReadonly<ApiObject>,
): DeepReadonly<ApiObject> => ({ kind, apiVersion, ...object });

function resourceClient<T extends ApiObject>(
  calls: Calls,
  paths: ResourcePaths,
  serverClock: ServerClock,
): ResourceClient<T> {
  const { list, pages, watch } = createLister<T>(calls, paths);
  return {
    list,
    pages,
    watch,
    get: async (name, options = {}) =>
      objectCall<T>(
        calls,
        'GET',
        withQuery(paths.object(name), { resourceVersion: options.resourceVersion }),
        options,
      ),
    getDated: async (name, options = {}) => {
      const { object, headers } = await requestObject<T>(calls, 'GET', paths.object(name), options);
      return { object, serverMs: dateOf(headers, serverClock.now()) };
    },
    create: async (object, options = {}) =>
      objectCall<T>(
        calls,
        'POST',
        withQuery(paths.collection, writeQuery(options)),
        options,
        typed(calls, object),
      ),
    update: async (object, options = {}) => {
      const path = withQuery(paths.object(requireName(object, 'update')), writeQuery(options));
      return objectCall<T>(calls, 'PUT', path, options, typed(calls, object));
    },
    patch: async (name, type, patch, options = {}) => {
      const path = withQuery(paths.object(name), writeQuery(options));
      return objectCall<T>(calls, 'PATCH', path, options, patch, CONTENT_TYPES[type]);
    },
    delete: async (name, options = {}) => deleteCall(calls, paths.object(name), options),
    deleteCollection: async (options: SelectOptions & DeleteOptions = {}) => {
      const { labelSelector, fieldSelector } = options;
      await deleteCall(calls, withQuery(paths.collection, { labelSelector, fieldSelector }), options);
    },
    subresource: (subresource) => subresourceClient<T>(calls, paths, subresource),
  };
}

function subresourceClient<T extends ApiObject>(
  calls: Calls,
  paths: ResourcePaths,
  subresource: string,
): SubresourceClient<T> {
  return {
    get: async (name, options = {}) => objectCall<T>(calls, 'GET', paths.object(name, subresource), options),
    update: async (object, options = {}) => {
      const name = requireName(object, `update of ${subresource}`);
      const path = withQuery(paths.object(name, subresource), writeQuery(options));
      return objectCall<T>(calls, 'PUT', path, options, typed(calls, object));
    },
    patch: async (name, type, patch, options = {}) => {
      const path = withQuery(paths.object(name, subresource), writeQuery(options));
      return objectCall<T>(calls, 'PATCH', path, options, patch, CONTENT_TYPES[type]);
    },
    create: async <R extends ApiObject>(name: string, body: R, options: WriteOptions = {}) => {
      const path = withQuery(paths.object(name, subresource), writeQuery(options));
      return objectCall<R>(calls, 'POST', path, options, body);
    },
  };
}
