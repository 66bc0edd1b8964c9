import { defineKind } from '../kinds/kind.ts';
import { CHANGE, WHOLE, WHOLE_TWICE } from '../kinds/policy.ts';
import {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
} from '../types/storage-v1.ts';
import {
  csiDriverColumns,
  csiDriverStrategy,
  csiNodeColumns,
  csiNodeStrategy,
  csiStorageCapacityStrategy,
} from './storage/csi.ts';
import { storageClassColumns, storageClassStrategy } from './storage/storage-class.ts';
import {
  volumeAttachmentColumns,
  volumeAttachmentStrategy,
  volumeAttachmentSubresources,
} from './storage/volume-attachment.ts';

const storage = { group: 'storage', version: 'v1', namespaced: false } as const;

/** Kind `CSIDriver` of `storage/v1`. */
export const csiDrivers = defineKind<CSIDriver>({
  ...storage,
  kind: 'CSIDriver',
  plural: 'csidrivers',
  schema: CSIDriver,
  strategy: csiDriverStrategy,
  columns: csiDriverColumns,
  policy: { returnsDeleted: true, unconditionalUpdate: false, rechecks: CHANGE },
});

/** Kind `CSINode` of `storage/v1`. */
export const csiNodes = defineKind<CSINode>({
  ...storage,
  kind: 'CSINode',
  plural: 'csinodes',
  schema: CSINode,
  strategy: csiNodeStrategy,
  columns: csiNodeColumns,
  policy: { returnsDeleted: true, unconditionalUpdate: false, rechecks: WHOLE_TWICE },
});

/** Kind `CSIStorageCapacity` of `storage/v1`. */
export const csiStorageCapacities = defineKind<CSIStorageCapacity>({
  ...storage,
  kind: 'CSIStorageCapacity',
  plural: 'csistoragecapacities',
  namespaced: true,
  schema: CSIStorageCapacity,
  strategy: csiStorageCapacityStrategy,
  policy: { rechecks: WHOLE },
});

/** Kind `StorageClass` of `storage/v1`. */
export const storageClasses = defineKind<StorageClass>({
  ...storage,
  kind: 'StorageClass',
  plural: 'storageclasses',
  shortNames: ['sc'],
  schema: StorageClass,
  strategy: storageClassStrategy,
  columns: storageClassColumns,
  policy: { returnsDeleted: true },
});

/** Kind `VolumeAttachment` of `storage/v1`. */
export const volumeAttachments = defineKind<VolumeAttachment>({
  ...storage,
  kind: 'VolumeAttachment',
  plural: 'volumeattachments',
  schema: VolumeAttachment,
  strategy: volumeAttachmentStrategy,
  subresources: volumeAttachmentSubresources,
  columns: volumeAttachmentColumns,
  policy: { returnsDeleted: true, unconditionalUpdate: false, rechecks: WHOLE_TWICE },
});
