import { type Status, goQuote } from '../../api/status/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { AuditLevel } from './trail.ts';
import { writeJson } from '../../api/schema/index.ts';

/** Where a request stands when an event tells of it. */
export type AuditStage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic';

export const AUDIT_STAGES: readonly AuditStage[] = [
  'RequestReceived',
  'ResponseStarted',
  'ResponseComplete',
  'Panic',
];

export interface AuditUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

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

/** A `Status` without what it does not tell; of an answer that is no `Status` the code alone. */
export type AuditStatus = { readonly metadata: object } & Partial<
  Pick<Status, 'status' | 'message' | 'reason' | 'details' | 'code'>
>;

/** One event of version v1, its fields in the order they are written. Never changed once it is made. */
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
  /** Micro-time. */
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** API group of audit events. */
export const AUDIT_GROUP = 'audit';

/** API version of audit events. */
export const AUDIT_VERSION = 'v1';

const apiVersionOf = (vocabulary: Vocabulary): string => vocabulary.apiVersion(AUDIT_GROUP, AUDIT_VERSION);

/** One event as a document of its own, in one line. */
export const eventLine = (event: AuditEvent, vocabulary: Vocabulary): string =>
  writeJson({ kind: 'Event', apiVersion: apiVersionOf(vocabulary), ...event });

/** Events as a webhook is sent them. */
export const eventList = (events: readonly AuditEvent[], vocabulary: Vocabulary): object => ({
  kind: 'EventList',
  apiVersion: apiVersionOf(vocabulary),
  metadata: {},
  items: events,
});

const quotedList = (items: readonly string[]): string => items.map(goQuote).join(',');

/** The old form: one line of text with a part of what the event holds. */
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

/** As Go writes it for people: a fraction without zeros at its end. */
const shortTime = (time: string): string => time.replace(/\.?0*Z$/, 'Z');
