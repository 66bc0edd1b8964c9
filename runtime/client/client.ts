import type { AnyKind, ApiObject, DeepReadonly, Kind, Scheme } from '../../api/kinds/index.ts';
import type { Clock } from '../../base/clock/index.ts';

/**
 * Condition on another object, checked atomically with a write. A server with the feature `ConditionalWrites`
 * responds with 409 if the condition does not hold. Other servers ignore it; `supportsWriteConditions`
 * detects them.
 */
export interface WriteCondition {
  readonly kind: AnyKind;
  /** Namespace of the object; undefined for a cluster-scoped kind. */
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** Required `spec.holderIdentity` of a Lease. */
  readonly holder?: string;
  /** Required `spec.leaseTransitions` of a Lease. */
  readonly transitions?: number;
}

/**
 * A typed client of a Kubernetes-compatible API server: `namespaced(secrets, 'default').get('x')`,
 * `cluster(nodes).list()`, `all(pods).watch()`. An error response is thrown as `ApiError`, a failure without
 * a response as `ClientError`.
 */
export interface Client {
  readonly scheme: Scheme;
  namespaced<T extends ApiObject>(kind: Kind<T>, namespace: string): ResourceClient<T>;
  cluster<T extends ApiObject>(kind: Kind<T>): ResourceClient<T>;
  /** Returns list and watch calls on the whole collection, across all namespaces. */
  all<T extends ApiObject>(kind: Kind<T>): Lister<T>;
  /** Sends a request to any path, for example discovery, health, or a kind that is known only at run time. */
  request(request: RawRequest): Promise<RawResponse>;
  /**
   * Returns the `kind` and `apiVersion` at which the server last served the kind. Before the first request,
   * returns those declared by `kind`.
   */
  typeMetaOf(kind: Pick<AnyKind, 'group' | 'version' | 'kind'>): { kind: string; apiVersion: string };
  /**
   * The API server's time, derived from its responses. Use it for comparisons with times set by the server.
   */
  readonly serverClock: Pick<Clock, 'now'>;
  close(): Promise<void>;
}

/** Argument of `Client.request`. */
export interface RawRequest {
  readonly method: string;
  /** Path below the server's base URL, with query. */
  readonly path: string;
  /** Value to send as JSON; undefined for a request without a body. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Time limit in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
}

/**
 * Response with a 2xx status, or with 304 for a conditional request. Other statuses are thrown as `ApiError`.
 */
export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: unknown;
}

/** Options common to all calls. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** Selectors of objects, and whether whole objects are returned. */
export interface ReadOptions extends SelectOptions {
  /** True to request only the metadata of the objects. Default false. */
  readonly metadataOnly?: boolean;
}

/** Selectors of objects in a collection. */
export interface SelectOptions extends CallOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Options of a list. */
export interface ListOptions<T = ApiObject> extends ReadOptions {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /** Maximum number of objects per page. Default 500; 0 requests all objects in one response. */
  readonly pageSize?: number;
  /** Reduces each object as soon as it is parsed, so that a large list is never in memory in full. */
  readonly transform?: (object: DeepReadonly<T>) => DeepReadonly<T>;
}

/** One page of a list, or a whole list. */
export interface ListOf<T> {
  readonly resourceVersion: string;
  readonly items: DeepReadonly<T>[];
}

/** Options of a watch. */
export interface WatchOptions<T = ApiObject> extends ReadOptions {
  /**
   * Version after which the watch starts. With '' or '0' it starts with an ADDED event for each existing
   * object.
   */
  readonly resourceVersion: string;
  readonly allowWatchBookmarks?: boolean;
  /** Time in seconds after which the server ends the stream. Default: chosen by the server. */
  readonly timeoutSeconds?: number;
  /** Called once the server has accepted the watch, before its first event. */
  readonly onOpen?: () => void;
  /** Reduces each object as soon as it is parsed. */
  readonly transform?: (object: DeepReadonly<T>) => DeepReadonly<T>;
}

/** Event of a watch. ERROR events are thrown instead. */
export type WatchEvent<T> = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: DeepReadonly<T>;
};

/** List and watch calls on a collection. */
export interface Lister<T extends ApiObject> {
  /** Returns all objects, read in pages. If the continue token expires, the list restarts as one response. */
  list(options?: ListOptions<T>): Promise<ListOf<T>>;
  /** Returns the pages one by one, for callers that need only one page in memory. */
  pages(options?: ListOptions<T>): AsyncIterable<ListOf<T>>;
  /** Returns events until the server ends the stream. An ERROR event is thrown as `ApiError`. */
  watch(options: WatchOptions<T>): AsyncIterable<WatchEvent<T>>;
}

/** Options common to all writes. */
export interface ConditionOptions extends CallOptions {
  /** Conditions on other objects; ignored by servers without support. Default none. */
  readonly while?: readonly WriteCondition[];
}

/** Options of a create, update or patch. */
export interface WriteOptions extends ConditionOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
}

/** Options of a delete. */
export interface DeleteOptions extends ConditionOptions {
  /**
   * Required uid and version of the object; the server responds with 409 if they differ. Pass both if they
   * are known.
   */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly gracePeriodSeconds?: number;
}

/** Format of a patch. */
export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

/** An object and the server's time. */
export interface Dated<T> {
  readonly object: DeepReadonly<T>;
  /**
   * Milliseconds since the epoch, in whole seconds: the `Date` of the response (RFC 9110, section 6.6.1), or
   * the time of `serverClock` if the response has no date.
   */
  readonly serverMs: number;
}

/** Calls on one kind in one namespace, or on a cluster-scoped kind. */
export interface ResourceClient<T extends ApiObject> extends Lister<T> {
  get(name: string, options?: CallOptions & { readonly resourceVersion?: string }): Promise<DeepReadonly<T>>;
  /** Returns the object and the server's time, from which a caller computes the object's age. */
  getDated(name: string, options?: CallOptions): Promise<Dated<T>>;
  create(object: DeepReadonly<T>, options?: WriteOptions): Promise<DeepReadonly<T>>;
  /** Replaces the object. The server responds with 409 if `resourceVersion` is set and is not the latest. */
  update(object: DeepReadonly<T>, options?: WriteOptions): Promise<DeepReadonly<T>>;
  patch(
    name: string,
    type: PatchType,
    patch: unknown,
    options?: WriteOptions & { readonly force?: boolean },
  ): Promise<DeepReadonly<T>>;
  delete(name: string, options?: DeleteOptions): Promise<void>;
  deleteCollection(options?: SelectOptions & DeleteOptions): Promise<void>;
  /**
   * Returns calls on a subresource that has the kind of the object: `subresource('status').update(object)`.
   */
  subresource(name: string): SubresourceClient<T>;
}

/** Calls on a subresource. */
export interface SubresourceClient<T extends ApiObject> {
  get(name: string, options?: CallOptions): Promise<DeepReadonly<T>>;
  update(object: DeepReadonly<T>, options?: WriteOptions): Promise<DeepReadonly<T>>;
  patch(name: string, type: PatchType, patch: unknown, options?: WriteOptions): Promise<DeepReadonly<T>>;
  /** Creates a subresource of another kind, such as a token, eviction or binding. */
  create<R extends ApiObject>(name: string, body: R, options?: WriteOptions): Promise<DeepReadonly<R>>;
}
