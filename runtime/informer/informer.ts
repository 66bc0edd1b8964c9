import type { ApiObject, DeepReadonly, Kind } from '../../api/kinds/kind.ts';

/** The read side of an informer's cache. Objects are frozen; a lookup copies nothing. */
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

/** Gives out informers, one for each kind and scope, and runs them. */
export interface Informers {
  of<T extends ApiObject>(kind: Kind<T>, scope?: InformerScope): Informer<T>;
  /** Stops the informers of a kind that is served no more. Who asks for it again gets a new one. */
  release(kind: Kind<never>): Promise<void>;
}
