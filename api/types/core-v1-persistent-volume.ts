import {
  type Infer,
  boolean,
  inline,
  int32,
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
import { ObjectReference } from './core-v1.ts';
import { NodeSelector } from './core-v1-pod.ts';
import { PersistentVolumeClaimSpec } from './core-v1-volume.ts';
import { HostPathVolumeSource } from './core-v1-volume-files.ts';
import {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  FCVolumeSource,
  FlockerVolumeSource,
  GCEPersistentDiskVolumeSource,
  NFSVolumeSource,
  PhotonPersistentDiskVolumeSource,
  PortworxVolumeSource,
  QuobyteVolumeSource,
  VsphereVirtualDiskVolumeSource,
} from './core-v1-volume-storage.ts';
import { SecretReference } from './core-v1-workload.ts';
import { ObjectMeta } from './meta-v1.ts';

/** Volume source: a share of Azure Files. */
export const AzureFilePersistentVolumeSource = struct('api.core.v1.AzureFilePersistentVolumeSource', {
  secretName: required(1, string),
  shareName: required(2, string),
  readOnly: value(3, boolean),
  secretNamespace: required(4, string, { lenient: true, nullable: true }),
});
export interface AzureFilePersistentVolumeSource extends Infer<typeof AzureFilePersistentVolumeSource> {}

/** Volume source: a volume of a CSI driver. */
export const CSIPersistentVolumeSource = struct('api.core.v1.CSIPersistentVolumeSource', {
  driver: required(1, string),
  volumeHandle: required(2, string),
  readOnly: value(3, boolean),
  fsType: value(4, string),
  volumeAttributes: value(5, mapOf(string)),
  controllerPublishSecretRef: optional(6, ref<SecretReference>(SecretReference)),
  nodeStageSecretRef: optional(7, ref<SecretReference>(SecretReference)),
  nodePublishSecretRef: optional(8, ref<SecretReference>(SecretReference)),
  controllerExpandSecretRef: optional(9, ref<SecretReference>(SecretReference)),
});
export interface CSIPersistentVolumeSource extends Infer<typeof CSIPersistentVolumeSource> {}

/** Volume source: a CephFS file system. */
export const CephFSPersistentVolumeSource = struct('api.core.v1.CephFSPersistentVolumeSource', {
  monitors: required(1, listOf(string)),
  path: value(2, string),
  user: value(3, string),
  secretFile: value(4, string),
  secretRef: optional(5, ref<SecretReference>(SecretReference)),
  readOnly: value(6, boolean),
});
export interface CephFSPersistentVolumeSource extends Infer<typeof CephFSPersistentVolumeSource> {}

/** Volume source: a volume of OpenStack Cinder. */
export const CinderPersistentVolumeSource = struct('api.core.v1.CinderPersistentVolumeSource', {
  volumeID: required(1, string),
  fsType: value(2, string),
  readOnly: value(3, boolean),
  secretRef: optional(4, ref<SecretReference>(SecretReference)),
});
export interface CinderPersistentVolumeSource extends Infer<typeof CinderPersistentVolumeSource> {}

/** Volume source: a volume of a FlexVolume driver. */
export const FlexPersistentVolumeSource = struct('api.core.v1.FlexPersistentVolumeSource', {
  driver: required(1, string),
  fsType: value(2, string),
  secretRef: optional(3, ref<SecretReference>(SecretReference)),
  readOnly: value(4, boolean),
  options: value(5, mapOf(string)),
});
export interface FlexPersistentVolumeSource extends Infer<typeof FlexPersistentVolumeSource> {}

/** Volume source: a volume of GlusterFS. */
export const GlusterfsPersistentVolumeSource = struct('api.core.v1.GlusterfsPersistentVolumeSource', {
  endpoints: required(1, string),
  path: required(2, string),
  readOnly: value(3, boolean),
  endpointsNamespace: optional(4, string),
});
export interface GlusterfsPersistentVolumeSource extends Infer<typeof GlusterfsPersistentVolumeSource> {}

/** Volume source: an iSCSI disk. */
export const ISCSIPersistentVolumeSource = struct('api.core.v1.ISCSIPersistentVolumeSource', {
  targetPortal: required(1, string),
  iqn: required(2, string),
  lun: required(3, int32),
  iscsiInterface: value(4, string),
  fsType: value(5, string),
  readOnly: value(6, boolean),
  portals: value(7, listOf(string)),
  chapAuthDiscovery: value(8, boolean),
  chapAuthSession: value(11, boolean),
  secretRef: optional(10, ref<SecretReference>(SecretReference)),
  initiatorName: optional(12, string),
});
export interface ISCSIPersistentVolumeSource extends Infer<typeof ISCSIPersistentVolumeSource> {}

/** Volume source: a disk or directory of one node. The volume must have a node affinity. */
export const LocalVolumeSource = struct('api.core.v1.LocalVolumeSource', {
  path: required(1, string),
  fsType: optional(2, string),
});
export interface LocalVolumeSource extends Infer<typeof LocalVolumeSource> {}

/** Volume source: a RADOS block device of Ceph. */
export const RBDPersistentVolumeSource = struct('api.core.v1.RBDPersistentVolumeSource', {
  monitors: required(1, listOf(string)),
  image: required(2, string),
  fsType: value(3, string),
  pool: value(4, string),
  user: value(5, string),
  keyring: value(6, string),
  secretRef: optional(7, ref<SecretReference>(SecretReference)),
  readOnly: value(8, boolean),
});
export interface RBDPersistentVolumeSource extends Infer<typeof RBDPersistentVolumeSource> {}

/** Volume source: a volume of ScaleIO. */
export const ScaleIOPersistentVolumeSource = struct('api.core.v1.ScaleIOPersistentVolumeSource', {
  gateway: required(1, string),
  system: required(2, string),
  secretRef: required(3, ref<SecretReference>(SecretReference), { nullable: true }),
  sslEnabled: value(4, boolean),
  protectionDomain: value(5, string),
  storagePool: value(6, string),
  storageMode: value(7, string),
  volumeName: value(8, string),
  fsType: value(9, string),
  readOnly: value(10, boolean),
});
export interface ScaleIOPersistentVolumeSource extends Infer<typeof ScaleIOPersistentVolumeSource> {}

/** Volume source: a volume of StorageOS. */
export const StorageOSPersistentVolumeSource = struct('api.core.v1.StorageOSPersistentVolumeSource', {
  volumeName: value(1, string),
  volumeNamespace: value(2, string),
  fsType: value(3, string),
  readOnly: value(4, boolean),
  secretRef: optional(5, ref<ObjectReference>(ObjectReference)),
});
export interface StorageOSPersistentVolumeSource extends Infer<typeof StorageOSPersistentVolumeSource> {}

/** Source of a PersistentVolume. Exactly one member is set. */
export const PersistentVolumeSource = struct('api.core.v1.PersistentVolumeSource', {
  gcePersistentDisk: optional(1, ref<GCEPersistentDiskVolumeSource>(GCEPersistentDiskVolumeSource)),
  awsElasticBlockStore: optional(2, ref<AWSElasticBlockStoreVolumeSource>(AWSElasticBlockStoreVolumeSource)),
  hostPath: optional(3, ref<HostPathVolumeSource>(HostPathVolumeSource)),
  glusterfs: optional(4, ref<GlusterfsPersistentVolumeSource>(GlusterfsPersistentVolumeSource)),
  nfs: optional(5, ref<NFSVolumeSource>(NFSVolumeSource)),
  rbd: optional(6, ref<RBDPersistentVolumeSource>(RBDPersistentVolumeSource)),
  iscsi: optional(7, ref<ISCSIPersistentVolumeSource>(ISCSIPersistentVolumeSource)),
  cinder: optional(8, ref<CinderPersistentVolumeSource>(CinderPersistentVolumeSource)),
  cephfs: optional(9, ref<CephFSPersistentVolumeSource>(CephFSPersistentVolumeSource)),
  fc: optional(10, ref<FCVolumeSource>(FCVolumeSource)),
  flocker: optional(11, ref<FlockerVolumeSource>(FlockerVolumeSource)),
  flexVolume: optional(12, ref<FlexPersistentVolumeSource>(FlexPersistentVolumeSource)),
  azureFile: optional(13, ref<AzureFilePersistentVolumeSource>(AzureFilePersistentVolumeSource)),
  vsphereVolume: optional(14, ref<VsphereVirtualDiskVolumeSource>(VsphereVirtualDiskVolumeSource)),
  quobyte: optional(15, ref<QuobyteVolumeSource>(QuobyteVolumeSource)),
  azureDisk: optional(16, ref<AzureDiskVolumeSource>(AzureDiskVolumeSource)),
  photonPersistentDisk: optional(17, ref<PhotonPersistentDiskVolumeSource>(PhotonPersistentDiskVolumeSource)),
  portworxVolume: optional(18, ref<PortworxVolumeSource>(PortworxVolumeSource)),
  scaleIO: optional(19, ref<ScaleIOPersistentVolumeSource>(ScaleIOPersistentVolumeSource)),
  local: optional(20, ref<LocalVolumeSource>(LocalVolumeSource)),
  storageos: optional(21, ref<StorageOSPersistentVolumeSource>(StorageOSPersistentVolumeSource)),
  csi: optional(22, ref<CSIPersistentVolumeSource>(CSIPersistentVolumeSource)),
});
export interface PersistentVolumeSource extends Infer<typeof PersistentVolumeSource> {}

/** Constraints on the nodes from which a PersistentVolume can be accessed. */
export const VolumeNodeAffinity = struct('api.core.v1.VolumeNodeAffinity', {
  required: optional(1, ref<NodeSelector>(NodeSelector)),
});
export interface VolumeNodeAffinity extends Infer<typeof VolumeNodeAffinity> {}

/** Spec of a PersistentVolume: its source, capacity and access modes. */
export const PersistentVolumeSpec = struct('api.core.v1.PersistentVolumeSpec', {
  capacity: value(1, mapOf(quantity)),
  ...inline(2, PersistentVolumeSource),
  accessModes: value(3, listOf(oneOf('ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'))),
  claimRef: optional(4, ref<ObjectReference>(ObjectReference)),
  persistentVolumeReclaimPolicy: value(5, oneOf('Delete', 'Recycle', 'Retain')),
  storageClassName: value(6, string),
  mountOptions: value(7, listOf(string)),
  volumeMode: optional(8, oneOf('Block', 'Filesystem')),
  nodeAffinity: optional(9, ref<VolumeNodeAffinity>(VolumeNodeAffinity)),
});
export interface PersistentVolumeSpec extends Infer<typeof PersistentVolumeSpec> {}

/** Status of a PersistentVolume. */
export const PersistentVolumeStatus = struct('api.core.v1.PersistentVolumeStatus', {
  phase: value(1, oneOf('Available', 'Bound', 'Failed', 'Pending', 'Released')),
  message: value(2, string),
  reason: value(3, string),
});
export interface PersistentVolumeStatus extends Infer<typeof PersistentVolumeStatus> {}

/** Kind PersistentVolume: a piece of storage in the cluster to which a claim can be bound. */
export const PersistentVolume = struct('api.core.v1.PersistentVolume', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<PersistentVolumeSpec>(PersistentVolumeSpec)),
  status: value(3, ref<PersistentVolumeStatus>(PersistentVolumeStatus)),
});
export interface PersistentVolume extends Infer<typeof PersistentVolume> {}

