import type { ApiObject, DeepReadonly, Kind } from '../../api/kinds/kind.ts';
import type { AnyKind, Scheme } from '../../api/kinds/scheme.ts';
import type { Clock } from '../../base/clock/clock.ts';
import type { WriteCondition } from './write-condition.ts';

/**
 * A typed client of any compatible API server. Scope is in the call: `namespaced(secrets, 'default').get('x')`,
 * `cluster(nodes).list()`, `all(pods).watch()`. Every refusal is an `ApiError`; a broken connection a `ClientError`.
 */
export interface Client {
  readonly scheme: Scheme;
  namespaced<T extends ApiObject>(kind: Kind<T>, namespace: string): ResourceClient<T>;
  cluster<T extends ApiObject>(kind: Kind<T>): ResourceClient<T>;
  /** The whole collection, across namespaces where the kind has them: list and watch only. */
  all<T extends ApiObject>(kind: Kind<T>): Lister<T>;
  /** A request to any path, for what has no kind (discovery, health) or whose kind is known only at run time. */
  request(request: RawRequest): Promise<RawAnswer>;
  /** `kind` and `apiVersion` of a kind as the server has it: at the version it was asked for last, before that at its own. */
  typeMetaOf(kind: Pick<AnyKind, 'group' | 'version' | 'kind'>): { kind: string; apiVersion: string };
  /** The time by the API server, learned from its answers: for whoever compares times that the server has set. */
  readonly serverClock: Pick<Clock, 'now'>;
  close(): Promise<void>;
}

export interface RawRequest {
  readonly method: string;
  /** Path below the server's base address, with query. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Milliseconds until the request is given up. Default 30 000. */
  readonly timeoutMs?: number;
}

/** A 2xx answer, or the 304 of a request with a condition; any other is thrown as `ApiError`. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: unknown;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** Which objects of a collection, and how much of them. */
export interface ReadOptions extends SelectOptions {
  /** Asks for `metadata` alone; what a server sends besides is dropped. Default false. */
  readonly metadataOnly?: boolean;
}

export interface SelectOptions extends CallOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ListOptions<T = ApiObject> extends ReadOptions {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /** Objects per request. Default 500; 0 asks for all in one answer. */
  readonly pageSize?: number;
  /** Makes each object smaller as it comes, so that the whole of a large list is never held. */
  readonly transform?: (object: DeepReadonly<T>) => DeepReadonly<T>;
}

export interface ListOf<T> {
  readonly resourceVersion: string;
  readonly items: DeepReadonly<T>[];
}

export interface WatchOptions<T = ApiObject> extends ReadOptions {
  /** Start after this version; '' or '0' begin with all existing objects as ADDED. */
  readonly resourceVersion: string;
  readonly allowWatchBookmarks?: boolean;
  /** Seconds after which the server ends the stream. */
  readonly timeoutSeconds?: number;
  /** Called once the server has taken the watch, before its first event. */
  readonly onOpen?: () => void;
  /** Makes each object smaller as it comes. */
  readonly transform?: (object: DeepReadonly<T>) => DeepReadonly<T>;
}

export type WatchEvent<T> = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: DeepReadonly<T>;
};

export interface Lister<T extends ApiObject> {
  /** All objects, page by page, gathered. An expired continuation starts the list again. */
  list(options?: ListOptions<T>): Promise<ListOf<T>>;
  /** Page by page, for callers that need not hold all of it. */
  pages(options?: ListOptions<T>): AsyncIterable<ListOf<T>>;
  /** Ends when the server ends the stream; an ERROR event is thrown as `ApiError`. */
  watch(options: WatchOptions<T>): AsyncIterable<WatchEvent<T>>;
}

/** For writes. */
export interface ConditionOptions extends CallOptions {
  /** What must hold of other objects for the write to be carried out; checked by servers that offer it. Default nothing. */
  readonly while?: readonly WriteCondition[];
}

export interface WriteOptions extends ConditionOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
}

export interface DeleteOptions extends ConditionOptions {
  /** Refused with 409 unless the object is the one the decision was made on. Give both where they are known. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly gracePeriodSeconds?: number;
}

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

export interface Dated<T> {
  readonly object: DeepReadonly<T>;
  /**
   * Milliseconds since the epoch, whole seconds: the `Date` of the answer (RFC 9110, section 6.6.1); `serverClock`'s time
   * where the answer has none.
   */
  readonly serverMs: number;
}

export interface ResourceClient<T extends ApiObject> extends Lister<T> {
  get(name: string, options?: CallOptions & { readonly resourceVersion?: string }): Promise<DeepReadonly<T>>;
  /** The object as it is now, and what time it is by the server: for whoever judges how old it is. */
  getDated(name: string, options?: CallOptions): Promise<Dated<T>>;
  create(object: DeepReadonly<T>, options?: WriteOptions): Promise<DeepReadonly<T>>;
  /** The object's `resourceVersion`, where set, must still be the newest: 409 otherwise. */
  update(object: DeepReadonly<T>, options?: WriteOptions): Promise<DeepReadonly<T>>;
  patch(
    name: string,
    type: PatchType,
    patch: unknown,
    options?: WriteOptions & { readonly force?: boolean },
  ): Promise<DeepReadonly<T>>;
  delete(name: string, options?: DeleteOptions): Promise<void>;
  deleteCollection(options?: SelectOptions & DeleteOptions): Promise<void>;
  /** The same verbs on a subresource that holds the object itself: `subresource('status').update(object)`. */
  subresource(name: string): SubresourceClient<T>;
}

export interface SubresourceClient<T extends ApiObject> {
  get(name: string, options?: CallOptions): Promise<DeepReadonly<T>>;
  update(object: DeepReadonly<T>, options?: WriteOptions): Promise<DeepReadonly<T>>;
  patch(name: string, type: PatchType, patch: unknown, options?: WriteOptions): Promise<DeepReadonly<T>>;
  /** For subresources with a kind of their own (token, eviction, binding). */
  create<R extends ApiObject>(name: string, body: R, options?: WriteOptions): Promise<DeepReadonly<R>>;
}
