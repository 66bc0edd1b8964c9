import type { Descriptions } from './texts.ts';

export const storage = (): Descriptions => ({
  CSIDriver: {
    '': 'What the cluster must know of a CSI driver; it is named like the driver.',
    spec: 'What the driver needs and can do.',
  },
  CSIDriverSpec: {
    '': 'What a CSI driver needs and can do.',
    attachRequired:
      'Whether volumes are attached to a node before they are mounted; default true, immutable.',
    fsGroupPolicy:
      "When volumes change hands to a pod's `fsGroup`; default `ReadWriteOnceWithFSType`, immutable.",
    podInfoOnMount: 'Whether the driver is told about the pod when it mounts; default false, immutable.',
    requiresRepublish: 'Whether mounted volumes are published again from time to time; default false.',
    storageCapacity: 'Whether scheduling heeds the capacity that the driver reports; default false.',
    tokenRequests: "Tokens of the pod's service account that the driver is given when it mounts.",
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
    nodeID: 'What the driver calls the node; immutable.',
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
    allowVolumeExpansion: 'Whether claims may be made larger; default false.',
    allowedTopologies: 'Where volumes may be made; empty means anywhere.',
    mountOptions: 'Options that volumes are mounted with, unchecked.',
    parameters: 'Settings for the provisioner, 512 at most; immutable.',
    provisioner: 'Who makes the volumes; immutable.',
    reclaimPolicy:
      'What becomes of a volume whose claim is gone: `Delete`, the default, or `Retain`; immutable.',
    volumeBindingMode:
      '`Immediate`, the default, or `WaitForFirstConsumer` to make the volume where the pod runs; immutable.',
  },
  TokenRequest: {
    '': 'A token that a CSI driver is given.',
    audience: 'Who is to accept the token; empty means the API server.',
    expirationSeconds: 'Lifetime in seconds, 600 at least; unset means the default of tokens.',
  },
  VolumeAttachment: {
    '': 'Asks to attach a volume to a node, or to detach it by being deleted.',
    spec: 'Which volume goes to which node; immutable.',
    status: 'Whether it is attached.',
  },
  VolumeAttachmentSource: {
    '': 'The volume to attach: a persistent one or one written inline.',
    inlineVolumeSpec: 'Volume as it would stand in a PersistentVolume; for volumes migrated to CSI.',
    persistentVolumeName: 'Name of the PersistentVolume.',
  },
  VolumeAttachmentSpec: {
    '': 'Which volume goes to which node.',
    attacher: 'CSI driver that attaches it.',
    nodeName: 'Node to attach it to.',
    source: 'Volume to attach.',
  },
  VolumeAttachmentStatus: {
    '': 'Whether a volume is attached.',
    attachError: 'What went wrong when attaching last.',
    attached: 'True once the volume can be used on the node.',
    attachmentMetadata: 'What the attacher hands on to the mount.',
    detachError: 'What went wrong when detaching last.',
  },
  VolumeError: {
    '': 'Something that went wrong with a volume.',
    message: 'What went wrong; must hold no secrets.',
    time: 'When it happened.',
  },
  VolumeNodeResources: {
    '': "What a node can take of a driver's volumes.",
    count: 'Number of different volumes; unset means no limit.',
  },
});
