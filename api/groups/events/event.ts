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

/** The strictest event there is: what is deprecated stays empty, and a series has begun when there is one. */
export const eventV1Strategy: Strategy<Event> = {
  validate(next, context) {
    const event = asCoreEvent(next);
    return [...validateEvent(event, context, 'reportingController'), ...validateSeries(event)];
  },
  validateCreate: (next) => validateNewEvent(next),
  validateUpdate: (next, previous) => validateChange(asCoreEvent(next), asCoreEvent(previous)),
};

/** As lenient as the core group, in the words of this group. */
export const eventV1beta1Strategy: Strategy<Event> = {
  validate: (next, context) => validateEvent(asCoreEvent(next), context, 'reportingController'),
};

/** Release 1.24, the second half of `ValidateEventCreate`. */
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

/** In upstream's order. Only the series of an event goes on. */
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

/** Those of the core group under the names of this one. */
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
