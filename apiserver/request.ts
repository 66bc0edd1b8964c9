import type { AnyKind } from '../api/kinds/scheme.ts';
import type { ApiObject, DeepReadonly, UserInfo } from '../api/kinds/kind.ts';
import type { HttpRequest } from '../base/http/message.ts';

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

/** Grows as a request passes the stages; each stage reads what those before it found. */
export interface RequestContext {
  readonly http: HttpRequest;
  readonly info: RequestInfo;
  /** The kind asked for; undefined for paths that are no resource. */
  readonly kind: AnyKind | undefined;
  /** Set by authentication, replaced by impersonation. */
  user: UserInfo;
  /** Audiences the credential was valid for. */
  audiences: readonly string[];
  /** `Warning` headers to send, without code and agent. */
  readonly warnings: string[];
  /** The `Audit-ID`. */
  readonly id: string;
}

/** One way to tell who asks. */
export interface Authenticator {
  readonly name: string;
  /** Undefined: the request carries nothing for this method. Throws `unauthorized` for a credential that is bad. */
  authenticate(request: HttpRequest): Promise<Authenticated | undefined>;
}

export interface Authenticated {
  readonly user: UserInfo;
  readonly audiences?: readonly string[];
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

export interface Decision {
  readonly verdict: 'allow' | 'deny' | 'no-opinion';
  readonly reason: string;
}

export interface Authorizer {
  readonly name: string;
  authorize(attributes: Attributes): Promise<Decision>;
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

/** One write on its way to the store. `object` may be changed by `mutate` alone. */
export interface AdmissionRequest {
  readonly operation: Operation;
  readonly kind: AnyKind;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** Undefined for DELETE. */
  readonly object: ApiObject | undefined;
  /** Undefined for CREATE and CONNECT. */
  readonly previous: DeepReadonly<ApiObject> | undefined;
  readonly warn: (text: string) => void;
}

/** All `mutate` of a chain run before all `validate`. Denial is a thrown `forbidden`. */
export interface AdmissionPlugin {
  readonly name: string;
  readonly operations: readonly Operation[];
  /** Whether it looks at writes of a kind, those of its subresources included; default of every kind. */
  concerns?(kind: AnyKind): boolean;
  /**
   * Gives a valid object what only the server's state can: addresses, ports. Runs after validation by the kind and
   * before `validate`. May change `object`; returns how to take back what was given, for a write that fails.
   */
  allocate?(request: AdmissionRequest): (() => void) | undefined;
  mutate?(request: AdmissionRequest, signal: AbortSignal): Promise<void>;
  /** Whether `mutate` may change objects of the kind; default of every kind. */
  mutates?(kind: AnyKind): boolean;
  validate?(request: DeepReadonly<AdmissionRequest>, signal: AbortSignal): Promise<void>;
}
