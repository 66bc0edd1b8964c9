/** Kubernetes object as it appears on the wire. */
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

/** A response: its status, and its body if that was JSON. */
export interface WireResponse {
  readonly status: number;
  readonly body?: unknown;
  /** Value of `Retry-After` in seconds. */
  readonly retryAfterSeconds?: number;
}

/** Place of an entry in the history. */
export interface Moment {
  /** Position in the order in which the proxy saw things. */
  readonly seq: number;
  /** Milliseconds since the start of the run. */
  readonly atMs: number;
}

/** Process incarnations are numbered from 1; a crash or an exit ends one. */
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
  /** Content type of the body, such as `application/merge-patch+json`. */
  readonly contentType: string;
  readonly body?: unknown;
  /** Injected fault. */
  readonly fault?: string;
  /** Response of the API server; undefined if the request never reached it. */
  readonly carried?: WireResponse;
  /** Position at which the API server responded. */
  readonly carriedSeq?: number;
  /** Response that the client received; undefined if it received none. */
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

/** Change in the life of the client's process. */
export interface ProcessStep extends Moment {
  readonly type: 'process';
  readonly run: number;
  readonly change: string;
  readonly detail: string;
}

/** Action of the user of the workload. */
export interface UserStep extends Moment {
  readonly type: 'user';
  readonly text: string;
  /** Objects that the user changed. */
  readonly keys: readonly string[];
}

/** Fault that was injected into an event or a watch. */
export interface FaultStep extends Moment {
  readonly type: 'fault';
  readonly text: string;
}

export type WireEntry = WireRequest | WireEvent | ProcessStep | UserStep | FaultStep;

/** A version that the API server stored, from any writer. */
export interface WireVersion extends Moment {
  readonly resource: string;
  readonly object: WireObject;
  /** Revision of the store; greater is newer. */
  readonly revision: number;
  /** True if this version is the removal of the object. */
  readonly deleted: boolean;
}

/** Everything that happened between one client and one API server. */
export interface WireHistory {
  readonly entries: readonly WireEntry[];
  readonly versions: readonly WireVersion[];
}
