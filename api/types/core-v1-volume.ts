import {
  type Infer,
  boolean,
  inline,
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
  value,
  wordOf,
} from '../schema/schema.ts';
import { LabelSelector, ObjectMeta } from './meta-v1.ts';

/** An object of the same namespace, its kind being known. */
export const LocalObjectReference = struct(
  'api.core.v1.LocalObjectReference',
  {
    name: value(1, string),
  },
  { mapType: 'atomic' },
);
export interface LocalObjectReference extends Infer<typeof LocalObjectReference> {}

/** A volume that is attached to a node. */
export const AttachedVolume = struct('api.core.v1.AttachedVolume', {
  name: required(1, string),
  devicePath: required(2, string),
});
export interface AttachedVolume extends Infer<typeof AttachedVolume> {}

/** A field of the pod. */
export const ObjectFieldSelector = struct(
  'api.core.v1.ObjectFieldSelector',
  {
    apiVersion: value(1, string),
    fieldPath: required(2, string),
  },
  { mapType: 'atomic' },
);
export interface ObjectFieldSelector extends Infer<typeof ObjectFieldSelector> {}

/** A request or limit of a container. */
export const ResourceFieldSelector = struct(
  'api.core.v1.ResourceFieldSelector',
  {
    containerName: value(1, string),
    resource: required(2, string),
    divisor: optional(3, quantity),
  },
  { mapType: 'atomic' },
);
export interface ResourceFieldSelector extends Infer<typeof ResourceFieldSelector> {}

/** Amounts that are reserved, and limits of the use. */
export const ResourceRequirements = struct('api.core.v1.ResourceRequirements', {
  limits: value(1, mapOf(quantity)),
  requests: value(2, mapOf(quantity)),
});
export interface ResourceRequirements extends Infer<typeof ResourceRequirements> {}

/** A disk of AWS EBS, in the node's zone. */
export const AWSElasticBlockStoreVolumeSource = struct('api.core.v1.AWSElasticBlockStoreVolumeSource', {
  volumeID: required(1, string),
  fsType: value(2, string),
  partition: value(3, int32),
  readOnly: value(4, boolean),
});
export interface AWSElasticBlockStoreVolumeSource extends Infer<typeof AWSElasticBlockStoreVolumeSource> {}

/** A data disk of Azure. */
export const AzureDiskVolumeSource = struct('api.core.v1.AzureDiskVolumeSource', {
  diskName: required(1, string),
  diskURI: required(2, string),
  cachingMode: optional(3, oneOf('None', 'ReadOnly', 'ReadWrite')),
  fsType: optional(4, string),
  readOnly: optional(5, boolean),
  kind: optional(6, oneOf('Dedicated', 'Managed', 'Shared')),
});
export interface AzureDiskVolumeSource extends Infer<typeof AzureDiskVolumeSource> {}

/** A share of Azure Files. */
export const AzureFileVolumeSource = struct('api.core.v1.AzureFileVolumeSource', {
  secretName: required(1, string),
  shareName: required(2, string),
  readOnly: value(3, boolean),
});
export interface AzureFileVolumeSource extends Infer<typeof AzureFileVolumeSource> {}

/** A volume that a CSI driver makes for one pod. */
export const CSIVolumeSource = struct('api.core.v1.CSIVolumeSource', {
  driver: required(1, string),
  readOnly: optional(2, boolean),
  fsType: optional(3, string),
  volumeAttributes: value(4, mapOf(string)),
  nodePublishSecretRef: optional(5, ref<LocalObjectReference>(LocalObjectReference)),
});
export interface CSIVolumeSource extends Infer<typeof CSIVolumeSource> {}

/** A CephFS file system. */
export const CephFSVolumeSource = struct('api.core.v1.CephFSVolumeSource', {
  monitors: required(1, listOf(string)),
  path: value(2, string),
  user: value(3, string),
  secretFile: value(4, string),
  secretRef: optional(5, ref<LocalObjectReference>(LocalObjectReference)),
  readOnly: value(6, boolean),
});
export interface CephFSVolumeSource extends Infer<typeof CephFSVolumeSource> {}

/** A volume of OpenStack Cinder. */
export const CinderVolumeSource = struct('api.core.v1.CinderVolumeSource', {
  volumeID: required(1, string),
  fsType: value(2, string),
  readOnly: value(3, boolean),
  secretRef: optional(4, ref<LocalObjectReference>(LocalObjectReference)),
});
export interface CinderVolumeSource extends Infer<typeof CinderVolumeSource> {}

