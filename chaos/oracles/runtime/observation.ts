/** Versions of objects as `uid@resourceVersion`, by `namespace/name` or `name`. */
export type Versions = Readonly<Record<string, string>>;

/** Keys of objects with their versions, by indexed value. */
export type IndexContent = Readonly<Record<string, readonly string[]>>;

/** An observation inside a process that appears neither in its journal nor in the store. */
export type Happening =
  /** The process starts with empty memory. */
  | { readonly type: 'started' }
  /**
   * An informer calls its handlers. `previous` is the version that the informer passes as the state before
   * the change.
   */
  | {
      readonly type: 'notified';
      readonly informer: string;
      readonly change: 'apply' | 'delete';
      readonly key: string;
      readonly version: string;
      readonly previous?: string | undefined;
      /** True if the informer caches only metadata. */
      readonly isMetadataOnly?: boolean;
      /** Other informers of the process that select the object and do not contain it. */
      readonly lacking?: readonly string[];
    }
  | { readonly type: 'bookmark'; readonly informer: string }
  /**
   * The content of a cache in a quiescent world, and that of the server. `differing` is the key of an object
   * whose content differs at the same version.
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
  /** A worker takes a key. `pausedUntilMs` is the end of the latest pause of the process. */
  | {
      readonly type: 'queue.took';
      readonly queue: string;
      readonly key: string;
      readonly pausedUntilMs: number;
    }
  | { readonly type: 'queue.finished'; readonly queue: string; readonly key: string }
  /** A timer of the queue fires. Keys that are due must then be ready. */
  | { readonly type: 'queue.timer'; readonly queue: string }
  | { readonly type: 'queue.stopped'; readonly queue: string }
  /** A write is sent. `identity` is equal for equal requests of one reconcile. */
  | {
      readonly type: 'write.sent';
      readonly identity: string;
      readonly call: string;
      /** Resource version that an update or patch names; undefined if it names none. */
      readonly version?: string | undefined;
    }
  /**
   * An effect sends a request, and receives the response or an error. `effect` contains the reconcile and the
   * name of the effect.
   */
  | { readonly type: 'request.sent' | 'request.ended'; readonly effect: string; readonly call: string }
  /** A list or watch of an informer was answered or not. `call` contains the path without query. */
  | { readonly type: 'fetch.ended'; readonly call: string; readonly isFailure: boolean }
  /** A reconcile sends a read. `call` contains the sender and the path without query. */
  | { readonly type: 'read.sent'; readonly call: string }
  /** The response to an update or patch that names a version has arrived. */
  | {
      readonly type: 'write.answered';
      readonly identity: string;
      readonly call: string;
      readonly version: string;
      readonly status: number;
      /** True if the write did not change the object's version. */
      readonly isIdle: boolean;
    }
  /** A write failed without a response that shows whether it was executed. */
  | {
      readonly type: 'write.unanswered';
      readonly identity: string;
      readonly call: string;
      /**
       * True if the server would reject a second execution, because the write names a version, a uid or a new
       * name.
       */
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
