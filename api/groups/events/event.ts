import { fromTime } from '../../../base/clock/index.ts';
import { asCoreEvent } from '../../conversion/events.ts';
import { sameValue } from '../../kinds/carry-over.ts';
import type { DeepReadonly, Strategy } from '../../kinds/kind.ts';
import { type FieldError, type FieldErrors, invalidField, requiredField } from '../../status/field-errors.ts';
import type { Event as CoreEvent } from '../../types/core-v1.ts';
import type { Event } from '../../types/events-v1.ts';
import { IMMUTABLE, validateObjectMeta } from '../../validation/metadata.ts';
import { eventFields, validateEvent } from '../core/event.ts';

type Frozen = DeepReadonly<Event>;
type FrozenCore = DeepReadonly<CoreEvent>;

const isSet = (time: string | undefined): boolean => fromTime(time) !== undefined;

/**
 * Strategy of v1 Events, which has the strictest rules: deprecated fields must be empty, and a series needs
 * at least two occurrences.
 */
export const eventV1Strategy: Strategy<Event> = {
  validate(next, context) {
    const event = asCoreEvent(next);
    return [...validateEvent(event, context, 'reportingController'), ...validateSeries(event)];
  },
  validateCreate: (next) => validateNewEvent(next),
  validateUpdate: (next, previous) => validateChange(asCoreEvent(next), asCoreEvent(previous)),
};

/** Strategy of v1beta1 Events, with the rules of the core group and the field names of the group `events`. */
export const eventV1beta1Strategy: Strategy<Event> = {
  validate: (next, context) => validateEvent(asCoreEvent(next), context, 'reportingController'),
};

/** Checks the rules of `ValidateEventCreate` in Kubernetes 1.24 that `validateEvent` does not check. */
function validateNewEvent(next: Frozen): FieldErrors {
  const event = asCoreEvent(next);
  const errors: FieldError[] = [
    ...validateObjectMeta(event.metadata, { namespaced: true, nameRule: 'subdomain' }),
  ];
  if (!isSet(event.eventTime)) errors.push(requiredField('eventTime'));
  if (event.type !== 'Normal' && event.type !== 'Warning') {
    errors.push(invalidField('type', '', `has invalid value: ${event.type ?? ''}`));
  }
  const unset: readonly [string, boolean][] = [
    ['firstTimestamp', isSet(event.firstTimestamp)],
    ['lastTimestamp', isSet(event.lastTimestamp)],
    ['count', (event.count ?? 0) !== 0],
    ['source', Boolean(event.source?.component || event.source?.host)],
  ];
  for (const [field, given] of unset) if (given) errors.push(invalidField(field, '', 'needs to be unset'));
  return errors;
}

function validateSeries({ series }: FrozenCore): FieldErrors {
  if (series === undefined) return [];
  return [
    ...((series.count ?? 0) < 2 ? [invalidField('series.count', '', 'should be at least 2')] : []),
    ...(isSet(series.lastObservedTime) ? [] : [requiredField('series.lastObservedTime')]),
  ];
}

/** Immutable fields in upstream's order. Only the series of an Event may change. */
const FIXED = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
] as const satisfies readonly (keyof CoreEvent)[];

const validateChange = (next: FrozenCore, previous: FrozenCore): FieldErrors =>
  FIXED.filter((field) => !sameValue(next[field], previous[field])).map((field) =>
    invalidField(field === 'reportingComponent' ? 'reportingController' : field, next[field], IMMUTABLE),
  );

const field =
  (read: (event: FrozenCore) => string) =>
  (event: Frozen): string =>
    read(asCoreEvent(event));

/** Selectable fields of core Events under the field names of the group `events`. */
export const eventV1Fields = {
  'regarding.kind': field(eventFields['involvedObject.kind']),
  'regarding.namespace': field(eventFields['involvedObject.namespace']),
  'regarding.name': field(eventFields['involvedObject.name']),
  'regarding.uid': field(eventFields['involvedObject.uid']),
  'regarding.apiVersion': field(eventFields['involvedObject.apiVersion']),
  'regarding.resourceVersion': field(eventFields['involvedObject.resourceVersion']),
  'regarding.fieldPath': field(eventFields['involvedObject.fieldPath']),
  reason: field(eventFields.reason),
  reportingController: field(eventFields.reportingComponent),
  type: field(eventFields.type),
};
