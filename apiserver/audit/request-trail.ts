import type { UserInfo } from '../../api/kinds/index.ts';
import { cloneJson, getOwn, isObject } from '../../api/schema/index.ts';
import type { Status } from '../../api/status/index.ts';
import { toMicroTime } from '../../base/clock/index.ts';
import { type HttpRequest, firstHeader } from '../../base/http/index.ts';
import type { RequestContext } from '../request.ts';
import { withoutManagedFields, withoutToken } from './redaction.ts';
import type { AuditEvent, AuditObjectReference, AuditStage, AuditStatus, AuditUser } from './event.ts';
import type { AuditDecision } from './policy.ts';
import { sourceAddresses } from './source-addresses.ts';
import { type AuditLevel, type AuditTrail, isAtLeast } from './trail.ts';

interface Annotation {
  readonly value: string;
  readonly least: AuditLevel;
}

/** Fields that all events of a request have in common. */
interface Origin {
  readonly requester: UserInfo;
  readonly requestURI: string;
  readonly user: AuditUser;
  readonly sourceIPs: readonly string[];
  readonly userAgent: string;
  readonly received: string;
}

const AGENT_LIMIT = 1024;

type Reference = { -readonly [F in keyof AuditObjectReference]: AuditObjectReference[F] };

/** Audit trail that records what the stages report about one request, and builds the request's events. */
export class RequestTrail implements AuditTrail {
  /** Request as received; the requests that later stages see have no identity headers. */
  readonly #http: HttpRequest;
  readonly #receivedMs: number;
  #annotations: Map<string, Annotation> | undefined;
  #decision: AuditDecision | undefined;
  #reference: Reference | undefined;
  #request: unknown;
  #response: unknown;
  #status: AuditStatus | undefined;
  #origin: Origin | undefined;

  constructor(http: HttpRequest, receivedMs: number) {
    this.#http = http;
    this.#receivedMs = receivedMs;
  }

  get level(): AuditLevel {
    return this.#decision?.level ?? 'None';
  }

  /** True after the policy was evaluated for the request. */
  get begun(): boolean {
    return this.#decision !== undefined;
  }

  /** Sets the level. Records the user before impersonation, and the origin of the request. */
  begin({ info, user }: RequestContext, decision: AuditDecision): void {
    this.#decision = decision;
    if (decision.level === 'None') return;
    this.#origin = originOf(this.#http, user, this.#receivedMs);
    if (!info.isResourceRequest) return;
    const { resource, namespace, name, group, version, subresource } = info;
    this.#reference = { resource, namespace, name, apiGroup: group, apiVersion: version, subresource };
  }

  omits(stage: AuditStage): boolean {
    return this.#decision?.omitStages.has(stage) ?? false;
  }

