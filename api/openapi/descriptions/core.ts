import { CONDITION } from './shared.ts';
import type { Descriptions } from './texts.ts';

/** Descriptions of the types of the core group that no other file describes. */
export const core = (): Descriptions => ({
  ComponentCondition: {
    '': 'State of a component.',
    error: 'Error code of the check.',
    message: 'Response of the check.',
    status: '`True` if healthy, `False` if not, `Unknown` if that is undetermined.',
    type: '`Healthy`.',
  },
  ComponentStatus: {
    '': 'Deprecated; health of a component of the control plane.',
    conditions: 'Result of the check.',
  },
  ConfigMap: {
    '': 'Configuration for pods as keys and values, 1 MiB at most.',
    binaryData: 'Values that are not UTF-8 text, as base64; keys must not be in `data` too.',
    data: 'Values that are text; keys hold letters, digits, `-`, `_` and `.`.',
    immutable: 'True forbids changes of the data; it cannot be reset.',
  },
  Event: {
    '': 'Something that a controller did or saw, kept for a limited time.',
    action: 'Action that was done or failed, such as `Binding`.',
    count: 'Number of occurrences.',
    eventTime: 'When it first happened, to the microsecond.',
    firstTimestamp: 'When it first happened.',
    involvedObject: "Object the event is about; in the event's namespace.",
    lastTimestamp: 'When it last happened.',
    message: 'Description of the event for people.',
    metadata: 'Name, namespace, labels and what else every object has.',
    reason: 'Why, as one word for programs.',
    related: 'A second object that took part.',
    reportingComponent: 'Name of the controller, such as `example.com/controller`.',
    reportingInstance: 'Instance of the controller.',
    series: 'Number of occurrences so far; unset for a single event.',
    source: 'Component that reported it.',
    type: '`Normal` or `Warning`; others may follow.',
  },
  EventSeries: {
    '': 'Repetitions of an event.',
    count: 'Number of occurrences so far.',
    lastObservedTime: 'When it was last seen.',
  },
  EventSource: {
    '': 'Reporter of an event.',
    component: 'Component that reported it.',
    host: 'Node it was reported from.',
  },
  LimitRange: {
    '': 'Bounds and defaults for the resources of objects in a namespace.',
    spec: 'The bounds and defaults.',
  },
  LimitRangeItem: {
    '': 'Bounds and defaults for one type of object.',
    default: 'Limits of containers that have none, by resource.',
    defaultRequest: 'Requests of containers that have none, by resource.',
    max: 'Most that a limit may be, by resource.',
    maxLimitRequestRatio: 'Most that a limit may be as a multiple of the request, by resource.',
    min: 'Least that a request may be, by resource.',
    type: '`Container`, `Pod` or `PersistentVolumeClaim`.',
  },
  LimitRangeSpec: {
    '': 'Bounds and defaults by type of object.',
    limits: 'The bounds; all of them hold.',
  },
  LocalObjectReference: {
    '': 'An object of the same namespace, its kind being known.',
    name: 'Name of the object.',
  },
  Namespace: {
    '': 'A part of the cluster with separate names and permissions.',
    spec: 'Work that must end before the namespace is deleted.',
    status: 'State of the namespace: in use or ending.',
  },
  NamespaceCondition: {
    '': 'One kind of work that remains while a namespace ends.',
    ...CONDITION,
    type: 'Such as `NamespaceContentRemaining` or `NamespaceDeletionDiscoveryFailure`.',
  },
  NamespaceSpec: {
    '': 'Work that must end before a namespace is deleted.',
    finalizers: 'Outstanding work; the server adds an entry, and `finalize` removes entries.',
  },
  NamespaceStatus: {
    '': 'State of a namespace: in use or ending.',
    conditions: 'Work that remains while it ends, one entry of each type.',
    phase: '`Active`, or `Terminating` once it is deleted, when nothing can be created in it.',
  },
  ObjectReference: {
    '': 'An object, or a part of it.',
    apiVersion: "Group and version of the object's kind.",
    fieldPath: 'Part of the object that is meant, such as `spec.containers{web}`.',
    kind: 'Kind of the object.',
    name: 'Name of the object.',
    namespace: 'Namespace of the object.',
    resourceVersion: 'Version of the object that is meant.',
    uid: 'Identity of the object.',
  },
  ResourceQuota: {
    '': 'Limits what a namespace may use in total.',
    spec: 'The limits.',
    status: 'Limits and use.',
  },
  ResourceQuotaSpec: {
    '': 'Limits for a namespace.',
    hard: 'Most that may be used, by name such as `requests.cpu` or `count/jobs.batch`.',
    scopeSelector: 'Objects that count, by expressions over scopes.',
    scopes: 'Scopes that an object must all be in to count; empty means every object.',
  },
  ResourceQuotaStatus: {
    '': 'Limits and usage of a namespace.',
    hard: 'Limits as the controller last enforced them.',
    used: 'Current use by name.',
  },
  ScopeSelector: {
    '': 'Chooses objects by their scopes.',
    matchExpressions: 'Requirements that must all hold.',
  },
  ScopedResourceSelectorRequirement: {
    '': 'A requirement on one scope.',
    operator: 'Relation of the scope to `values`; all scopes but `PriorityClass` allow only `Exists`.',
    scopeName: 'Name of the scope, such as `Terminating` or `BestEffort`.',
    values: 'At least one for `In` and `NotIn`, none for the other operators.',
  },
  Secret: {
    '': 'Confidential data for pods as keys and values, 1 MiB at most.',
    data: 'The values as base64; keys hold letters, digits, `-`, `_` and `.`.',
    immutable: 'True forbids changes of the data; it cannot be reset.',
    stringData: 'Values as plain text; written into `data` and never read back.',
    type: 'Purpose of the data, which determines its mandatory keys; default `Opaque`, immutable.',
  },
  SecretReference: {
    '': 'A Secret in any namespace.',
    name: 'Name of the Secret.',
    namespace: 'Namespace of the Secret.',
  },
  ServiceAccount: {
    '': 'An identity for processes in pods.',
    automountServiceAccountToken:
      "True if pods get a token of the account; default true, and the pod's setting takes precedence.",
    imagePullSecrets: 'Secrets with credentials for registries, used by pods that name none.',
    secrets: 'Secrets with tokens of the account, and those its pods may use where that is enforced.',
  },
  TypedLocalObjectReference: {
    '': 'An object of the same namespace, of any kind.',
    apiGroup: 'Group of the object; unset means the core group.',
    kind: 'Kind of the object.',
    name: 'Name of the object.',
  },
});
