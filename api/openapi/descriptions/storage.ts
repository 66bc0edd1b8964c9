import type { Descriptions } from './texts.ts';

/** Descriptions of the group `storage`. */
export const storage = (): Descriptions => ({
  CSIDriver: {
    '': 'Properties of a CSI driver; it is named like the driver.',
    spec: 'Requirements and abilities of the driver.',
  },
  CSIDriverSpec: {
    '': 'Requirements and abilities of a CSI driver.',
    attachRequired:
      'True if volumes are attached to a node before they are mounted; default true, immutable.',
    fsGroupPolicy:
      "When volumes change hands to a pod's `fsGroup`; default `ReadWriteOnceWithFSType`, immutable.",
    podInfoOnMount:
      'True if the driver receives information about the pod when it mounts; default false, immutable.',
    requiresRepublish: 'True if mounted volumes are published again from time to time; default false.',
    storageCapacity: 'True if scheduling considers the capacity that the driver reports; default false.',
    tokenRequests: "Tokens of the pod's service account that the driver receives when it mounts.",
    volumeLifecycleModes: '`Persistent`, the default, for claims, `Ephemeral` for inline volumes; immutable.',
  },
  CSINode: {
    '': 'CSI drivers on a node; it is named like the node.',
    spec: 'The drivers.',
  },
  CSINodeDriver: {
    '': 'A CSI driver on a node.',
    allocatable: 'Volumes the node can take from the driver; unset means no limit.',
    name: 'Name of the driver.',
    nodeID: 'Name of the node in the driver; immutable.',
    topologyKeys: 'Labels of the node that the driver uses for its topology; immutable.',
  },
  CSINodeSpec: {
    '': 'CSI drivers on a node.',
    drivers: 'The drivers, one entry of each name.',
  },
  CSIStorageCapacity: {
    '': 'Space that a storage class has left in one part of the cluster.',
    capacity: 'Space left; unset when it is not known.',
    maximumVolumeSize: 'Largest volume that can be made; unset when it is not known.',
    nodeTopology: 'Nodes that can reach the storage; unset means none, empty means all, immutable.',
    storageClassName: 'Storage class the capacity is of; immutable.',
  },
  StorageClass: {
    '': 'A kind of storage that volumes are made of on demand.',
    allowVolumeExpansion: 'True if claims may be enlarged; default false.',
    allowedTopologies: 'Places where volumes may be created; empty means anywhere.',
    mountOptions: 'Options that volumes are mounted with, unchecked.',
    parameters: 'Settings for the provisioner, 512 at most; immutable.',
    provisioner: 'Provisioner of the volumes; immutable.',
    reclaimPolicy:
      'Treatment of a volume whose claim was deleted: `Delete`, the default, or `Retain`; immutable.',
    volumeBindingMode:
      '`Immediate`, the default, or `WaitForFirstConsumer` to make the volume where the pod runs; immutable.',
  },
  TokenRequest: {
    '': 'A token for a CSI driver.',
    audience: 'Audience of the token; empty means the API server.',
    expirationSeconds: 'Lifetime in seconds, 600 at least; unset means the default of tokens.',
  },
  VolumeAttachment: {
    '': 'Asks to attach a volume to a node, or to detach it by being deleted.',
    spec: 'Volume and its node; immutable.',
    status: 'True if it is attached.',
  },
  VolumeAttachmentSource: {
    '': 'The volume to attach: a persistent one or one written inline.',
    inlineVolumeSpec: 'Volume as it would stand in a PersistentVolume; for volumes migrated to CSI.',
    persistentVolumeName: 'Name of the PersistentVolume.',
  },
  VolumeAttachmentSpec: {
    '': 'A volume and its node.',
    attacher: 'CSI driver that attaches it.',
    nodeName: 'Node to attach it to.',
    source: 'Volume to attach.',
  },
  VolumeAttachmentStatus: {
    '': 'State of an attachment.',
    attachError: 'Error of the last attempt to attach.',
    attached: 'True once the volume can be used on the node.',
    attachmentMetadata: 'Information from the attacher for the mount.',
    detachError: 'Error of the last attempt to detach.',
  },
  VolumeError: {
    '': 'Something that went wrong with a volume.',
    message: 'Error message; must contain no secrets.',
    time: 'When it happened.',
  },
  VolumeNodeResources: {
    '': "Number of a driver's volumes that a node can attach.",
    count: 'Number of different volumes; unset means no limit.',
  },
});
