import {
  type Infer,
  int32,
  microTime,
  optional,
  ref,
  required,
  string,
  struct,
  time,
  value,
} from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';
import { EventSource, ObjectReference } from './core-v1.ts';
import { ObjectMeta } from './meta-v1.ts';

/** Number and last time of an Event's occurrences. */
export const EventSeries = struct('api.events.v1.EventSeries', {
  count: required(1, int32),
  lastObservedTime: required(2, microTime),
});
export interface EventSeries extends Infer<typeof EventSeries> {}

/** Kind Event: a report of a controller about an object, stored for a limited time. */
export const Event = struct('api.events.v1.Event', {
  ...typeMeta,
  metadata: required(1, ref<ObjectMeta>(ObjectMeta), { lenient: true }),
  eventTime: required(2, microTime),
  series: optional(3, ref<EventSeries>(EventSeries)),
  reportingController: value(4, string),
  reportingInstance: value(5, string),
  action: value(6, string),
  reason: value(7, string),
  regarding: value(8, ref<ObjectReference>(ObjectReference)),
  related: optional(9, ref<ObjectReference>(ObjectReference)),
  note: value(10, string),
  type: value(11, string),
  deprecatedSource: value(12, ref<EventSource>(EventSource)),
  deprecatedFirstTimestamp: value(13, time),
  deprecatedLastTimestamp: value(14, time),
  deprecatedCount: value(15, int32),
});
export interface Event extends Infer<typeof Event> {}
