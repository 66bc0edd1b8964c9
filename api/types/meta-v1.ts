import {
  type Infer,
  anything,
  boolean,
  int32,
  int64,
  listOf,
  mapOf,
  optional,
  ref,
  required,
  string,
  struct,
  time,
  value,
  wordOf,
} from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';

/** Fields of an object that one manager set by one operation. */
export const ManagedFieldsEntry = struct('apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry', {
  manager: value(1, string),
  operation: value(2, wordOf('Apply', 'Update')),
  apiVersion: value(3, string),
  time: optional(4, time),
  fieldsType: value(6, string),
  fieldsV1: optional(7, { ...anything, name: 'apimachinery.pkg.apis.meta.v1.FieldsV1' }),
  subresource: value(8, string),
});
export interface ManagedFieldsEntry extends Infer<typeof ManagedFieldsEntry> {}

/** Reference to an owner, which is in the same namespace or cluster-scoped. */
export const OwnerReference = struct(
  'apimachinery.pkg.apis.meta.v1.OwnerReference',
  {
    apiVersion: required(5, string),
    kind: required(1, string),
    name: required(3, string),
    uid: required(4, string),
    controller: optional(6, boolean),
    blockOwnerDeletion: optional(7, boolean),
  },
  { mapType: 'atomic' },
);
export interface OwnerReference extends Infer<typeof OwnerReference> {}

/** Metadata that objects of every kind have. */
export const ObjectMeta = struct('apimachinery.pkg.apis.meta.v1.ObjectMeta', {
  name: value(1, string),
  generateName: value(2, string),
  namespace: value(3, string),
  selfLink: value(4, string),
  uid: value(5, string),
  resourceVersion: value(6, string),
  generation: value(7, int64),
  creationTimestamp: value(8, time),
  deletionTimestamp: optional(9, time),
  deletionGracePeriodSeconds: optional(10, int64),
  labels: value(11, mapOf(string)),
  annotations: value(12, mapOf(string)),
  ownerReferences: value(13, listOf(ref<OwnerReference>(OwnerReference)), {
    patchStrategy: ['merge'],
    patchMergeKey: 'uid',
  }),
  finalizers: value(14, listOf(string), { patchStrategy: ['merge'] }),
  clusterName: value(15, string),
  managedFields: value(17, listOf(ref<ManagedFieldsEntry>(ManagedFieldsEntry))),
});
export interface ObjectMeta extends Infer<typeof ObjectMeta> {}

/** A requirement on one label. */
export const LabelSelectorRequirement = struct('apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement', {
  key: required(1, string, { patchStrategy: ['merge'], patchMergeKey: 'key' }),
  operator: required(2, wordOf('DoesNotExist', 'Exists', 'In', 'NotIn')),
  values: value(3, listOf(string)),
});
export interface LabelSelectorRequirement extends Infer<typeof LabelSelectorRequirement> {}

/**
 * Selector of objects by labels. An object must meet all requirements; an empty selector selects all objects.
 */
export const LabelSelector = struct(
  'apimachinery.pkg.apis.meta.v1.LabelSelector',
  {
    matchLabels: value(1, mapOf(string)),
    matchExpressions: value(2, listOf(ref<LabelSelectorRequirement>(LabelSelectorRequirement))),
  },
  { mapType: 'atomic' },
);
export interface LabelSelector extends Infer<typeof LabelSelector> {}

/** Conditions that an object must meet before it is changed or deleted. */
export const Preconditions = struct('apimachinery.pkg.apis.meta.v1.Preconditions', {
  uid: optional(1, string),
  resourceVersion: optional(2, string),
});
export interface Preconditions extends Infer<typeof Preconditions> {}

/** Options of a deletion. */
export const DeleteOptions = struct('apimachinery.pkg.apis.meta.v1.DeleteOptions', {
  ...typeMeta,
  gracePeriodSeconds: optional(1, int64),
  preconditions: optional(2, ref<Preconditions>(Preconditions)),
  orphanDependents: optional(3, boolean),
  propagationPolicy: optional(4, wordOf('Background', 'Foreground', 'Orphan')),
  dryRun: value(5, listOf(string)),
});
export interface DeleteOptions extends Infer<typeof DeleteOptions> {}

/** Metadata of a list. */
export const ListMeta = struct('apimachinery.pkg.apis.meta.v1.ListMeta', {
  selfLink: value(1, string),
  resourceVersion: value(2, string),
  continue: value(3, string),
  remainingItemCount: optional(4, int64),
});
export interface ListMeta extends Infer<typeof ListMeta> {}

/** Metadata of an object of any kind, without all other fields. */
export const PartialObjectMetadata = struct('apimachinery.pkg.apis.meta.v1.PartialObjectMetadata', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
});
export interface PartialObjectMetadata extends Infer<typeof PartialObjectMetadata> {}

/** One cause of a failed request. */
export const StatusCause = struct('apimachinery.pkg.apis.meta.v1.StatusCause', {
  reason: value(1, string),
  message: value(2, string),
  field: value(3, string),
});
export interface StatusCause extends Infer<typeof StatusCause> {}

/** Details of a failed request. */
export const StatusDetails = struct('apimachinery.pkg.apis.meta.v1.StatusDetails', {
  name: value(1, string),
  group: value(2, string),
  kind: value(3, string),
  uid: value(6, string),
  causes: value(4, listOf(ref<StatusCause>(StatusCause))),
  retryAfterSeconds: value(5, int32),
});
export interface StatusDetails extends Infer<typeof StatusDetails> {}

/** Result of a request whose response is not an object. */
export const Status = struct('apimachinery.pkg.apis.meta.v1.Status', {
  ...typeMeta,
  metadata: value(1, ref<ListMeta>(ListMeta)),
  status: value(2, string),
  message: value(3, string),
  reason: value(4, string),
  details: optional(5, ref<StatusDetails>(StatusDetails)),
  code: value(6, int32),
});
export interface Status extends Infer<typeof Status> {}

/** Options of a create. */
export const CreateOptions = struct('apimachinery.pkg.apis.meta.v1.CreateOptions', {
  ...typeMeta,
  dryRun: value(1, listOf(string)),
  fieldManager: value(3, string),
  fieldValidation: value(4, string),
});
export interface CreateOptions extends Infer<typeof CreateOptions> {}

/** Options of an update. */
export const UpdateOptions = struct('apimachinery.pkg.apis.meta.v1.UpdateOptions', {
  ...typeMeta,
  dryRun: value(1, listOf(string)),
  fieldManager: value(2, string),
  fieldValidation: value(3, string),
});
export interface UpdateOptions extends Infer<typeof UpdateOptions> {}

/** Options of a patch. */
export const PatchOptions = struct('apimachinery.pkg.apis.meta.v1.PatchOptions', {
  ...typeMeta,
  dryRun: value(1, listOf(string)),
  force: optional(2, boolean),
  fieldManager: value(3, string),
  fieldValidation: value(4, string),
});
export interface PatchOptions extends Infer<typeof PatchOptions> {}

/** Condition of an object: one aspect of its state, as a controller last observed it. */
export const Condition = struct('apimachinery.pkg.apis.meta.v1.Condition', {
  type: required(1, string),
  status: required(2, wordOf('False', 'True', 'Unknown')),
  observedGeneration: value(3, int64),
  lastTransitionTime: required(4, time),
  reason: required(5, string),
  message: required(6, string),
});
export interface Condition extends Infer<typeof Condition> {}
