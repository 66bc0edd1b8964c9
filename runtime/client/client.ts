import type { AnyKind, ApiObject, DeepReadonly, Kind, Scheme } from '../../api/kinds/index.ts';
import type { Clock } from '../../base/clock/index.ts';

/**
 * A condition on another object, checked atomically with a write. Servers with the feature
 * `ConditionalWrites` answer 409 if it does not hold; others ignore it, see `offersWriteConditions`.
 */
export interface WriteCondition {
  readonly kind: AnyKind;
  /** For a namespaced kind. */
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** For a Lease: `spec.holderIdentity`. */
  readonly holder?: string;
  /** For a Lease: `spec.leaseTransitions`. */
  readonly transitions?: number;
}

/**
 * A typed client of a Kubernetes-compatible API server: `namespaced(secrets, 'default').get('x')`,
 * `cluster(nodes).list()`, `all(pods).watch()`. An error response is thrown as `ApiError`, a failed
 * connection as `ClientError`.
 */
export interface Client {
  readonly scheme: Scheme;
  namespaced<T extends ApiObject>(kind: Kind<T>, namespace: string): ResourceClient<T>;
  cluster<T extends ApiObject>(kind: Kind<T>): ResourceClient<T>;
  /** Lists and watches the whole collection, across all namespaces. */
  all<T extends ApiObject>(kind: Kind<T>): Lister<T>;
  /** Sends a request to any path, such as discovery or health, or for a kind known only at run time. */
  request(request: RawRequest): Promise<RawAnswer>;
  /**
   * Returns `kind` and `apiVersion` as the server last served the kind; before the first request those of
   * `kind`.
   */
  typeMetaOf(kind: Pick<AnyKind, 'group' | 'version' | 'kind'>): { kind: string; apiVersion: string };
  /** The API server's time, derived from its responses; for comparisons with times set by the server. */
  readonly serverClock: Pick<Clock, 'now'>;
  close(): Promise<void>;
}

/** Argument of `Client.request`. */
export interface RawRequest {
  readonly method: string;
  /** Path below the server's base URL, with query. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Time limit in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
}

/** A 2xx response, or a 304 for a conditional request; others are thrown as `ApiError`. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: unknown;
}

/** Options of every call. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** Selects objects of a collection and their fields. */
export interface ReadOptions extends SelectOptions {
  /** True to request `metadata` alone; other fields are dropped. Default false. */
  readonly metadataOnly?: boolean;
}

/** Selects objects of a collection. */
export interface SelectOptions extends CallOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Options of a list. */
export interface ListOptions<T = ApiObject> extends ReadOptions {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /** Objects per request. Default 500; 0 requests all in one response. */
  readonly pageSize?: number;
  /** Reduces each object as it is read, so that a large list is never held in full. */
  readonly transform?: (object: DeepReadonly<T>) => DeepReadonly<T>;
}

/** One page, or a whole list. */
export interface ListOf<T> {
  readonly resourceVersion: string;
  readonly items: DeepReadonly<T>[];
}

/** Options of a watch. */
export interface WatchOptions<T = ApiObject> extends ReadOptions {
  /** Starts after this version; '' or '0' starts with an ADDED event for each existing object. */
  readonly resourceVersion: string;
  readonly allowWatchBookmarks?: boolean;
  /** Seconds after which the server ends the stream. */
  readonly timeoutSeconds?: number;
  /** Called once the server has accepted the watch, before its first event. */
  readonly onOpen?: () => void;
  /** Reduces each object as it is read. */
  readonly transform?: (object: DeepReadonly<T>) => DeepReadonly<T>;
}

/** An event of a watch; ERROR events are thrown. */
export type WatchEvent<T> = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: DeepReadonly<T>;
};

/** Read calls on a collection. */
export interface Lister<T extends ApiObject> {
  /** Returns all objects, read page by page. An expired continue token restarts the list. */
  list(options?: ListOptions<T>): Promise<ListOf<T>>;
  /** Returns the pages one by one, for callers that do not need all objects at once. */
  pages(options?: ListOptions<T>): AsyncIterable<ListOf<T>>;
  /** Ends when the server ends the stream; an ERROR event is thrown as `ApiError`. */
  watch(options: WatchOptions<T>): AsyncIterable<WatchEvent<T>>;
}

/** Options of conditional writes. */
export interface ConditionOptions extends CallOptions {
  /** Conditions on other objects, checked by servers that support them. Default none. */
  readonly while?: readonly WriteCondition[];
}

/** Options of a create, update or patch. */
export interface WriteOptions extends ConditionOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
}

/** Options of a delete. */
export interface DeleteOptions extends ConditionOptions {
  /** The server answers 409 unless the object matches. Pass both if they are known. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly gracePeriodSeconds?: number;
}

/** Format of a patch. */
export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

/** An object with the server's time. */
export interface Dated<T> {
  readonly object: DeepReadonly<T>;
  /**
   * Milliseconds since the epoch, in whole seconds: the `Date` of the response (RFC 9110, section 6.6.1),
   * otherwise `serverClock`'s time.
   */
  readonly serverMs: number;
}

/** Calls on one kind in one scope. */
export interface ResourceClient<T extends ApiObject> extends Lister<T> {
  get(name: string, options?: CallOptions & { readonly resourceVersion?: string }): Promise<DeepReadonly<T>>;
  /** Returns the object and the server's time, for callers that compute its age. */
  getDated(name: string, options?: CallOptions): Promise<Dated<T>>;
  create(object: DeepReadonly<T>, options?: WriteOptions): Promise<DeepReadonly<T>>;
  /** Replaces the object. The server answers 409 if its `resourceVersion` is set and not the latest. */
  update(object: DeepReadonly<T>, options?: WriteOptions): Promise<DeepReadonly<T>>;
  patch(
    name: string,
    type: PatchType,
    patch: unknown,
    options?: WriteOptions & { readonly force?: boolean },
  ): Promise<DeepReadonly<T>>;
  delete(name: string, options?: DeleteOptions): Promise<void>;
  deleteCollection(options?: SelectOptions & DeleteOptions): Promise<void>;
  /** Returns calls on a subresource of the object's own kind: `subresource('status').update(object)`. */
  subresource(name: string): SubresourceClient<T>;
}

/** Calls on a subresource. */
export interface SubresourceClient<T extends ApiObject> {
  get(name: string, options?: CallOptions): Promise<DeepReadonly<T>>;
  update(object: DeepReadonly<T>, options?: WriteOptions): Promise<DeepReadonly<T>>;
  patch(name: string, type: PatchType, patch: unknown, options?: WriteOptions): Promise<DeepReadonly<T>>;
  /** Creates a subresource of another kind (token, eviction, binding). */
  create<R extends ApiObject>(name: string, body: R, options?: WriteOptions): Promise<DeepReadonly<R>>;
}
