/** Kubernetes object as it is sent over a connection. */
export interface WireObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: WireMetadata;
  readonly [field: string]: unknown;
}

export interface WireMetadata {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly {
    readonly uid?: string;
    readonly kind?: string;
    readonly name?: string;
  }[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** A response: its status code, and its body if the body is JSON. */
export interface WireResponse {
  readonly status: number;
  readonly body?: unknown;
  /** Value of `Retry-After` in seconds. */
  readonly retryAfterSeconds?: number;
}

/** Position and time of an entry in the history. */
export interface Moment {
  /** Position in the order in which the proxy recorded entries and versions. */
  readonly seq: number;
  /** Milliseconds since the start of the run. */
  readonly atMs: number;
}

/**
 * A request of the client. `run` is the incarnation of the client's process, counted from 1; each crash or
 * exit ends one.
 */
export interface WireRequest extends Moment {
  readonly type: 'request';
  readonly run: number;
  readonly verb: string;
  /** Resource with its group, such as `jobs.batch`. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  /** Name in the path; empty for create, list and watch. */
  readonly name: string;
  /** Query parameters that affect the result. */
  readonly query: Readonly<Record<string, string>>;
  /** Content type of the body, such as `application/merge-patch+json`; '' without a body. */
  readonly contentType: string;
  readonly body?: unknown;
  /** Injected fault. */
  readonly fault?: string;
  /** Response of the API server; undefined if the request never reached it. */
  readonly carried?: WireResponse;
  /** Position of the API server's response. */
  readonly carriedSeq?: number;
  /** Response that the client received; undefined if it received no response. */
  readonly delivered?: WireResponse;
  readonly deliveredSeq?: number;
}

/** Event that a watch delivered to the client. */
export interface WireEvent extends Moment {
  readonly type: 'event';
  readonly run: number;
  readonly resource: string;
  readonly event: string;
  readonly object: WireObject;
}

/** Change of the state of the client's process. */
export interface ProcessStep extends Moment {
  readonly type: 'process';
  readonly run: number;
  readonly change: string;
  readonly detail: string;
}

/** Action of the user that the workload simulates. */
export interface UserStep extends Moment {
  readonly type: 'user';
  readonly text: string;
  /** Keys of the objects that the user changed. */
  readonly keys: readonly string[];
}

/** Fault that was injected into a watch event or a watch. */
export interface FaultStep extends Moment {
  readonly type: 'fault';
  readonly text: string;
}

export type WireEntry = WireRequest | WireEvent | ProcessStep | UserStep | FaultStep;

/** A version of an object in the store of the API server, by any writer. */
export interface WireVersion extends Moment {
  readonly resource: string;
  readonly object: WireObject;
  /** Revision of the store; greater is newer. */
  readonly revision: number;
  /** True if this version is the removal of the object. */
  readonly deleted: boolean;
}

/**
 * Record of one run: the entries between one client and one API server, and the versions that the server
 * stored.
 */
export interface WireHistory {
  readonly entries: readonly WireEntry[];
  readonly versions: readonly WireVersion[];
}