  annotate(key: string, value: string, least: AuditLevel = 'Metadata'): void {
    if (this.#decision !== undefined && !isAtLeast(this.level, least)) return;
    this.#annotations ??= new Map();
    if (!this.#annotations.has(key)) this.#annotations.set(key, { value, least });
  }

  request(object: unknown, whole: () => unknown = () => cloneJson(object)): void {
    if (this.level === 'None') return;
    this.#complete(object);
    if (isAtLeast(this.level, 'Request')) this.#request ??= this.#kept(whole());
  }

  body(body: unknown): void {
    if (isAtLeast(this.level, 'Request')) this.#request ??= cloneJson(body);
  }

  response(object: unknown): void {
    if (this.level === 'None') return;
    if (isStatus(object)) {
      this.#status = statusOf(object);
      this.#response = undefined;
    }
    if (this.level === 'RequestResponse') this.#response ??= this.#kept(object);
  }

  /** Sets the response code, which replaces the code of the recorded `Status`. */
  answered(code: number): void {
    this.#status = { ...(this.#status ?? { metadata: {} }), code };
  }

  /** Replaces the recorded response status. */
  failed(status: AuditStatus): void {
    this.#status = status;
  }

  /**
   * Builds the event of a stage from the data reported so far. Omits annotations that require a higher level.
   */
  event(context: RequestContext, stage: AuditStage, stageMs: number): AuditEvent {
    if (this.#origin === undefined) throw new Error('no audit event exists before begin() was called');
    const { requester, requestURI, user, sourceIPs, userAgent, received } = this.#origin;
    const annotations = this.#annotationsAt(this.level);
    return {
      level: this.level,
      auditID: context.id,
      stage,
      requestURI,
      verb: context.info.verb,
      user,
      ...(context.user !== requester && { impersonatedUser: userOf(context.user) }),
      ...(sourceIPs.length > 0 && { sourceIPs }),
      ...(userAgent !== '' && { userAgent }),
      ...(this.#reference && { objectRef: filled(this.#reference) }),
      ...(this.#status && { responseStatus: this.#status }),
      ...(this.#request !== undefined && { requestObject: this.#request }),
      ...(this.#response !== undefined && { responseObject: this.#response }),
      requestReceivedTimestamp: received,
      stageTimestamp: stage === 'RequestReceived' ? received : toMicroTime(stageMs),
      ...(annotations && { annotations }),
    };
  }

  /**
   * Fills fields of the object reference that the request path does not determine, from the object's
   * metadata.
   */
  #complete(object: unknown): void {
    const metadata = isObject(object) ? getOwn(object, 'metadata') : undefined;
    const reference = this.#reference;
    if (reference === undefined || !isObject(metadata)) return;
    const textOf = (field: string): string => {
      const text = getOwn(metadata, field);
      return typeof text === 'string' ? text : '';
    };
    reference.namespace ||= textOf('namespace');
    reference.name ||= textOf('name');
    reference.uid ||= textOf('uid');
    reference.resourceVersion ||= textOf('resourceVersion');
  }

  #kept(object: unknown): unknown {
    return this.#decision?.omitManagedFields ? withoutManagedFields(object) : object;
  }

  #annotationsAt(level: AuditLevel): Record<string, string> | undefined {
    if (this.#annotations === undefined) return undefined;
    const wanted = [...this.#annotations].filter(([, { least }]) => isAtLeast(level, least));
    if (wanted.length === 0) return undefined;
    wanted.sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(wanted.map(([key, { value }]) => [key, value]));
  }
}

function originOf(http: HttpRequest, requester: UserInfo, receivedMs: number): Origin {
  return {
    requester,
    requestURI: withoutToken(http.url),
    user: userOf(requester),
    sourceIPs: sourceAddresses(http.headers, http.peer.address),
    userAgent: agentOf(http),
    received: toMicroTime(receivedMs),
  };
}

const isStatus = (object: unknown): object is Status =>
  isObject(object) && object['kind'] === 'Status' && object['apiVersion'] === 'v1';

/** Returns the audited fields of a `Status`. */
export function statusOf({ status, message, reason, details, code }: Partial<Status>): AuditStatus {
  return {
    metadata: {},
    ...(status === undefined ? {} : { status }),
    ...(message === undefined || message === '' ? {} : { message }),
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    ...(code === undefined ? {} : { code }),
  };
}

function userOf({ username, uid = '', groups, extra = {} }: UserInfo): AuditUser {
  return {
    ...(username === '' ? {} : { username }),
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/** Returns a reference without its empty fields. */
const filled = (reference: Reference): AuditObjectReference => ({
  ...(reference.resource ? { resource: reference.resource } : {}),
  ...(reference.namespace ? { namespace: reference.namespace } : {}),
  ...(reference.name ? { name: reference.name } : {}),
  ...(reference.uid ? { uid: reference.uid } : {}),
  ...(reference.apiGroup ? { apiGroup: reference.apiGroup } : {}),
  ...(reference.apiVersion ? { apiVersion: reference.apiVersion } : {}),
  ...(reference.resourceVersion ? { resourceVersion: reference.resourceVersion } : {}),
  ...(reference.subresource ? { subresource: reference.subresource } : {}),
});

function agentOf({ headers }: HttpRequest): string {
  const agent = firstHeader(headers, 'user-agent') ?? '';
  return agent.length > AGENT_LIMIT ? `${agent.slice(0, AGENT_LIMIT)}...TRUNCATED` : agent;
}
