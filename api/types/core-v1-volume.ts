import {
  type Infer,
  boolean,
  inline,
  listOf,
  oneOf,
  optional,
  ref,
  required,
  string,
  struct,
  value,
} from '../schema/schema.ts';
import { ResourceRequirements, TypedLocalObjectReference } from './core-v1-shared.ts';
import {
  ConfigMapVolumeSource,
  DownwardAPIVolumeSource,
  EmptyDirVolumeSource,
  HostPathVolumeSource,
  ProjectedVolumeSource,
  SecretVolumeSource,
} from './core-v1-volume-files.ts';
import {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  AzureFileVolumeSource,
  CSIVolumeSource,
  CephFSVolumeSource,
  CinderVolumeSource,
  FCVolumeSource,
  FlexVolumeSource,
  FlockerVolumeSource,
  GCEPersistentDiskVolumeSource,
  GitRepoVolumeSource,
  GlusterfsVolumeSource,
  ISCSIVolumeSource,
  NFSVolumeSource,
  PhotonPersistentDiskVolumeSource,
  PortworxVolumeSource,
  QuobyteVolumeSource,
  RBDVolumeSource,
  ScaleIOVolumeSource,
  StorageOSVolumeSource,
  VsphereVirtualDiskVolumeSource,
} from './core-v1-volume-storage.ts';
import { LabelSelector, ObjectMeta } from './meta-v1.ts';

/** A volume that is attached to a node. */
export const AttachedVolume = struct('api.core.v1.AttachedVolume', {
  name: required(1, string),
  devicePath: required(2, string),
});
export interface AttachedVolume extends Infer<typeof AttachedVolume> {}

/** Spec of a PersistentVolumeClaim. It is immutable once bound, except that the requested size may grow. */
export const PersistentVolumeClaimSpec = struct('api.core.v1.PersistentVolumeClaimSpec', {
  accessModes: value(1, listOf(oneOf('ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'))),
  selector: optional(4, ref<LabelSelector>(LabelSelector)),
  resources: value(2, ref<ResourceRequirements>(ResourceRequirements)),
  volumeName: value(3, string),
  storageClassName: optional(5, string),
  volumeMode: optional(6, oneOf('Block', 'Filesystem')),
  dataSource: optional(7, ref<TypedLocalObjectReference>(TypedLocalObjectReference)),
  dataSourceRef: optional(8, ref<TypedLocalObjectReference>(TypedLocalObjectReference)),
});
export interface PersistentVolumeClaimSpec extends Infer<typeof PersistentVolumeClaimSpec> {}

/** Template of a PersistentVolumeClaim that is created for a pod. */
export const PersistentVolumeClaimTemplate = struct('api.core.v1.PersistentVolumeClaimTemplate', {
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: required(2, ref<PersistentVolumeClaimSpec>(PersistentVolumeClaimSpec)),
});
export interface PersistentVolumeClaimTemplate extends Infer<typeof PersistentVolumeClaimTemplate> {}

/** Volume source: the volume of a PersistentVolumeClaim that is created and deleted with the pod. */
export const EphemeralVolumeSource = struct('api.core.v1.EphemeralVolumeSource', {
  volumeClaimTemplate: optional(1, ref<PersistentVolumeClaimTemplate>(PersistentVolumeClaimTemplate)),
});
export interface EphemeralVolumeSource extends Infer<typeof EphemeralVolumeSource> {}

/** Volume source: the volume to which a PersistentVolumeClaim of the namespace is bound. */
export const PersistentVolumeClaimVolumeSource = struct('api.core.v1.PersistentVolumeClaimVolumeSource', {
  claimName: required(1, string),
  readOnly: value(2, boolean),
});
export interface PersistentVolumeClaimVolumeSource extends Infer<typeof PersistentVolumeClaimVolumeSource> {}

/** Source of a pod volume. Exactly one member is set. */
export const VolumeSource = struct('api.core.v1.VolumeSource', {
  hostPath: optional(1, ref<HostPathVolumeSource>(HostPathVolumeSource)),
  emptyDir: optional(2, ref<EmptyDirVolumeSource>(EmptyDirVolumeSource)),
  gcePersistentDisk: optional(3, ref<GCEPersistentDiskVolumeSource>(GCEPersistentDiskVolumeSource)),
  awsElasticBlockStore: optional(4, ref<AWSElasticBlockStoreVolumeSource>(AWSElasticBlockStoreVolumeSource)),
  gitRepo: optional(5, ref<GitRepoVolumeSource>(GitRepoVolumeSource)),
  secret: optional(6, ref<SecretVolumeSource>(SecretVolumeSource)),
  nfs: optional(7, ref<NFSVolumeSource>(NFSVolumeSource)),
  iscsi: optional(8, ref<ISCSIVolumeSource>(ISCSIVolumeSource)),
  glusterfs: optional(9, ref<GlusterfsVolumeSource>(GlusterfsVolumeSource)),
  persistentVolumeClaim: optional(
    10,
    ref<PersistentVolumeClaimVolumeSource>(PersistentVolumeClaimVolumeSource),
  ),
  rbd: optional(11, ref<RBDVolumeSource>(RBDVolumeSource)),
  flexVolume: optional(12, ref<FlexVolumeSource>(FlexVolumeSource)),
  cinder: optional(13, ref<CinderVolumeSource>(CinderVolumeSource)),
  cephfs: optional(14, ref<CephFSVolumeSource>(CephFSVolumeSource)),
  flocker: optional(15, ref<FlockerVolumeSource>(FlockerVolumeSource)),
  downwardAPI: optional(16, ref<DownwardAPIVolumeSource>(DownwardAPIVolumeSource)),
  fc: optional(17, ref<FCVolumeSource>(FCVolumeSource)),
  azureFile: optional(18, ref<AzureFileVolumeSource>(AzureFileVolumeSource)),
  configMap: optional(19, ref<ConfigMapVolumeSource>(ConfigMapVolumeSource)),
  vsphereVolume: optional(20, ref<VsphereVirtualDiskVolumeSource>(VsphereVirtualDiskVolumeSource)),
  quobyte: optional(21, ref<QuobyteVolumeSource>(QuobyteVolumeSource)),
  azureDisk: optional(22, ref<AzureDiskVolumeSource>(AzureDiskVolumeSource)),
  photonPersistentDisk: optional(23, ref<PhotonPersistentDiskVolumeSource>(PhotonPersistentDiskVolumeSource)),
  projected: optional(26, ref<ProjectedVolumeSource>(ProjectedVolumeSource)),
  portworxVolume: optional(24, ref<PortworxVolumeSource>(PortworxVolumeSource)),
  scaleIO: optional(25, ref<ScaleIOVolumeSource>(ScaleIOVolumeSource)),
  storageos: optional(27, ref<StorageOSVolumeSource>(StorageOSVolumeSource)),
  csi: optional(28, ref<CSIVolumeSource>(CSIVolumeSource)),
  ephemeral: optional(29, ref<EphemeralVolumeSource>(EphemeralVolumeSource)),
});
export interface VolumeSource extends Infer<typeof VolumeSource> {}

/** A volume of a pod: its name and source. Without a source, it is an empty directory. */
export const Volume = struct('api.core.v1.Volume', {
  name: required(1, string),
  ...inline(2, VolumeSource),
});
export interface Volume extends Infer<typeof Volume> {}