/** An entry as a file. */
export const KeyToPath = struct('api.core.v1.KeyToPath', {
  key: required(1, string),
  path: required(2, string),
  mode: optional(3, int32),
});
export interface KeyToPath extends Infer<typeof KeyToPath> {}

/** A ConfigMap mounted as a folder, which follows its changes with some delay. */
export const ConfigMapVolumeSource = struct('api.core.v1.ConfigMapVolumeSource', {
  ...inline(1, LocalObjectReference),
  items: value(2, listOf(ref<KeyToPath>(KeyToPath))),
  defaultMode: optional(3, int32),
  optional: optional(4, boolean),
});
export interface ConfigMapVolumeSource extends Infer<typeof ConfigMapVolumeSource> {}

/** A file with a field of the pod: exactly one of the two references. */
export const DownwardAPIVolumeFile = struct('api.core.v1.DownwardAPIVolumeFile', {
  path: required(1, string),
  fieldRef: optional(2, ref<ObjectFieldSelector>(ObjectFieldSelector)),
  resourceFieldRef: optional(3, ref<ResourceFieldSelector>(ResourceFieldSelector)),
  mode: optional(4, int32),
});
export interface DownwardAPIVolumeFile extends Infer<typeof DownwardAPIVolumeFile> {}

/** Facts about the pod mounted as a folder, which follows their changes. */
export const DownwardAPIVolumeSource = struct('api.core.v1.DownwardAPIVolumeSource', {
  items: value(1, listOf(ref<DownwardAPIVolumeFile>(DownwardAPIVolumeFile))),
  defaultMode: optional(2, int32),
});
export interface DownwardAPIVolumeSource extends Infer<typeof DownwardAPIVolumeSource> {}

/** A folder that begins empty and goes with the pod. */
export const EmptyDirVolumeSource = struct('api.core.v1.EmptyDirVolumeSource', {
  medium: value(1, wordOf('', 'HugePages', 'HugePages-', 'Memory')),
  sizeLimit: optional(2, quantity),
});
export interface EmptyDirVolumeSource extends Infer<typeof EmptyDirVolumeSource> {}

/** An object of the same namespace, of any kind. */
export const TypedLocalObjectReference = struct(
  'api.core.v1.TypedLocalObjectReference',
  {
    apiGroup: required(1, string, { lenient: true, nullable: true }),
    kind: required(2, string),
    name: required(3, string),
  },
  { mapType: 'atomic' },
);
export interface TypedLocalObjectReference extends Infer<typeof TypedLocalObjectReference> {}

/** Requested storage; immutable once bound, except for a larger request. */
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

/** Template of a claim that is created for a pod. */
export const PersistentVolumeClaimTemplate = struct('api.core.v1.PersistentVolumeClaimTemplate', {
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: required(2, ref<PersistentVolumeClaimSpec>(PersistentVolumeClaimSpec)),
});
export interface PersistentVolumeClaimTemplate extends Infer<typeof PersistentVolumeClaimTemplate> {}

/** A volume made from a claim that goes with the pod. */
export const EphemeralVolumeSource = struct('api.core.v1.EphemeralVolumeSource', {
  volumeClaimTemplate: optional(1, ref<PersistentVolumeClaimTemplate>(PersistentVolumeClaimTemplate)),
});
export interface EphemeralVolumeSource extends Infer<typeof EphemeralVolumeSource> {}

/** A Fibre Channel disk: by target names and unit, or by world wide identifiers. */
export const FCVolumeSource = struct('api.core.v1.FCVolumeSource', {
  targetWWNs: value(1, listOf(string)),
  lun: optional(2, int32),
  fsType: value(3, string),
  readOnly: value(4, boolean),
  wwids: value(5, listOf(string)),
});
export interface FCVolumeSource extends Infer<typeof FCVolumeSource> {}

/** A volume of a FlexVolume driver. */
export const FlexVolumeSource = struct('api.core.v1.FlexVolumeSource', {
  driver: required(1, string),
  fsType: value(2, string),
  secretRef: optional(3, ref<LocalObjectReference>(LocalObjectReference)),
  readOnly: value(4, boolean),
  options: value(5, mapOf(string)),
});
export interface FlexVolumeSource extends Infer<typeof FlexVolumeSource> {}

/** A dataset of Flocker, by one of its two names; Flocker is no longer maintained. */
export const FlockerVolumeSource = struct('api.core.v1.FlockerVolumeSource', {
  datasetName: value(1, string),
  datasetUUID: value(2, string),
});
export interface FlockerVolumeSource extends Infer<typeof FlockerVolumeSource> {}

