import type { AnyKind, ApiObject, DeepReadonly, UserInfo } from '../api/kinds/index.ts';
import type { Cancellation, Soon } from '../base/async/index.ts';
import type { WorkBudget } from '../base/budget/index.ts';
import type { HttpRequest } from '../base/http/index.ts';
import type { AuditTrail } from './audit/trail.ts';
import type { KeyRevision } from './storage/storage.ts';

/** What a request asks for, read off its method and path alone (specification 1, sections 4.1, 4.2 and 5.10). */
export interface RequestInfo {
  readonly isResourceRequest: boolean;
  readonly path: string;
  readonly httpMethod: string;
  /** `get`, `list`, `watch`, `create`, …; for other paths the method in lower case. */
  readonly verb: string;
  /** The served group, '' for the core group. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly query: URLSearchParams;
}

/** Conditions of one write on other objects. */
export interface WriteConditions {
  /** Returns the revisions at which they hold. Rejects with 409, which names the object that does not meet them. */
  held(): Promise<readonly KeyRevision[]>;
}

/** Grows as a request passes the stages; each stage reads what those before it found. */
export interface RequestContext {
  /** Replaced by authentication and impersonation: later stages see none of the headers that say who asks. */
  http: HttpRequest;
  readonly info: RequestInfo;
  /** The kind asked for; undefined for paths that are no resource. */
  readonly kind: AnyKind | undefined;
  /** Set by authentication, replaced by impersonation. */
  user: UserInfo;
  /** True if the client put its credential into the request; false for those that browsers add by themselves. */
  explicitCredential?: boolean;
  /** Audiences the credential was valid for. */
  audiences: readonly string[];
  /** `Warning` headers to send, without code and agent. */
  readonly warnings: string[];
  /** The `Audit-ID`. */
  readonly id: string;
  /** What is told about the request for its audit events. */
  readonly audit: AuditTrail;
  /** On every answer, whatever it is; shared. */
  answerHeaders?: Readonly<Record<string, string>> | undefined;
  /** Of a write: what must hold of other objects for it to be carried out. */
  conditions?: WriteConditions | undefined;
  /** Told once a watch has sent what there was when it began. */
  onWatchStarted?: (() => void) | undefined;
  /** Milliseconds that admission has waited for other servers so far. */
  waitedMs?: number;
  /** When its time is up, by the monotonic clock; unset where it has no deadline. */
  dueMs?: number;
  /** Pays for the synchronous work of the request; made by `budgetOf` when a body or a large answer needs it. */
  budget?: WorkBudget;
  /** When it came to the stage it is at, by the monotonic clock. */
  stageMs?: number;
}

/** One way to tell who asks. */
export interface Authenticator {
  readonly name: string;
  /** True if clients put its credential into the request; default false: browsers may add it by themselves. */
  readonly explicit?: boolean;
  /** Undefined: the request carries nothing for this method. Throws `unauthorized` for a credential that is bad. */
  authenticate(request: HttpRequest): Soon<Authenticated | undefined>;
}

/** User that a credential stands for. */
export interface Authenticated {
  readonly user: UserInfo;
  readonly audiences?: readonly string[];
  /** For the audit event of the request: what is notable of the credential, which is never in it. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Checks a bearer token; shared by authentication and TokenReview. `audiences` is empty for the API server's own. */
export interface TokenAuthenticator {
  readonly name: string;
  /** Undefined: not a token of this kind. Throws `unauthorized` for one that is, and is bad. */
  authenticateToken(token: string, audiences: readonly string[]): Promise<Authenticated | undefined>;
}

/** What an authorizer looks at (specification 1, section 5.10, item 3). */
export interface Attributes {
  readonly user: UserInfo;
  readonly verb: string;
  readonly isResourceRequest: boolean;
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** Answer of an authorizer. */
export interface Decision {
  readonly verdict: 'allow' | 'deny' | 'no-opinion';
  readonly reason: string;
  /** Why not all could be asked that should have been: a request that is not allowed then fails by the server's fault. */
  readonly error?: string;
}

/** Decides if a user may do what a request asks for. */
export interface Authorizer {
  readonly name: string;
  authorize(attributes: Attributes): Soon<Decision>;
  /** The rules that hold for a user in a namespace, for SelfSubjectRulesReview. */
  rules?(user: UserInfo, namespace: string): Promise<ResolvedRules>;
}

export interface ResolvedRules {
  readonly resourceRules: readonly {
    readonly verbs: readonly string[];
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly resourceNames: readonly string[];
  }[];
  readonly nonResourceRules: readonly {
    readonly verbs: readonly string[];
    readonly nonResourceURLs: readonly string[];
  }[];
  readonly incomplete: boolean;
  readonly error: string;
}

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** Options of a write as the client sent them, in the form webhooks are shown them: kind, apiVersion, and what was given. */
export interface WriteOptions {
  readonly kind: 'CreateOptions' | 'UpdateOptions' | 'DeleteOptions';
  readonly apiVersion: string;
  readonly [field: string]: unknown;
}

/** What a pass over the mutating plugins knows of the one before it; the same object in both. */
export interface Reinvocation {
  /** Whether this is the second pass. There is never a third. */
  readonly isReinvocation: boolean;
  /** Asks for a second pass over all mutating plugins. Nothing in the second. */
  reinvoke(): void;
  /** What a plugin keeps from the first pass for the second, by its name. */
  readonly kept: Map<string, unknown>;
}

/** One write on its way to the store, or a CONNECT. `object` may be changed by `mutate` alone. */
export interface AdmissionRequest {
  readonly operation: Operation;
  /** The kind of the resource in the path, at the version asked for. */
  readonly kind: AnyKind;
  /** What `object` and `previous` are: `kind`, save at subresources with a kind of their own (Scale, Eviction). */
  readonly requestKind: ObjectKind;
  readonly namespace: string;
  /** '' where it is still to be generated. */
  readonly name: string;
  readonly subresource: string;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** Undefined for DELETE; of CONNECT the options of the connection. */
  readonly object: ApiObject | undefined;
  /** Undefined for CREATE and CONNECT. */
  readonly previous: DeepReadonly<ApiObject> | undefined;
  /** Undefined for CONNECT. */
  readonly options: WriteOptions | undefined;
  readonly warn: (text: string) => void;
  /** As `AuditTrail.annotate`. */
  readonly annotate: AuditTrail['annotate'];
  /** Told how long other servers were waited for; default nobody listens. */
  readonly waited?: ((ms: number) => void) | undefined;
  /** When the request's time is up, by the monotonic clock; default never. */
  readonly dueMs?: number | undefined;
  /**
   * Pays for the synchronous work of the write; default it is free. What a plugin does before it first waits is charged
   * by its caller. Work after that it charges itself, with `charged`, and long work pauses with `WorkBudget.pause`.
   */
  readonly budget?: WorkBudget | undefined;
  /** Set while `mutate` runs. */
  readonly reinvocation: Reinvocation | undefined;
}

/** A write as plugins see it that may only refuse it. */
export type ValidatedRequest = DeepReadonly<Omit<AdmissionRequest, 'budget'>> &
  Pick<AdmissionRequest, 'budget'>;

/** The kind of an object, with the served group. */
export interface ObjectKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** All `mutate` of a chain run before all `validate`. Denial is a thrown `forbidden`. */
export interface AdmissionPlugin {
  readonly name: string;
  readonly operations: readonly Operation[];
  /** Whether it looks at writes of a kind, those of its subresources included; default of every kind. Asked once a kind. */
  concerns?(kind: AnyKind): boolean;
  /** Its time is that of other servers. */
  readonly asksOthers?: boolean;
  /** Whether there is nothing to do at present, whatever is written; asked on every write, so it must cost nothing. */
  isIdle?(): boolean;
  /**
   * Sets in `object` what only the server's state can supply: addresses, ports. Runs after validation by the kind and
   * before `validate`, and again where another writer takes one of these before the write. Returns what restores
   * `object` when the write fails.
   */
  allocate?(request: AdmissionRequest): Soon<(() => void) | undefined>;
  mutate?(request: AdmissionRequest, signal: Cancellation): Soon<void>;
  /** Whether `mutate` may change objects of the kind; default of every kind. */
  mutates?(kind: AnyKind): boolean;
  validate?(request: ValidatedRequest, signal: Cancellation): Soon<void>;
}
