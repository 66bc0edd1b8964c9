/** Type of a journal entry. */
export type JournalKind =
  | 'reconcile.started'
  | 'state'
  | 'effect.started'
  | 'effect.done'
  | 'effect.failed'
  | 'request'
  | 'reconcile.finished'
  | 'enqueued'
  /** Another reconcile, here or in another process, covers the changes that the key was enqueued for. */
  | 'covered'
  /** A shared queue may deliver the key twice. */
  | 'repeated'
  /** The controller cannot start, for the given reason; its key is ''. */
  | 'waiting'
  /** The controller has stopped; another process takes over its keys. Its key is ''. */
  | 'stopped';

/** The event that enqueued a key. */
export interface JournalCause {
  /** Type of the watch event; `RESYNC` for the periodic resync. */
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'RESYNC';
  /** Such as `jobs.batch`. */
  readonly resource: string;
  /** `namespace/name`, or `name`. */
  readonly object: string;
  /** Opaque version of the observed object. */
  readonly resourceVersion?: string;
}

/** Target and result of a request made by an effect, without its body. */
export interface JournalRequest {
  /**
   * Verb as in authorization, such as `get`, `list` or `create`; the lower-case method for non-resource
   * paths.
   */
  readonly verb: string;
  /** Such as `jobs.batch` or `cronjobs.batch/status`; the path for non-resource paths. */
  readonly resource: string;
  /** `namespace/name`, `namespace/` for a collection, '' without either. */
  readonly object: string;
  /** HTTP status, or the code of a `ClientError`. */
  readonly code: string;
}

/**
 * An event of one key of one controller. It contains no input or output of an effect and no request body,
 * because these may contain secrets.
 */
export interface JournalEvent {
  readonly kind: JournalKind;
  readonly controller: string;
  readonly key: string;
  /** Identifies the reconcile within this process; absent for `enqueued`. */
  readonly reconcileId?: string;
  /**
   * Dotted state of the machine, such as `signing.loading`; the effect's name for `effect.*` and `request`.
   */
  readonly state?: string;
  readonly outcome?: 'settled' | 'requeue' | 'failed';
  readonly reason?: string;
  /** Duration in milliseconds; for `enqueued` the delay. */
  readonly ms?: number;
  readonly error?: string;
  /** For `state`: type of the machine's event, such as `xstate.done.actor.observe`. */
  readonly event?: string;
  /** For `enqueued`: the watch event, if there was one. */
  readonly cause?: JournalCause;
  /** For `request`. */
  readonly request?: JournalRequest;
  /** For `reconcile.started`: failures in a row before it. */
  readonly retries?: number;
  /** For `reconcile.finished`: time of the requeue, in milliseconds since the epoch. */
  readonly nextMs?: number;
}

/** A recorded event. */
export interface JournalEntry extends JournalEvent {
  /** Consecutive number, from 1. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}