/** A persistent disk of Google Compute Engine, in the node's zone. */
export const GCEPersistentDiskVolumeSource = struct('api.core.v1.GCEPersistentDiskVolumeSource', {
  pdName: required(1, string),
  fsType: value(2, string),
  partition: value(3, int32),
  readOnly: value(4, boolean),
});
export interface GCEPersistentDiskVolumeSource extends Infer<typeof GCEPersistentDiskVolumeSource> {}

/** Deprecated; a folder with a clone of a Git repository. */
export const GitRepoVolumeSource = struct('api.core.v1.GitRepoVolumeSource', {
  repository: required(1, string),
  revision: value(2, string),
  directory: value(3, string),
});
export interface GitRepoVolumeSource extends Infer<typeof GitRepoVolumeSource> {}

/** A volume of GlusterFS. */
export const GlusterfsVolumeSource = struct('api.core.v1.GlusterfsVolumeSource', {
  endpoints: required(1, string),
  path: required(2, string),
  readOnly: value(3, boolean),
});
export interface GlusterfsVolumeSource extends Infer<typeof GlusterfsVolumeSource> {}

/** A file or folder of the node. */
export const HostPathVolumeSource = struct('api.core.v1.HostPathVolumeSource', {
  path: required(1, string),
  type: optional(
    2,
    oneOf(
      '',
      'BlockDevice',
      'CharDevice',
      'Directory',
      'DirectoryOrCreate',
      'File',
      'FileOrCreate',
      'Socket',
    ),
  ),
});
export interface HostPathVolumeSource extends Infer<typeof HostPathVolumeSource> {}

/** An iSCSI disk. */
export const ISCSIVolumeSource = struct('api.core.v1.ISCSIVolumeSource', {
  targetPortal: required(1, string),
  iqn: required(2, string),
  lun: required(3, int32),
  iscsiInterface: value(4, string),
  fsType: value(5, string),
  readOnly: value(6, boolean),
  portals: value(7, listOf(string)),
  chapAuthDiscovery: value(8, boolean),
  chapAuthSession: value(11, boolean),
  secretRef: optional(10, ref<LocalObjectReference>(LocalObjectReference)),
  initiatorName: optional(12, string),
});
export interface ISCSIVolumeSource extends Infer<typeof ISCSIVolumeSource> {}

/** A folder of an NFS server. */
export const NFSVolumeSource = struct('api.core.v1.NFSVolumeSource', {
  server: required(1, string),
  path: required(2, string),
  readOnly: value(3, boolean),
});
export interface NFSVolumeSource extends Infer<typeof NFSVolumeSource> {}

/** The volume that a claim of the namespace is bound to. */
export const PersistentVolumeClaimVolumeSource = struct('api.core.v1.PersistentVolumeClaimVolumeSource', {
  claimName: required(1, string),
  readOnly: value(2, boolean),
});
export interface PersistentVolumeClaimVolumeSource extends Infer<typeof PersistentVolumeClaimVolumeSource> {}

/** A persistent disk of Photon Controller. */
export const PhotonPersistentDiskVolumeSource = struct('api.core.v1.PhotonPersistentDiskVolumeSource', {
  pdID: required(1, string),
  fsType: value(2, string),
});
export interface PhotonPersistentDiskVolumeSource extends Infer<typeof PhotonPersistentDiskVolumeSource> {}

/** A volume of Portworx. */
export const PortworxVolumeSource = struct('api.core.v1.PortworxVolumeSource', {
  volumeID: required(1, string),
  fsType: value(2, string),
  readOnly: value(3, boolean),
});
export interface PortworxVolumeSource extends Infer<typeof PortworxVolumeSource> {}

/** Entries of a ConfigMap as files of a projected volume. */
export const ConfigMapProjection = struct('api.core.v1.ConfigMapProjection', {
  ...inline(1, LocalObjectReference),
  items: value(2, listOf(ref<KeyToPath>(KeyToPath))),
  optional: optional(4, boolean),
});
export interface ConfigMapProjection extends Infer<typeof ConfigMapProjection> {}

/** Fields of the pod as files of a projected volume. */
export const DownwardAPIProjection = struct('api.core.v1.DownwardAPIProjection', {
  items: value(1, listOf(ref<DownwardAPIVolumeFile>(DownwardAPIVolumeFile))),
});
export interface DownwardAPIProjection extends Infer<typeof DownwardAPIProjection> {}

/** Entries of a Secret as files of a projected volume. */
export const SecretProjection = struct('api.core.v1.SecretProjection', {
  ...inline(1, LocalObjectReference),
  items: value(2, listOf(ref<KeyToPath>(KeyToPath))),
  optional: optional(4, boolean),
});
export interface SecretProjection extends Infer<typeof SecretProjection> {}

