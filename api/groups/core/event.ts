import { fromTime } from '../../../base/clock/index.ts';
import { translateTimestampSince } from '../../kinds/age.ts';
import { column, nameColumn, wideColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, Strategy, StrategyContext } from '../../kinds/kind.ts';
import { type FieldError, type FieldErrors, invalidField, requiredField } from '../../status/field-errors.ts';
import type { Event, ObjectReference } from '../../types/core-v1.ts';
import { checked } from '../../validation/metadata.ts';
import { isDns1123Subdomain, isQualifiedName } from '../../validation/names.ts';

type Frozen = DeepReadonly<Event>;

const TEXT_LIMIT = 128;
const MESSAGE_LIMIT = 1024;

const atMost = (field: string, text: string | undefined, limit: number): FieldErrors =>
  Buffer.byteLength(text ?? '') > limit
    ? [invalidField(field, '', `can have at most ${limit} characters`)]
    : [];

/**
 * Checks the rules of `legacyValidateEvent` in Kubernetes 1.24. `reporter` is the name of the reporting
 * component's field, which differs in the group `events`.
 */
export function validateEvent(
  event: Frozen,
  { vocabulary }: Pick<StrategyContext, 'vocabulary'>,
  reporter: 'reportingComponent' | 'reportingController' = 'reportingComponent',
): FieldErrors {
  const namespace = event.metadata?.namespace ?? '';
  const microTimed = fromTime(event.eventTime) !== undefined;
  const homes = microTimed ? ['default', vocabulary.namespaces.system] : ['', 'default'];
  return [
    ...validateInvolvedNamespace(event, namespace, microTimed, homes),
    ...(microTimed ? validateReport(event, reporter) : []),
    ...checked('namespace', namespace, isDns1123Subdomain),
  ];
}

/**
 * Validates the namespace of an event: it must be that of the involved object or, for a cluster-scoped
 * object, one of `homes`.
 */
function validateInvolvedNamespace(
  event: Frozen,
  namespace: string,
  microTimed: boolean,
  homes: readonly string[],
): FieldErrors {
  const involved = event.involvedObject?.namespace ?? '';
  const agrees = involved === '' ? homes.includes(namespace) : microTimed || involved === namespace;
  return agrees ? [] : [invalidField('involvedObject.namespace', involved, 'does not match event.namespace')];
}

/** Validates the fields that an event with `eventTime` requires. */
function validateReport(event: Frozen, reporter: string): FieldErrors {
  const { reportingComponent = '', reportingInstance = '', action = '', reason = '' } = event;
  const errors: FieldError[] = [];
  if (reportingComponent === '') errors.push(requiredField(reporter));
  errors.push(...checked(reporter, reportingComponent, isQualifiedName));
  for (const [field, text] of Object.entries({ reportingInstance, action, reason })) {
    if (text === '') errors.push(requiredField(field));
    errors.push(...atMost(field, text, TEXT_LIMIT));
  }
  return [...errors, ...atMost('message', event.message, MESSAGE_LIMIT)];
}

/** Strategy of Events. */
export const eventStrategy: Strategy<Event> = { validate: (event, context) => validateEvent(event, context) };

const objectText = (object: DeepReadonly<ObjectReference> | undefined): string => {
  const kind = (object?.kind ?? '').toLowerCase();
  return object?.name ? `${kind}/${object.name}` : kind;
};

const joined = (...parts: readonly (string | undefined)[]): string => parts.filter(Boolean).join(', ');

const sourceText = (event: Frozen): string =>
  joined(event.source?.component || event.reportingComponent, event.source?.host || event.reportingInstance);

const lastSeen = (event: Frozen, nowMs: number): string =>
  translateTimestampSince(event.series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime, nowMs);

const firstSeen = (event: Frozen, nowMs: number): string =>
  translateTimestampSince(
    fromTime(event.firstTimestamp) === undefined ? event.eventTime : event.firstTimestamp,
    nowMs,
  );

/** Table columns of Events. */
export const eventColumns: readonly Column<Event>[] = [
  column<Event>(
    'Last Seen',
    lastSeen,
    'The time at which the most recent occurrence of this event was recorded.',
  ),
  column<Event>(
    'Type',
    (event) => event.type ?? '',
    'Type of this event (Normal, Warning), new types could be added in the future',
  ),
  column<Event>(
    'Reason',
    (event) => event.reason ?? '',
    "This should be a short, machine understandable string that gives the reason for the transition into the object's current status.",
  ),
  column<Event>(
    'Object',
    (event) => objectText(event.involvedObject),
    'The object that this event is about.',
  ),
  wideColumn<Event>(
    'Subobject',
    (event) => event.involvedObject?.fieldPath ?? '',
    'If referring to a piece of an object instead of an entire object, this string should contain a valid JSON/Go field access statement, such as desiredState.manifest.containers[2]. For example, if the object reference is to a container within a pod, this would take on a value like: "spec.containers{name}" (where "name" refers to the name of the container that triggered the event) or if no container name is specified "spec.containers[2]" (container with index 2 in this pod). This syntax is chosen only to have some well-defined way of referencing a part of an object.',
  ),
  wideColumn<Event>(
    'Source',
    sourceText,
    'The component reporting this event. Should be a short machine understandable string.',
  ),
  column<Event>(
    'Message',
    (event) => (event.message ?? '').trim(),
    'A human-readable description of the status of this operation.',
  ),
  wideColumn<Event>(
    'First Seen',
    firstSeen,
    'The time at which the event was first recorded. (Time of server receipt is in TypeMeta.)',
  ),
  wideColumn<Event>(
    'Count',
    (event) => event.series?.count ?? (event.count || 1),
    'The number of times this event has occurred.',
  ),
  { ...nameColumn, priority: 1 },
];

const involved =
  (field: keyof ObjectReference) =>
  (event: Frozen): string =>
    event.involvedObject?.[field] ?? '';

/** Field selectors of Events. */
export const eventFields = {
  'involvedObject.kind': involved('kind'),
  'involvedObject.namespace': involved('namespace'),
  'involvedObject.name': involved('name'),
  'involvedObject.uid': involved('uid'),
  'involvedObject.apiVersion': involved('apiVersion'),
  'involvedObject.resourceVersion': involved('resourceVersion'),
  'involvedObject.fieldPath': involved('fieldPath'),
  reason: (event: Frozen) => event.reason ?? '',
  reportingComponent: (event: Frozen) => event.reportingComponent ?? '',
  source: (event: Frozen) => event.source?.component || (event.reportingComponent ?? ''),
  type: (event: Frozen) => event.type ?? '',
};
