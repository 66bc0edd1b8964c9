import { VOLUME } from './core-volume.ts';
import { CONDITION } from './shared.ts';
import type { Descriptions } from './texts.ts';

/** Descriptions of PersistentVolumes and PersistentVolumeClaims. */
export const corePersistentVolume = (): Descriptions => ({
  PersistentVolume: {
    '': 'A piece of storage in the cluster that a claim can be bound to.',
    spec: 'Location and abilities of the storage.',
    status: 'State of the volume: free, bound or released.',
  },
  PersistentVolumeClaim: {
    '': 'Asks for storage; pods use the volume it is bound to.',
    spec: 'Requested storage.',
    status: 'State of the claim and of its volume.',
  },
  PersistentVolumeClaimCondition: {
    '': "One aspect of a claim's state.",
    ...CONDITION,
    lastProbeTime: 'When the condition was last checked.',
    type: '`Resizing` or `FileSystemResizePending`.',
  },
  PersistentVolumeClaimSpec: {
    '': 'Requested storage; immutable once bound, except for a larger request.',
    accessModes:
      '`ReadWriteOnce`, `ReadOnlyMany`, `ReadWriteMany` or, behind a feature gate, `ReadWriteOncePod`.',
    dataSource: 'Claim or snapshot of the namespace whose content the volume begins with.',
    dataSourceRef: 'The same for objects of any kind; equal to `dataSource` where both are set.',
    resources: 'Size wanted, as the request of `storage`.',
    selector: 'Labels a volume must have.',
    storageClassName: 'Storage class; `""` means volumes without one, unset the default class.',
    volumeMode: '`Filesystem`, the default, or `Block`.',
    volumeName: 'Volume that it is bound to, or is to be.',
  },
  PersistentVolumeClaimStatus: {
    '': 'State of a claim and of its volume.',
    accessModes: 'Access modes of the volume.',
    allocatedResources: 'Size that an enlargement reserves; behind a feature gate.',
    capacity: 'Size of the volume.',
    conditions: 'Progress of an enlargement, one entry of each type.',
    phase: '`Pending`, `Bound`, or `Lost` if the volume was deleted.',
    resizeStatus: 'Progress of an enlargement; behind a feature gate.',
  },
  PersistentVolumeSpec: {
    '': 'Location and abilities of a piece of storage; exactly one source.',
    ...VOLUME,
    accessModes: 'Ways it can be mounted in, such as `ReadWriteOnce`.',
    capacity: 'Size, as `storage`.',
    claimRef: 'Claim it is bound to, or is kept for.',
    local: 'Disk or folder of one node.',
    hostPath: 'Folder of the node, for tests on a single node.',
    mountOptions: 'Options to mount with, unchecked.',
    nodeAffinity: 'Nodes that can reach the volume; immutable once set.',
    persistentVolumeReclaimPolicy:
      'Treatment of the volume after its claim was deleted: `Retain`, the default, `Delete` or `Recycle`.',
    storageClassName: 'Storage class it belongs to; empty for none.',
    volumeMode: '`Filesystem`, the default, or `Block`; immutable.',
  },
  PersistentVolumeStatus: {
    '': 'State of a volume.',
    message: 'Why it is in its phase, in words.',
    phase: '`Pending`, `Available`, `Bound`, `Released` or `Failed`.',
    reason: 'Why it failed, as one word.',
  },
  VolumeNodeAffinity: {
    '': 'Nodes that can reach a volume.',
    required: 'Requirements on nodes; pods with the volume run only on nodes that meet them.',
  },
});
