import type { AnyKind, ApiObject, DeepReadonly, UserInfo } from '../api/kinds/index.ts';
import type { Cancellation, Soon } from '../base/async/index.ts';
import type { WorkBudget } from '../base/budget/index.ts';
import type { HttpRequest } from '../base/http/index.ts';
import type { AuditTrail } from './audit/trail.ts';
import type { KeyRevision } from './storage/storage.ts';

/**
 * Resource or path and verb of a request, derived from its method and URL alone
 * (https://github.com/kubernetes/kubernetes/blob/v1.24.0/staging/src/k8s.io/apiserver/pkg/endpoints/request/requestinfo.go).
 */
export interface RequestInfo {
  readonly isResourceRequest: boolean;
  readonly path: string;
  readonly httpMethod: string;
  /**
   * API verb (`get`, `list`, `watch`, `create`, …). For non-resource paths, the HTTP method in lower case.
   */
  readonly verb: string;
  /** Served group; '' for the core group. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly query: URLSearchParams;
}

/** Conditions on other objects that one write requires. */
export interface WriteConditions {
  /**
   * Returns the revisions at which the conditions hold. Rejects with a 409 that names the object that does not meet its
   * condition.
   */
  held(): Promise<readonly KeyRevision[]>;
}

/** State of one request in the pipeline. Each stage adds its results for later stages. */
export interface RequestContext {
  /**
   * The request. Authentication and impersonation replace it by a request without the headers that identify
   * the user, so that no later stage reads them.
   */
  http: HttpRequest;
  readonly info: RequestInfo;
  /** The requested kind. Undefined for non-resource paths. */
  readonly kind: AnyKind | undefined;
  /** The user. Set by authentication, replaced by impersonation. */
  user: UserInfo;
  /**
   * True if the client put its credential into the request. False for credentials that browsers add by
   * themselves.
   */
  explicitCredential?: boolean;
  /** Audiences for which the credential is valid. */
  audiences: readonly string[];
  /** Messages for the `Warning` headers of the response, without code and agent. */
  readonly warnings: string[];
  /** The `Audit-ID` of the request. */
  readonly id: string;
  /** Receives what the audit events of the request contain. */
  readonly audit: AuditTrail;
  /** Headers for the response, whatever its status. Requests share the record, so it must not be changed. */
  responseHeaders?: Readonly<Record<string, string>> | undefined;
  /** Conditions on other objects that must hold for the write to be stored. */
  conditions?: WriteConditions | undefined;
  /** Called when a watch has sent the objects that existed at its start. */
  onWatchStarted?: (() => void) | undefined;
  /** Milliseconds for which admission has waited for other servers. */
  waitedMs?: number;
  /** Deadline on the monotonic clock, in milliseconds. Undefined if the request has no deadline. */
  dueMs?: number;
  /** Work budget of the request. `budgetOf` creates it on first use, as most requests need none. */
  budget?: WorkBudget;
  /** Start of the current filter on the monotonic clock, in milliseconds, for the duration metrics. */
  stageMs?: number;
}

/** One authentication method. */
export interface Authenticator {
  readonly name: string;
  /**
   * True if clients themselves put the credential into the request. Default: false, as browsers may add the
   * credential by themselves.
   */
  readonly explicit?: boolean;
  /**
   * Returns undefined if the request has no credential for this method. Throws `unauthorized` for an invalid
   * credential.
   */
  authenticate(request: HttpRequest): Soon<Authenticated | undefined>;
}

/** Result of a successful authentication. */
export interface Authenticated {
  readonly user: UserInfo;
  readonly audiences?: readonly string[];
  /** Annotations about the credential for the audit event of the request; never the credential itself. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Verifier of bearer tokens, shared by authentication and TokenReview. */
export interface TokenAuthenticator {
  readonly name: string;
  /**
   * Verifies a token. Returns undefined for a token of another kind, and throws `unauthorized` for an invalid
   * one. An empty list of audiences means those of the API server.
   */
  authenticateToken(token: string, audiences: readonly string[]): Promise<Authenticated | undefined>;
}

/**
 * Request attributes that authorizers decide on
 * (https://kubernetes.io/docs/reference/access-authn-authz/authorization/#review-your-request-attributes).
 */
export interface Attributes extends Omit<RequestInfo, 'httpMethod' | 'query'> {
  readonly user: UserInfo;
}

/** Decision of one authorizer. `no-opinion` leaves the decision to the next authorizer. */
export interface Decision {
  readonly verdict: 'allow' | 'deny' | 'no-opinion';
  readonly reason: string;
  /**
   * Reason why part of the policy could not be evaluated. If the request is not allowed, it then fails with
   * 500 instead of 403.
   */
  readonly error?: string;
}

/** One authorization mode, or a combination of several. */
export interface Authorizer {
  readonly name: string;
  authorize(attributes: Attributes): Soon<Decision>;
  /** Returns the rules that apply to a user in a namespace, for SelfSubjectRulesReview. */
  rules?(user: UserInfo, namespace: string): Promise<ResolvedRules>;
}

/**
 * Rules that apply to a user. `incomplete` is true if a mode cannot list its rules; `error` contains the
 * reason.
 */
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

/** Operation that an admission plugin handles. */
export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** Options of a write as webhooks receive them: kind, apiVersion, and the fields that the client sent. */
export interface WriteOptions {
  readonly kind: 'CreateOptions' | 'UpdateOptions' | 'DeleteOptions';
  readonly apiVersion: string;
  readonly [field: string]: unknown;
}

/**
 * State that the mutating plugins share between their first and second run
 * (https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#reinvocation-policy).
 */
export interface Reinvocation {
  /** True in the second run, which is always the last. */
  readonly isReinvocation: boolean;
  /** Requests a second run of all mutating plugins. Has no effect in the second run. */
  reinvoke(): void;
  /** State that each plugin has stored in the first run, by plugin name. */
  readonly kept: Map<string, unknown>;
}

/** A write before it is stored, or a CONNECT. Only `mutate` may change `object`. */
export interface AdmissionRequest {
  readonly operation: Operation;
  /** Kind of the resource in the path, at the requested version. */
  readonly kind: AnyKind;
  /**
   * Kind of `object` and `previous`. It differs from `kind` for subresources with a dedicated kind (Scale,
   * Eviction).
   */
  readonly requestKind: ObjectKind;
  readonly namespace: string;
  /** Name of the object; '' if the server has not generated it yet. */
  readonly name: string;
  readonly subresource: string;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** The new object. Undefined for DELETE. For CONNECT, the options of the connection. */
  readonly object: ApiObject | undefined;
  /** The stored object. Undefined for CREATE and CONNECT. */
  readonly previous: DeepReadonly<ApiObject> | undefined;
  /** Options of the write. Undefined for CONNECT. */
  readonly options: WriteOptions | undefined;
  readonly warn: (text: string) => void;
  /** See `AuditTrail.annotate`. */
  readonly annotate: AuditTrail['annotate'];
  /** Called with the milliseconds spent waiting for another server. Default: not called. */
  readonly waited?: ((ms: number) => void) | undefined;
  /** Deadline of the request on the monotonic clock, in milliseconds. Default: none. */
  readonly dueMs?: number | undefined;
  /**
   * Work budget of the write. Default: unlimited. The caller charges the synchronous part of a plugin, up to
   * its first `await`. A plugin charges its later work by `charged` and pauses long work by
   * `WorkBudget.pause`.
   */
  readonly budget?: WorkBudget | undefined;
  /** State of the run of the mutating plugins. Set only during `mutate`. */
  readonly reinvocation: Reinvocation | undefined;
}

/** Write as `validate` receives it: read-only, except for the budget. */
export type ValidatedRequest = DeepReadonly<Omit<AdmissionRequest, 'budget'>> &
  Pick<AdmissionRequest, 'budget'>;

/** Group, version and kind of an object. `group` is the served group. */
export interface ObjectKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/**
 * Admission plugin. The `mutate` of every plugin runs before the first `validate`. A plugin denies a write by
 * throwing `forbidden`.
 */
export interface AdmissionPlugin {
  readonly name: string;
  readonly operations: readonly Operation[];
  /**
   * True if the plugin handles writes of a kind and of its subresources. Default: true for every kind. Called
   * once for each kind.
   */
  concerns?(kind: AnyKind): boolean;
  /**
   * True if the plugin calls other servers. The time of these calls is then not counted as the plugin's own.
   */
  readonly asksOthers?: boolean;
  /** True if the plugin currently has no work for any write. Called for every write, so it must be cheap. */
  isIdle?(): boolean;
  /**
   * Sets the fields of `object` that depend on the server's state: addresses and ports. Runs after the kind's
   * validation and before `validate`, and again if another writer takes an allocated value before the write.
   * Returns a function that restores `object` if the write fails.
   */
  allocate?(request: AdmissionRequest): Soon<(() => void) | undefined>;
  mutate?(request: AdmissionRequest, signal: Cancellation): Soon<void>;
  /** True if `mutate` may change objects of the kind. Default: true for every kind. */
  mutates?(kind: AnyKind): boolean;
  validate?(request: ValidatedRequest, signal: Cancellation): Soon<void>;
}
