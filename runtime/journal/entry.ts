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
  /** Another reconcile, in this or another process, handles the changes for which the key was enqueued. */
  | 'covered'
  /** A shared queue may deliver the key twice. */
  | 'repeated'
  /** The controller cannot start, for the reason in the entry. The entry's key is ''. */
  | 'waiting'
  /** The controller has stopped; another process takes over its keys. The entry's key is ''. */
  | 'stopped';

/** The event that enqueued a key. */
export interface JournalCause {
  /** Type of the watch event; `RESYNC` for the periodic resync. */
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'RESYNC';
  /** Resource with its group, such as `jobs.batch`. */
  readonly resource: string;
  /** Key of the object: `namespace/name`, or `name` for a cluster-scoped object. */
  readonly object: string;
  /** Version of the observed object, an opaque string. */
  readonly resourceVersion?: string;
}

/** Target and result of a request by an effect, without the body. */
export interface JournalRequest {
  /**
   * Verb as in authorization, such as `get`, `list` or `create`. For a non-resource path, the method in lower
   * case.
   */
  readonly verb: string;
  /** Resource such as `jobs.batch` or `cronjobs.batch/status`. For a non-resource path, the path. */
  readonly resource: string;
  /** Key of the object: `namespace/name` or `name`. For a collection, `namespace/` or ''. */
  readonly object: string;
  /** HTTP status, or the code of a `ClientError`. */
  readonly code: string;
}

/**
 * Event of one key of one controller. It contains no input or output of an effect and no request body,
 * because they may contain secrets.
 */
export interface JournalEvent {
  readonly kind: JournalKind;
  readonly controller: string;
  readonly key: string;
  /** Identifier of the reconcile within this process; undefined for `enqueued`. */
  readonly reconcileId?: string;
  /**
   * State of the machine with dots, such as `signing.loading`. For `effect.*` and `request`, the effect's
   * name.
   */
  readonly state?: string;
  readonly outcome?: 'settled' | 'requeue' | 'failed';
  /** Reason of the outcome. For `enqueued`, the user who requested it. */
  readonly reason?: string;
  /** Duration in milliseconds. For `enqueued`, the delay. */
  readonly ms?: number;
  readonly error?: string;
  /** Type of the machine's event, such as `xstate.done.actor.observe`. Only for `state`. */
  readonly event?: string;
  /** Watch event that enqueued the key. Only for `enqueued`; undefined without a watch event. */
  readonly cause?: JournalCause;
  /** Target and result of the request. Only for `request`. */
  readonly request?: JournalRequest;
  /** Number of consecutive failures before the reconcile. Only for `reconcile.started`. */
  readonly retries?: number;
  /** Due time of the requeued key, in milliseconds since the epoch. Only for `reconcile.finished`. */
  readonly nextMs?: number;
  /**
   * Number of reconciles directly before this one that ended alike and are no longer kept. Only for
   * `reconcile.finished`.
   */
  readonly repeats?: number;
}

/** A recorded event. */
export interface JournalEntry extends JournalEvent {
  /** Number of the entry; consecutive, from 1. */
  readonly seq: number;
  /** Time in milliseconds since the epoch. */
  readonly atMs: number;
}
