import {
  type Infer,
  boolean,
  int32,
  listOf,
  mapOf,
  oneOf,
  optional,
  ref,
  required,
  string,
  struct,
  value,
} from '../schema/schema.ts';
import { LocalObjectReference } from './core-v1-shared.ts';

/** Volume source: a disk of AWS EBS in the zone of the node. */
export const AWSElasticBlockStoreVolumeSource = struct('api.core.v1.AWSElasticBlockStoreVolumeSource', {
  volumeID: required(1, string),
  fsType: value(2, string),
  partition: value(3, int32),
  readOnly: value(4, boolean),
});
export interface AWSElasticBlockStoreVolumeSource extends Infer<typeof AWSElasticBlockStoreVolumeSource> {}

/** Volume source: a data disk of Azure. */
export const AzureDiskVolumeSource = struct('api.core.v1.AzureDiskVolumeSource', {
  diskName: required(1, string),
  diskURI: required(2, string),
  cachingMode: optional(3, oneOf('None', 'ReadOnly', 'ReadWrite')),
  fsType: optional(4, string),
  readOnly: optional(5, boolean),
  kind: optional(6, oneOf('Dedicated', 'Managed', 'Shared')),
});
export interface AzureDiskVolumeSource extends Infer<typeof AzureDiskVolumeSource> {}

/** Volume source: a share of Azure Files. */
export const AzureFileVolumeSource = struct('api.core.v1.AzureFileVolumeSource', {
  secretName: required(1, string),
  shareName: required(2, string),
  readOnly: value(3, boolean),
});
export interface AzureFileVolumeSource extends Infer<typeof AzureFileVolumeSource> {}

/** Volume source: a volume that a CSI driver creates for one pod. */
export const CSIVolumeSource = struct('api.core.v1.CSIVolumeSource', {
  driver: required(1, string),
  readOnly: optional(2, boolean),
  fsType: optional(3, string),
  volumeAttributes: value(4, mapOf(string)),
  nodePublishSecretRef: optional(5, ref<LocalObjectReference>(LocalObjectReference)),
});
export interface CSIVolumeSource extends Infer<typeof CSIVolumeSource> {}

/** Volume source: a CephFS file system. */
export const CephFSVolumeSource = struct('api.core.v1.CephFSVolumeSource', {
  monitors: required(1, listOf(string)),
  path: value(2, string),
  user: value(3, string),
  secretFile: value(4, string),
  secretRef: optional(5, ref<LocalObjectReference>(LocalObjectReference)),
  readOnly: value(6, boolean),
});
export interface CephFSVolumeSource extends Infer<typeof CephFSVolumeSource> {}

/** Volume source: a volume of OpenStack Cinder. */
export const CinderVolumeSource = struct('api.core.v1.CinderVolumeSource', {
  volumeID: required(1, string),
  fsType: value(2, string),
  readOnly: value(3, boolean),
  secretRef: optional(4, ref<LocalObjectReference>(LocalObjectReference)),
});
export interface CinderVolumeSource extends Infer<typeof CinderVolumeSource> {}

/** Volume source: a Fibre Channel disk, identified by target names and LUN or by world wide identifiers. */
export const FCVolumeSource = struct('api.core.v1.FCVolumeSource', {
  targetWWNs: value(1, listOf(string)),
  lun: optional(2, int32),
  fsType: value(3, string),
  readOnly: value(4, boolean),
  wwids: value(5, listOf(string)),
});
export interface FCVolumeSource extends Infer<typeof FCVolumeSource> {}

/** Volume source: a volume of a FlexVolume driver. */
export const FlexVolumeSource = struct('api.core.v1.FlexVolumeSource', {
  driver: required(1, string),
  fsType: value(2, string),
  secretRef: optional(3, ref<LocalObjectReference>(LocalObjectReference)),
  readOnly: value(4, boolean),
  options: value(5, mapOf(string)),
});
export interface FlexVolumeSource extends Infer<typeof FlexVolumeSource> {}