/** Condition of a PersistentVolumeClaim. */
export const PersistentVolumeClaimCondition = struct('api.core.v1.PersistentVolumeClaimCondition', {
  type: required(1, string),
  status: required(2, wordOf('False', 'True', 'Unknown')),
  lastProbeTime: value(3, time),
  lastTransitionTime: value(4, time),
  reason: value(5, string),
  message: value(6, string),
});
export interface PersistentVolumeClaimCondition extends Infer<typeof PersistentVolumeClaimCondition> {}

/** Status of a PersistentVolumeClaim: its phase and the capacity of the bound volume. */
export const PersistentVolumeClaimStatus = struct('api.core.v1.PersistentVolumeClaimStatus', {
  phase: value(1, oneOf('Bound', 'Lost', 'Pending')),
  accessModes: value(2, listOf(oneOf('ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'))),
  capacity: value(3, mapOf(quantity)),
  conditions: value(4, listOf(ref<PersistentVolumeClaimCondition>(PersistentVolumeClaimCondition)), {
    patchStrategy: ['merge'],
    patchMergeKey: 'type',
  }),
  allocatedResources: value(5, mapOf(quantity)),
  resizeStatus: optional(
    6,
    oneOf(
      '',
      'ControllerExpansionFailed',
      'ControllerExpansionInProgress',
      'NodeExpansionFailed',
      'NodeExpansionInProgress',
      'NodeExpansionPending',
    ),
  ),
});
export interface PersistentVolumeClaimStatus extends Infer<typeof PersistentVolumeClaimStatus> {}

/** Kind PersistentVolumeClaim: a request for storage. Pods use the volume to which it is bound. */
export const PersistentVolumeClaim = struct('api.core.v1.PersistentVolumeClaim', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<PersistentVolumeClaimSpec>(PersistentVolumeClaimSpec)),
  status: value(3, ref<PersistentVolumeClaimStatus>(PersistentVolumeClaimStatus)),
});
export interface PersistentVolumeClaim extends Infer<typeof PersistentVolumeClaim> {}
