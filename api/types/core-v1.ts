import {
  type Infer,
  boolean,
  bytes,
  int32,
  listOf,
  mapOf,
  microTime,
  oneOf,
  optional,
  quantity,
  ref,
  required,
  string,
  struct,
  time,
  value,
  wordOf,
} from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';
import { LocalObjectReference } from './core-v1-shared.ts';
import { ObjectMeta } from './meta-v1.ts';

/** Spec of a Namespace: the finalizers that must be removed before it is deleted. */
export const NamespaceSpec = struct('api.core.v1.NamespaceSpec', {
  finalizers: value(1, listOf(string)),
});
export interface NamespaceSpec extends Infer<typeof NamespaceSpec> {}

/** Condition of a Namespace that is being deleted: a reason why objects remain. */
export const NamespaceCondition = struct('api.core.v1.NamespaceCondition', {
  type: required(1, string),
  status: required(2, wordOf('False', 'True', 'Unknown')),
  lastTransitionTime: value(4, time),
  reason: value(5, string),
  message: value(6, string),
});
export interface NamespaceCondition extends Infer<typeof NamespaceCondition> {}

/** Status of a Namespace: its phase and conditions. */
export const NamespaceStatus = struct('api.core.v1.NamespaceStatus', {
  phase: value(1, oneOf('Active', 'Terminating')),
  conditions: value(2, listOf(ref<NamespaceCondition>(NamespaceCondition)), {
    patchStrategy: ['merge'],
    patchMergeKey: 'type',
  }),
});
export interface NamespaceStatus extends Infer<typeof NamespaceStatus> {}

/** Kind Namespace: a scope of names and permissions. */
export const Namespace = struct('api.core.v1.Namespace', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<NamespaceSpec>(NamespaceSpec)),
  status: value(3, ref<NamespaceStatus>(NamespaceStatus)),
});
export interface Namespace extends Infer<typeof Namespace> {}

/** Kind Secret: confidential data as keys and values, at most 1 MiB. */
export const Secret = struct('api.core.v1.Secret', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  immutable: optional(5, boolean),
  data: value(2, mapOf(bytes)),
  stringData: value(4, mapOf(string)),
  type: value(3, string),
});
export interface Secret extends Infer<typeof Secret> {}

/** Kind ConfigMap: configuration data as keys and values, at most 1 MiB. */
export const ConfigMap = struct('api.core.v1.ConfigMap', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  immutable: optional(4, boolean),
  data: value(2, mapOf(string)),
  binaryData: value(3, mapOf(bytes)),
});
export interface ConfigMap extends Infer<typeof ConfigMap> {}

/** Reference to an object or to a part of it. */
export const ObjectReference = struct(
  'api.core.v1.ObjectReference',
  {
    kind: value(1, string),
    namespace: value(2, string),
    name: value(3, string),
    uid: value(4, string),
    apiVersion: value(5, string),
    resourceVersion: value(6, string),
    fieldPath: value(7, string),
  },
  { mapType: 'atomic' },
);
export interface ObjectReference extends Infer<typeof ObjectReference> {}

/** Kind ServiceAccount: an identity for processes in pods. */
export const ServiceAccount = struct('api.core.v1.ServiceAccount', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  secrets: value(2, listOf(ref<ObjectReference>(ObjectReference)), {
    patchStrategy: ['merge'],
    patchMergeKey: 'name',
  }),
  imagePullSecrets: value(3, listOf(ref<LocalObjectReference>(LocalObjectReference))),
  automountServiceAccountToken: optional(4, boolean),
});
export interface ServiceAccount extends Infer<typeof ServiceAccount> {}

/** Limits and defaults of one type of object in a LimitRange. */
export const LimitRangeItem = struct('api.core.v1.LimitRangeItem', {
  type: required(1, oneOf('Container', 'PersistentVolumeClaim', 'Pod')),
  max: value(2, mapOf(quantity)),
  min: value(3, mapOf(quantity)),
  default: value(4, mapOf(quantity)),
  defaultRequest: value(5, mapOf(quantity)),
  maxLimitRequestRatio: value(6, mapOf(quantity)),
});
export interface LimitRangeItem extends Infer<typeof LimitRangeItem> {}

/** Spec of a LimitRange: limits and defaults by type of object. */
export const LimitRangeSpec = struct('api.core.v1.LimitRangeSpec', {
  limits: required(1, listOf(ref<LimitRangeItem>(LimitRangeItem))),
});
export interface LimitRangeSpec extends Infer<typeof LimitRangeSpec> {}

/** Kind LimitRange: limits and defaults for the resources of objects in a namespace. */
export const LimitRange = struct('api.core.v1.LimitRange', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<LimitRangeSpec>(LimitRangeSpec)),
});
export interface LimitRange extends Infer<typeof LimitRange> {}

/** Number and last time of an Event's occurrences. */
export const EventSeries = struct('api.core.v1.EventSeries', {
  count: value(1, int32),
  lastObservedTime: value(2, microTime),
});
export interface EventSeries extends Infer<typeof EventSeries> {}

/** Component and host that reported an Event. */
export const EventSource = struct('api.core.v1.EventSource', {
  component: value(1, string),
  host: value(2, string),
});
export interface EventSource extends Infer<typeof EventSource> {}

/** Kind Event: a report of a controller about an object, stored for a limited time. */
export const Event = struct('api.core.v1.Event', {
  ...typeMeta,
  metadata: required(1, ref<ObjectMeta>(ObjectMeta)),
  involvedObject: required(2, ref<ObjectReference>(ObjectReference)),
  reason: value(3, string),
  message: value(4, string),
  source: value(5, ref<EventSource>(EventSource)),
  firstTimestamp: value(6, time),
  lastTimestamp: value(7, time),
  count: value(8, int32),
  type: value(9, string),
  eventTime: value(10, microTime),
  series: optional(11, ref<EventSeries>(EventSeries)),
  action: value(12, string),
  related: optional(13, ref<ObjectReference>(ObjectReference)),
  reportingComponent: required(14, string, { lenient: true }),
  reportingInstance: required(15, string, { lenient: true }),
});
export interface Event extends Infer<typeof Event> {}
