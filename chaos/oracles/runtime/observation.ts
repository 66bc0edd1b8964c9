/** Versions of objects as `uid@resourceVersion`, by `namespace/name` or `name`. */
export type Versions = Readonly<Record<string, string>>;

/** Keys of objects with their versions, by indexed value. */
export type IndexContent = Readonly<Record<string, readonly string[]>>;

/** Something that happens inside a process, which neither its journal nor the store shows. */
export type Happening =
  /** The process starts with empty memory. */
  | { readonly type: 'started' }
  /** An informer calls its handlers; `previous` is what it calls the state before the change. */
  | {
      readonly type: 'notified';
      readonly informer: string;
      readonly change: 'apply' | 'delete';
      readonly key: string;
      readonly version: string;
      readonly previous?: string | undefined;
      /** True if the informer caches metadata alone. */
      readonly isMetadataOnly?: boolean;
      /** Other informers of the process that select the object and do not contain it yet. */
      readonly lacking?: readonly string[];
    }
  | { readonly type: 'bookmark'; readonly informer: string }
  /**
   * The content of a cache in a quiescent world, and that of the server; `differing` is an object of the same
   * version with other content.
   */
  | {
      readonly type: 'cache';
      readonly informer: string;
      readonly cached: Versions;
      readonly server: Versions;
      readonly differing?: string | undefined;
    }
  /** An index in a quiescent world, and its recomputation from the cached objects. */
  | {
      readonly type: 'index';
      readonly informer: string;
      readonly index: string;
      readonly kept: IndexContent;
      readonly recomputed: IndexContent;
    }
  /** A queue starts to take keys. */
  | { readonly type: 'queue.started'; readonly queue: string; readonly workers: number }
  | {
      readonly type: 'queue.added';
      readonly queue: string;
      readonly key: string;
      /** Delay in milliseconds; at most 0 for an immediate add. */
      readonly delayMs: number;
    }
  /** A worker takes a key; `pausedUntilMs` is the end of the latest pause of the process. */
  | {
      readonly type: 'queue.took';
      readonly queue: string;
      readonly key: string;
      readonly pausedUntilMs: number;
    }
  | { readonly type: 'queue.finished'; readonly queue: string; readonly key: string }
  /** A timer of the queue fires, after which the keys that are due have been added. */
  | { readonly type: 'queue.timer'; readonly queue: string }
  | { readonly type: 'queue.stopped'; readonly queue: string }
  /** A write is sent. `identity` is equal for equal requests of one reconcile. */
  | {
      readonly type: 'write.sent';
      readonly identity: string;
      readonly call: string;
      /** Resource version of an update or patch that names one. */
      readonly version?: string | undefined;
    }
  /** A reconcile reads; `call` names the sender and the path without query. */
  | { readonly type: 'read.sent'; readonly call: string }
  /** An update or patch that names a version is answered. */
  | {
      readonly type: 'write.answered';
      readonly identity: string;
      readonly call: string;
      readonly version: string;
      readonly status: number;
      /** True if the object has the same version as before. */
      readonly isIdle: boolean;
    }
  /** A write that may have been carried out has failed without an answer that says so. */
  | {
      readonly type: 'write.unanswered';
      readonly identity: string;
      readonly call: string;
      /** True if a second execution would be refused, because it names a version, a uid or a new name. */
      readonly isConditional: boolean;
    }
  /** A write of an effect has ended; `code` is the status, or the code of the client's error. */
  | {
      readonly type: 'write.ended';
      readonly controller: string;
      readonly key: string;
      readonly reconcileId: string;
      readonly method: string;
      readonly path: string;
      readonly code: string;
    }
  /** The world is quiescent. */
  | { readonly type: 'quiescent'; readonly pausedUntilMs: number };

export type HappeningType = Happening['type'];

/** A happening with its process and its time on the timeline in milliseconds. */
export type Observation = Happening & { readonly process: string; readonly atMs: number };

/** An observation of one type. */
export type ObservationOf<Type extends HappeningType> = Extract<Observation, { readonly type: Type }>;
