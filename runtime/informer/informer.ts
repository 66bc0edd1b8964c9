import type { ApiObject, DeepReadonly, Kind } from '../../api/kinds/index.ts';

/**
 * Read access to an informer's cache. Objects are frozen, and lookups do not copy. Before the first list
 * every lookup throws `ERR_CACHE_NOT_FILLED`, because an unfilled cache cannot show that an object does not
 * exist.
 */
export interface Store<T extends ApiObject> {
  /** Looks up an object by `namespace/name`, or `name`. */
  get(key: string): DeepReadonly<T> | undefined;
  list(): readonly DeepReadonly<T>[];
  /** Returns the objects whose index function returned `value`. Throws for an undeclared index. */
  byIndex(index: string, value: string): readonly DeepReadonly<T>[];
  readonly size: number;
}

/** Callbacks for changes of the cache. */
export interface InformerHandler<T extends ApiObject> {
  /** Called for a new or changed object; `previous` is undefined if the object is new to the cache. */
  onApply(object: DeepReadonly<T>, previous: DeepReadonly<T> | undefined): void;
  /** Called with the last known state, which may be older than the deletion. */
  onDelete(object: DeepReadonly<T>): void;
}

/** A cache of one kind that follows the API server, shared by all controllers of a process. */
export interface Informer<T extends ApiObject> {
  readonly kind: Kind<T>;
  readonly store: Store<T>;
  /**
   * Calls `handler` for each cached object and then for each change. Errors of handlers are logged. Returns a
   * function that ends the subscription.
   */
  subscribe(handler: InformerHandler<T>): () => void;
  /** Adds an index, before or after startup. Adding the same name again has no effect. */
  index(name: string, values: (object: DeepReadonly<T>) => readonly string[]): void;
  /** Resolves once the first list is in the cache; rejects with the signal's reason. */
  ready(signal?: AbortSignal): Promise<void>;
  /** True once the first list is in the cache. */
  readonly synced: boolean;
  /**
   * Resolves with true at the first list, with false as soon as the server answers 404 for the resource. The
   * informer keeps retrying, and `ready` resolves once the resource is served.
   */
  served(signal?: AbortSignal): Promise<boolean>;
  /** Last failure; undefined after the next contact with the server. */
  problem(): string | undefined;
  /** Milliseconds since the last event, bookmark or list. */
  silentMs(): number;
}

/** Selection of the objects that an informer caches. */
export interface InformerScope {
  /** Default: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /**
   * True if objects with `metadata` alone are enough, which takes a fraction of the memory. An existing cache
   * of whole objects is used instead. Default false.
   */
  readonly metadataOnly?: boolean;
}

/**
 * A view of the shared informers, one for each kind and scope. Each view holds what is acquired through it.
 * An informer stops when its last holder has released it.
 */
export interface Informers {
  /**
   * Acquires the informer of a kind and scope and starts it. Acquiring it again through this view has no
   * effect.
   */
  of<T extends ApiObject>(kind: Kind<T>, scope?: InformerScope): Informer<T>;
  /**
   * Releases a kind in every scope. Resolves once the informers without other holders have stopped. The kind
   * may be acquired again at any time.
   */
  release(kind: Kind<never>): Promise<void>;
  /** Opens a separate view, for a user with its own start and stop. */
  hold(): InformerHold;
}

/** A view that can be closed. */
export interface InformerHold extends Informers {
  /** Informers held by this view. */
  held(): readonly HeldInformer[];
  /** Releases all informers. After that `of` starts none. */
  close(): Promise<void>;
}

/** An informer without the type of its objects. */
export interface HeldInformer extends Pick<Informer<never>, 'synced' | 'ready'> {
  /** Kind and scope, such as `pods` or `jobs.batch in default`. */
  readonly name: string;
  /** True if a lookup has failed because the cache was not filled. */
  readonly readEarly: boolean;
}
