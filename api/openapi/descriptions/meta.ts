import { CONDITION } from './shared.ts';
import type { Descriptions } from './texts.ts';

/** Descriptions of the group `meta`. */
export const meta = (): Descriptions => ({
  Condition: {
    '': "One aspect of an object's state, as its controller last saw it.",
    ...CONDITION,
    observedGeneration: 'Value of `metadata.generation` that the condition was computed from.',
    type: "Name of the aspect in CamelCase, unique among the object's conditions.",
  },
  DeleteOptions: {
    '': 'Options of a deletion.',
    dryRun: '`All` checks the deletion without carrying it out.',
    gracePeriodSeconds:
      "Seconds the object may take to end; 0 deletes at once, unset means the kind's default.",
    orphanDependents: 'Deprecated in favour of `propagationPolicy`; true leaves dependents in place.',
    preconditions: 'Conditions of the deletion; it fails with a conflict if they do not hold.',
    propagationPolicy: 'Treatment of dependents: deleted first, deleted afterwards, or left as orphans.',
  },
  LabelSelector: {
    '': 'Selects objects by their labels; all requirements must hold, and an empty selector selects everything.',
    matchExpressions: 'Requirements with operators; each of them must hold.',
    matchLabels: 'Labels an object must have with exactly these values.',
  },
  LabelSelectorRequirement: {
    '': 'A requirement on one label.',
    key: 'Label the requirement is about.',
    operator: 'Relation of the label to `values`; `Exists` and `DoesNotExist` consider only the key.',
    values: 'At least one value for `In` and `NotIn`, none for the other operators.',
  },
  ListMeta: {
    '': 'Metadata of a list.',
    continue: 'Token that asks for the next page; empty on the last one, and of no use after some minutes.',
    remainingItemCount: 'Number of objects after this page; unset when selectors make it unknown.',
    resourceVersion: 'Version of the collection at the time of the list; a watch continues from it.',
    selfLink: 'Deprecated and no longer filled in.',
  },
  ManagedFieldsEntry: {
    '': 'The fields that one manager set in one way.',
    apiVersion: 'Version of the API that the field paths are written in.',
    fieldsType: 'Format of the paths; `FieldsV1` is the only one.',
    fieldsV1: 'Set of field paths as a tree, with keys that begin with `f:`, `k:` and `v:`.',
    manager: 'Name of the client or controller that set the fields.',
    operation: '`Apply` for server-side apply, `Update` for every other write.',
    subresource: 'Subresource the fields were written through; empty for the object itself.',
    time: 'When the entry last changed, in UTC.',
  },
  ObjectMeta: {
    '': 'Identity of an object and the data that every kind has in common.',
    annotations: 'Data of tools and people, not to be selected by; 256 KiB at most in total.',
    clusterName: 'Deprecated; the server ignores it.',
    creationTimestamp:
      'CreationTimestamp is a timestamp of when the server stored the object first, in UTC; read-only.',
    deletionGracePeriodSeconds:
      'Seconds between the request to delete and the removal; it can only become shorter.',
    deletionTimestamp:
      'Time by which the object is to be deleted; set by a deletion that has to wait, and final.',
    finalizers: 'Work still to be done before the object is removed; each owner takes out its own entry.',
    generateName:
      'Prefix of a name that the server completes with five random characters when `name` is empty.',
    generation:
      'Counts the changes of the desired state, that is of everything except metadata and status; read-only.',
    labels: 'Keys and values of at most 63 characters that selectors choose the object by.',
    managedFields: 'Owners of the fields, which the server tracks for conflicts of server-side apply.',
    name: 'Unique among objects of the kind in the namespace; immutable.',
    namespace: 'Namespace of the object; empty for cluster-scoped kinds, immutable.',
    ownerReferences: 'Objects this one depends on; it is collected as garbage once none of them exists.',
    resourceVersion:
      'Opaque version of the stored object; an update that names an older one fails with a conflict.',
    selfLink: 'Deprecated and no longer filled in.',
    uid: 'Tells the object from any other of the same name, earlier or later; read-only.',
  },
  OwnerReference: {
    '': 'An object that another one depends on, in the same namespace or of the whole cluster.',
    apiVersion: "Group and version of the owner's kind.",
    blockOwnerDeletion:
      'True keeps the owner, when deleted in the foreground, until this dependent is deleted.',
    controller: 'True for the one owner that manages the dependent.',
    kind: 'Kind of the owner.',
    name: 'Name of the owner.',
    uid: 'Identity of the owner; one of the same name with another uid is not the owner.',
  },
  Preconditions: {
    '': 'Conditions on an object before it is changed or deleted.',
    resourceVersion: 'Version the stored object must be at.',
    uid: 'Identity the stored object must have.',
  },
  Status: {
    '': 'Outcome of a request that does not answer with an object.',
    code: 'HTTP status code; 0 when unknown.',
    details: 'Details of the reason: the object, single causes, the time of the next attempt.',
    message: 'The outcome in words for people.',
    metadata: 'Resource version, where the outcome has one.',
    reason: 'Why the request failed, as one word for programs, such as `NotFound`.',
    status: '`Success` or `Failure`.',
  },
  StatusCause: {
    '': 'One of the causes of a failure.',
    field: 'Path of the field the cause is about, such as `spec.containers[0].image`.',
    message: 'The cause in words for people.',
    reason: 'Kind of cause as one word for programs, such as `FieldValueRequired`.',
  },
  StatusDetails: {
    '': 'Details of a failure.',
    causes: 'Single causes, for example every field that is invalid.',
    group: 'API group of the object.',
    kind: 'Kind or resource of the object.',
    name: 'Name of the object, or the requested name if the kind is unknown.',
    retryAfterSeconds: 'Seconds to wait before the request is worth repeating.',
    uid: 'Identity of the object, when there is one.',
  },
});
