import { type Status, goQuote } from '../../api/status/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { AuditLevel } from './trail.ts';
import { writeJson } from '../../api/schema/index.ts';

/** Stage of a request at which an event is generated. */
export type AuditStage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic';

/** All stages, in the order in which a request reaches them. */
export const AUDIT_STAGES: readonly AuditStage[] = [
  'RequestReceived',
  'ResponseStarted',
  'ResponseComplete',
  'Panic',
];

/** User of an event; empty fields are omitted. */
export interface AuditUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Object of a request; empty fields are omitted. */
export interface AuditObjectReference {
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly apiGroup?: string;
  readonly apiVersion?: string;
  readonly resourceVersion?: string;
  readonly subresource?: string;
}

/** The audited fields of a `Status`. A response of another kind has only `code`. */
export type AuditStatus = { readonly metadata: object } & Partial<
  Pick<Status, 'status' | 'message' | 'reason' | 'details' | 'code'>
>;

/**
 * Audit event of version v1 (https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/). The fields
 * have the order in which they are written. Immutable.
 */
export interface AuditEvent {
  readonly level: AuditLevel;
  readonly auditID: string;
  readonly stage: AuditStage;
  readonly requestURI: string;
  readonly verb: string;
  readonly user: AuditUser;
  readonly impersonatedUser?: AuditUser;
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  readonly objectRef?: AuditObjectReference;
  readonly responseStatus?: AuditStatus;
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
  /** Time in the MicroTime format: RFC 3339 with six fractional digits. */
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** API group of audit events, without the domain suffix that the vocabulary adds. */
export const AUDIT_GROUP = 'audit';

/** API version of audit events. */
export const AUDIT_VERSION = 'v1';

const apiVersionOf = (vocabulary: Vocabulary): string => vocabulary.apiVersion(AUDIT_GROUP, AUDIT_VERSION);

/** Returns an event as one line of JSON with kind and API version. */
export const eventLine = (event: AuditEvent, vocabulary: Vocabulary): string =>
  writeJson({ kind: 'Event', apiVersion: apiVersionOf(vocabulary), ...event });

/** Returns the list of events that a webhook receives. */
export const eventList = (events: readonly AuditEvent[], vocabulary: Vocabulary): object => ({
  kind: 'EventList',
  apiVersion: apiVersionOf(vocabulary),
  metadata: {},
  items: events,
});

const quotedList = (items: readonly string[]): string => items.map(goQuote).join(',');

/** Returns an event as one line in upstream's legacy text format, which omits some fields. */
export function legacyLine(event: AuditEvent): string {
  const { user, impersonatedUser, objectRef, responseStatus } = event;
  const groups = user.username && user.groups?.length ? quotedList(user.groups) : '<none>';
  const asGroups = impersonatedUser?.groups ? quotedList(impersonatedUser.groups) : '<lookup>';
  const fields: readonly (readonly [string, string])[] = [
    ['id', event.auditID],
    ['stage', event.stage],
    ['ip', event.sourceIPs?.[0] ?? '<unknown>'],
    ['method', event.verb],
    ['user', user.username || '<none>'],
    ['groups', groups],
    ['as', impersonatedUser === undefined ? '<self>' : (impersonatedUser.username ?? '')],
    ['asgroups', asGroups],
    ['user-agent', event.userAgent ?? ''],
    ['namespace', objectRef?.namespace || '<none>'],
    ['uri', event.requestURI],
  ];
  const written = fields.map(([name, value]) => `${name}=${goQuote(value)}`).join(' ');
  const response = responseStatus === undefined ? '<deferred>' : String(responseStatus.code ?? 0);
  return `${shortTime(event.requestReceivedTimestamp)} AUDIT: ${written} response="${response}"`;
}

/** Removes trailing zeros of the fraction, as Go formats times. */
const shortTime = (time: string): string => time.replace(/\.?0*Z$/, 'Z');
