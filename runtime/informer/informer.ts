import type { ApiObject, DeepReadonly, Kind } from '../../api/kinds/index.ts';

/**
 * Read access to the cache of an informer. Objects are frozen and not copied. Before the first list every
 * lookup throws `ERR_CACHE_NOT_FILLED`, because an unfilled cache cannot prove that an object does not exist.
 */
export interface Store<T extends ApiObject> {
  /** Returns the object with the key `namespace/name`, or `name` for a cluster-scoped object. */
  get(key: string): DeepReadonly<T> | undefined;
  list(): readonly DeepReadonly<T>[];
  /**
   * Returns the objects for which the function of the index returned `value`. Throws for an undeclared index.
   */
  byIndex(index: string, value: string): readonly DeepReadonly<T>[];
  readonly size: number;
}

/** Callbacks for changes of the cache. */
export interface InformerHandler<T extends ApiObject> {
  /** Called for a new or changed object; `previous` is undefined if the object is new to the cache. */
  onApply(object: DeepReadonly<T>, previous: DeepReadonly<T> | undefined): void;
  /** Called for a deleted object with its last known state, which may be older than the deletion. */
  onDelete(object: DeepReadonly<T>): void;
}

/** Cache of one kind that follows the API server. All controllers of a process share it. */
export interface Informer<T extends ApiObject> {
  readonly kind: Kind<T>;
  readonly store: Store<T>;
  /**
   * Calls `handler` for each cached object and then for each change. Errors that the handler throws are
   * logged. Returns a function that ends the subscription.
   */
  subscribe(handler: InformerHandler<T>): () => void;
  /** Adds an index, before or after startup. Has no effect if an index of this name exists. */
  index(name: string, values: (object: DeepReadonly<T>) => readonly string[]): void;
  /** Resolves once the cache contains the first list. Rejects with the signal's reason. */
  ready(signal?: AbortSignal): Promise<void>;
  /** True once the cache contains the first list. */
  readonly synced: boolean;
  /**
   * Resolves to true at the first list, or to false as soon as the server responds with 404 for the resource.
   * After a 404 the informer keeps retrying, and `ready` resolves once the server serves the resource.
   */
  served(signal?: AbortSignal): Promise<boolean>;
  /** Returns the last failure, or undefined after the next contact with the server. */
  problem(): string | undefined;
  /** Returns the milliseconds since the last event, bookmark or list. */
  silentMs(): number;
}

/** Selection of the objects that an informer caches. */
export interface InformerScope {
  /** Namespace of the objects. Default: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /**
   * True if the metadata of the objects is enough, which needs a fraction of the memory. If a cache of whole
   * objects already exists, that cache is used. Default false.
   */
  readonly metadataOnly?: boolean;
}

/**
 * View of the shared informers, which are one for each kind and scope. A view holds the informers that were
 * acquired through it. An informer stops when no view holds it.
 */
export interface Informers {
  /**
   * Acquires the informer of a kind and scope and starts it. Has no effect if this view already holds the
   * informer.
   */
  of<T extends ApiObject>(kind: Kind<T>, scope?: InformerScope): Informer<T>;
  /**
   * Releases the informers of a kind in every scope. Resolves once those without other holders have stopped.
   * The kind may be acquired again at any time.
   */
  release(kind: Kind<never>): Promise<void>;
  /** Opens a separate view, for a user that starts and stops independently. */
  hold(): InformerHold;
}

/** A view that can be closed. */
export interface InformerHold extends Informers {
  /** Returns the informers that this view holds. */
  held(): readonly HeldInformer[];
  /** Releases all informers. Afterwards `of` starts no informer. */
  close(): Promise<void>;
}

/** An informer without the type of its objects. */
export interface HeldInformer extends Pick<Informer<never>, 'synced' | 'ready'> {
  /** Kind and scope, such as `pods` or `jobs.batch in default`. */
  readonly name: string;
  /** True if a lookup has failed because the cache was not filled. */
  readonly readEarly: boolean;
}