/** Volume source: a dataset of Flocker, identified by name or UUID. Flocker is no longer maintained. */
export const FlockerVolumeSource = struct('api.core.v1.FlockerVolumeSource', {
  datasetName: value(1, string),
  datasetUUID: value(2, string),
});
export interface FlockerVolumeSource extends Infer<typeof FlockerVolumeSource> {}

/** Volume source: a persistent disk of Google Compute Engine in the zone of the node. */
export const GCEPersistentDiskVolumeSource = struct('api.core.v1.GCEPersistentDiskVolumeSource', {
  pdName: required(1, string),
  fsType: value(2, string),
  partition: value(3, int32),
  readOnly: value(4, boolean),
});
export interface GCEPersistentDiskVolumeSource extends Infer<typeof GCEPersistentDiskVolumeSource> {}

/** Deprecated volume source: a directory with a clone of a Git repository. */
export const GitRepoVolumeSource = struct('api.core.v1.GitRepoVolumeSource', {
  repository: required(1, string),
  revision: value(2, string),
  directory: value(3, string),
});
export interface GitRepoVolumeSource extends Infer<typeof GitRepoVolumeSource> {}

/** Volume source: a volume of GlusterFS. */
export const GlusterfsVolumeSource = struct('api.core.v1.GlusterfsVolumeSource', {
  endpoints: required(1, string),
  path: required(2, string),
  readOnly: value(3, boolean),
});
export interface GlusterfsVolumeSource extends Infer<typeof GlusterfsVolumeSource> {}

/** Volume source: an iSCSI disk. */
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

/** Volume source: a directory of an NFS server. */
export const NFSVolumeSource = struct('api.core.v1.NFSVolumeSource', {
  server: required(1, string),
  path: required(2, string),
  readOnly: value(3, boolean),
});
export interface NFSVolumeSource extends Infer<typeof NFSVolumeSource> {}

/** Volume source: a persistent disk of Photon Controller. */
export const PhotonPersistentDiskVolumeSource = struct('api.core.v1.PhotonPersistentDiskVolumeSource', {
  pdID: required(1, string),
  fsType: value(2, string),
});
export interface PhotonPersistentDiskVolumeSource extends Infer<typeof PhotonPersistentDiskVolumeSource> {}

/** Volume source: a volume of Portworx. */
export const PortworxVolumeSource = struct('api.core.v1.PortworxVolumeSource', {
  volumeID: required(1, string),
  fsType: value(2, string),
  readOnly: value(3, boolean),
});
export interface PortworxVolumeSource extends Infer<typeof PortworxVolumeSource> {}

/** Volume source: a volume of Quobyte. */
export const QuobyteVolumeSource = struct('api.core.v1.QuobyteVolumeSource', {
  registry: required(1, string),
  volume: required(2, string),
  readOnly: value(3, boolean),
  user: value(4, string),
  group: value(5, string),
  tenant: value(6, string),
});
export interface QuobyteVolumeSource extends Infer<typeof QuobyteVolumeSource> {}

/** Volume source: a RADOS block device of Ceph. */
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

/** Volume source: a volume of ScaleIO. */
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

/** Volume source: a volume of StorageOS. */
export const StorageOSVolumeSource = struct('api.core.v1.StorageOSVolumeSource', {
  volumeName: value(1, string),
  volumeNamespace: value(2, string),
  fsType: value(3, string),
  readOnly: value(4, boolean),
  secretRef: optional(5, ref<LocalObjectReference>(LocalObjectReference)),
});
export interface StorageOSVolumeSource extends Infer<typeof StorageOSVolumeSource> {}

/** Volume source: a virtual disk of vSphere. */
export const VsphereVirtualDiskVolumeSource = struct('api.core.v1.VsphereVirtualDiskVolumeSource', {
  volumePath: required(1, string),
  fsType: value(2, string),
  storagePolicyName: value(3, string),
  storagePolicyID: value(4, string),
});
export interface VsphereVirtualDiskVolumeSource extends Infer<typeof VsphereVirtualDiskVolumeSource> {}