/** A token of the pod's service account as a file, renewed before it ends. */
export const ServiceAccountTokenProjection = struct('api.core.v1.ServiceAccountTokenProjection', {
  audience: value(1, string),
  expirationSeconds: optional(2, int64),
  path: required(3, string),
});
export interface ServiceAccountTokenProjection extends Infer<typeof ServiceAccountTokenProjection> {}

/** One source of a projected volume: exactly one member. */
export const VolumeProjection = struct('api.core.v1.VolumeProjection', {
  secret: optional(1, ref<SecretProjection>(SecretProjection)),
  downwardAPI: optional(2, ref<DownwardAPIProjection>(DownwardAPIProjection)),
  configMap: optional(3, ref<ConfigMapProjection>(ConfigMapProjection)),
  serviceAccountToken: optional(4, ref<ServiceAccountTokenProjection>(ServiceAccountTokenProjection)),
});
export interface VolumeProjection extends Infer<typeof VolumeProjection> {}

/** Files from several sources in one volume. */
export const ProjectedVolumeSource = struct('api.core.v1.ProjectedVolumeSource', {
  sources: required(1, listOf(ref<VolumeProjection>(VolumeProjection)), { lenient: true }),
  defaultMode: optional(2, int32),
});
export interface ProjectedVolumeSource extends Infer<typeof ProjectedVolumeSource> {}

/** A volume of Quobyte. */
export const QuobyteVolumeSource = struct('api.core.v1.QuobyteVolumeSource', {
  registry: required(1, string),
  volume: required(2, string),
  readOnly: value(3, boolean),
  user: value(4, string),
  group: value(5, string),
  tenant: value(6, string),
});
export interface QuobyteVolumeSource extends Infer<typeof QuobyteVolumeSource> {}

/** A RADOS block device of Ceph. */
export const RBDVolumeSource = struct('api.core.v1.RBDVolumeSource', {
  monitors: required(1, listOf(string)),
  image: required(2, string),
  fsType: value(3, string),
  pool: value(4, string),
  user: value(5, string),
  keyring: value(6, string),
  secretRef: optional(7, ref<LocalObjectReference>(LocalObjectReference)),
  readOnly: value(8, boolean),
});
export interface RBDVolumeSource extends Infer<typeof RBDVolumeSource> {}

/** A volume of ScaleIO. */
export const ScaleIOVolumeSource = struct('api.core.v1.ScaleIOVolumeSource', {
  gateway: required(1, string),
  system: required(2, string),
  secretRef: required(3, ref<LocalObjectReference>(LocalObjectReference), { nullable: true }),
  sslEnabled: value(4, boolean),
  protectionDomain: value(5, string),
  storagePool: value(6, string),
  storageMode: value(7, string),
  volumeName: value(8, string),
  fsType: value(9, string),
  readOnly: value(10, boolean),
});
export interface ScaleIOVolumeSource extends Infer<typeof ScaleIOVolumeSource> {}

/** Entries of a Secret as files, kept in memory. */
export const SecretVolumeSource = struct('api.core.v1.SecretVolumeSource', {
  secretName: value(1, string),
  items: value(2, listOf(ref<KeyToPath>(KeyToPath))),
  defaultMode: optional(3, int32),
  optional: optional(4, boolean),
});
export interface SecretVolumeSource extends Infer<typeof SecretVolumeSource> {}

/** A volume of StorageOS. */
export const StorageOSVolumeSource = struct('api.core.v1.StorageOSVolumeSource', {
  volumeName: value(1, string),
  volumeNamespace: value(2, string),
  fsType: value(3, string),
  readOnly: value(4, boolean),
  secretRef: optional(5, ref<LocalObjectReference>(LocalObjectReference)),
});
export interface StorageOSVolumeSource extends Infer<typeof StorageOSVolumeSource> {}

/** A virtual disk of vSphere. */
export const VsphereVirtualDiskVolumeSource = struct('api.core.v1.VsphereVirtualDiskVolumeSource', {
  volumePath: required(1, string),
  fsType: value(2, string),
  storagePolicyName: value(3, string),
  storagePolicyID: value(4, string),
});
export interface VsphereVirtualDiskVolumeSource extends Infer<typeof VsphereVirtualDiskVolumeSource> {}

/** Source of a volume in a pod; exactly one member is set. */
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

/** A volume of a pod: a name and exactly one source; without one it begins empty. */
export const Volume = struct('api.core.v1.Volume', {
  name: required(1, string),
  ...inline(2, VolumeSource),
});
export interface Volume extends Infer<typeof Volume> {}
