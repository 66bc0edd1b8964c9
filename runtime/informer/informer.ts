import type { ApiObject, DeepReadonly, Kind } from '../../api/kinds/kind.ts';

/**
 * The read side of an informer's cache. Objects are frozen; a lookup copies nothing. Before the first list every lookup
 * throws `ERR_CACHE_NOT_FILLED`: a cache that is not filled knows of no object's absence.
 */
export interface Store<T extends ApiObject> {
  /** By `namespace/name`, or `name`. */
  get(key: string): DeepReadonly<T> | undefined;
  list(): readonly DeepReadonly<T>[];
  /** Objects whose index function gave `value`. Throws for an index that was not declared. */
  byIndex(index: string, value: string): readonly DeepReadonly<T>[];
  readonly size: number;
}

export interface InformerHandler<T extends ApiObject> {
  /** `previous` is undefined for an object that is new to the cache. */
  onApply(object: DeepReadonly<T>, previous: DeepReadonly<T> | undefined): void;
  /** With the last state known, which may be older than the deletion. */
  onDelete(object: DeepReadonly<T>): void;
}

/** A cache of one kind that follows the API server, shared by all controllers of a process. */
export interface Informer<T extends ApiObject> {
  readonly kind: Kind<T>;
  readonly store: Store<T>;
  /** Calls `handler` for everything in the cache now, then for each change. Handlers that throw are reported. */
  subscribe(handler: InformerHandler<T>): () => void;
  /** Adds an index; may be called before or after the start. Adding the same name again has no effect. */
  index(name: string, values: (object: DeepReadonly<T>) => readonly string[]): void;
  /** Resolves when the first list is in the cache. */
  ready(signal?: AbortSignal): Promise<void>;
  readonly synced: boolean;
  /**
   * Whether the server serves the resource: true with the first list, false as soon as the server has said that it
   * serves no such thing. The informer asks on, and `ready` resolves once it comes.
   */
  served(signal?: AbortSignal): Promise<boolean>;
  /** What keeps it from following: the last failure, until the server is heard of again. */
  problem(): string | undefined;
  /** Milliseconds since the server was last heard of (event, bookmark or list). */
  silentMs(): number;
}

export interface InformerScope {
  /** Default all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /**
   * Objects with `metadata` alone, for a fraction of the memory; whole ones where these are in a cache already. Default
   * false.
   */
  readonly metadataOnly?: boolean;
}

/**
 * A view of the shared informers, one for each kind and scope. What is acquired through a view is held by that view
 * alone; an informer stops when its last holder has released it.
 */
export interface Informers {
  /** Acquires the informer of a kind and scope, which starts it; acquiring it again through this view has no effect. */
  of<T extends ApiObject>(kind: Kind<T>, scope?: InformerScope): Informer<T>;
  /**
   * Releases what this view holds of a kind, in every scope. Resolves when the informers that nobody else holds have
   * stopped; acquiring the kind again at any time is safe.
   */
  release(kind: Kind<never>): Promise<void>;
  /** Opens a view of its own, for a user that starts and stops apart from this one. */
  hold(): InformerHold;
}

export interface InformerHold extends Informers {
  /** The informers that this view holds. */
  held(): readonly HeldInformer[];
  /** Releases all of them. From then on `of` starts no informer. */
  close(): Promise<void>;
}

/** What the holder of an informer may ask of it without knowing the type of its objects. */
export interface HeldInformer extends Pick<Informer<never>, 'synced' | 'ready'> {
  /** Kind and scope in words: `pods`, `jobs.batch in default`. */
  readonly name: string;
  /** True if a lookup has failed because the cache was not filled. */
  readonly readEarly: boolean;
}
