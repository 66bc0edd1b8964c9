import {
  type Infer,
  boolean,
  int32,
  int64,
  listOf,
  mapOf,
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
import { PersistentVolumeSpec } from './core-v1-persistent-volume.ts';
import { TopologySelectorTerm } from './core-v1-workload.ts';
import { LabelSelector, ObjectMeta } from './meta-v1.ts';

/** Audience and lifetime of a token for a CSI driver. */
export const TokenRequest = struct('api.storage.v1.TokenRequest', {
  audience: required(1, string),
  expirationSeconds: optional(2, int64),
});
export interface TokenRequest extends Infer<typeof TokenRequest> {}

/** Spec of a CSIDriver: its requirements and capabilities. */
export const CSIDriverSpec = struct('api.storage.v1.CSIDriverSpec', {
  attachRequired: optional(1, boolean),
  podInfoOnMount: optional(2, boolean),
  volumeLifecycleModes: value(3, listOf(wordOf('Ephemeral', 'Persistent')), { listType: 'set' }),
  storageCapacity: optional(4, boolean),
  fsGroupPolicy: optional(5, wordOf('File', 'None', 'ReadWriteOnceWithFSType')),
  tokenRequests: value(6, listOf(ref<TokenRequest>(TokenRequest)), { listType: 'atomic' }),
  requiresRepublish: optional(7, boolean),
});
export interface CSIDriverSpec extends Infer<typeof CSIDriverSpec> {}

/** Kind CSIDriver: the properties of the CSI driver with the same name. */
export const CSIDriver = struct('api.storage.v1.CSIDriver', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: required(2, ref<CSIDriverSpec>(CSIDriverSpec)),
});
export interface CSIDriver extends Infer<typeof CSIDriver> {}

/** Maximum number of a driver's volumes that can be attached to a node. */
export const VolumeNodeResources = struct('api.storage.v1.VolumeNodeResources', {
  count: optional(1, int32),
});
export interface VolumeNodeResources extends Infer<typeof VolumeNodeResources> {}

/** A CSI driver on a node. */
export const CSINodeDriver = struct('api.storage.v1.CSINodeDriver', {
  name: required(1, string),
  nodeID: required(2, string),
  topologyKeys: required(3, listOf(string), { lenient: true }),
  allocatable: optional(4, ref<VolumeNodeResources>(VolumeNodeResources)),
});
export interface CSINodeDriver extends Infer<typeof CSINodeDriver> {}

/** Spec of a CSINode: the CSI drivers on the node. */
export const CSINodeSpec = struct('api.storage.v1.CSINodeSpec', {
  drivers: required(1, listOf(ref<CSINodeDriver>(CSINodeDriver)), {
    patchStrategy: ['merge'],
    patchMergeKey: 'name',
  }),
});
export interface CSINodeSpec extends Infer<typeof CSINodeSpec> {}

/** Kind CSINode: the CSI drivers on the node with the same name. */
export const CSINode = struct('api.storage.v1.CSINode', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: required(2, ref<CSINodeSpec>(CSINodeSpec)),
});
export interface CSINode extends Infer<typeof CSINode> {}

/** Kind StorageClass: a class of storage in which volumes are created on demand. */
export const StorageClass = struct('api.storage.v1.StorageClass', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  provisioner: required(2, string),
  parameters: value(3, mapOf(string)),
  reclaimPolicy: optional(4, oneOf('Delete', 'Recycle', 'Retain')),
  mountOptions: value(5, listOf(string)),
  allowVolumeExpansion: optional(6, boolean),
  volumeBindingMode: optional(7, oneOf('Immediate', 'WaitForFirstConsumer')),
  allowedTopologies: value(8, listOf(ref<TopologySelectorTerm>(TopologySelectorTerm)), {
    listType: 'atomic',
  }),
});
export interface StorageClass extends Infer<typeof StorageClass> {}

/** Volume to attach: either a PersistentVolume or an inline volume spec. */
export const VolumeAttachmentSource = struct('api.storage.v1.VolumeAttachmentSource', {
  persistentVolumeName: optional(1, string),
  inlineVolumeSpec: optional(2, ref<PersistentVolumeSpec>(PersistentVolumeSpec)),
});
export interface VolumeAttachmentSource extends Infer<typeof VolumeAttachmentSource> {}

/** Spec of a VolumeAttachment: the volume, the node and the driver. */
export const VolumeAttachmentSpec = struct('api.storage.v1.VolumeAttachmentSpec', {
  attacher: required(1, string),
  source: required(2, ref<VolumeAttachmentSource>(VolumeAttachmentSource)),
  nodeName: required(3, string),
});
export interface VolumeAttachmentSpec extends Infer<typeof VolumeAttachmentSpec> {}

/** The last error of attaching or detaching a volume. */
export const VolumeError = struct('api.storage.v1.VolumeError', {
  time: value(1, time),
  message: value(2, string),
});
export interface VolumeError extends Infer<typeof VolumeError> {}

/** Status of a VolumeAttachment. */
export const VolumeAttachmentStatus = struct('api.storage.v1.VolumeAttachmentStatus', {
  attached: required(1, boolean),
  attachmentMetadata: value(2, mapOf(string)),
  attachError: optional(3, ref<VolumeError>(VolumeError)),
  detachError: optional(4, ref<VolumeError>(VolumeError)),
});
export interface VolumeAttachmentStatus extends Infer<typeof VolumeAttachmentStatus> {}

/** Kind VolumeAttachment: a request to attach a volume to a node. Deleting it detaches the volume. */
export const VolumeAttachment = struct('api.storage.v1.VolumeAttachment', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: required(2, ref<VolumeAttachmentSpec>(VolumeAttachmentSpec)),
  status: value(3, ref<VolumeAttachmentStatus>(VolumeAttachmentStatus)),
});
export interface VolumeAttachment extends Infer<typeof VolumeAttachment> {}

/** Kind CSIStorageCapacity: the free space of a StorageClass in one part of the cluster. */
export const CSIStorageCapacity = struct('api.storage.v1.CSIStorageCapacity', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  nodeTopology: optional(2, ref<LabelSelector>(LabelSelector)),
  storageClassName: required(3, string),
  capacity: optional(4, quantity),
  maximumVolumeSize: optional(5, quantity),
});
export interface CSIStorageCapacity extends Infer<typeof CSIStorageCapacity> {}
