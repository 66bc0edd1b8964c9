import { ageColumn, column, nameColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, Strategy } from '../../kinds/kind.ts';
import type { StorageClass } from '../../types/storage-v1.ts';
import { validateStorageClass, validateStorageClassUpdate } from '../../validation/volume/storage-class.ts';

/** Strategy of StorageClasses. */
export const storageClassStrategy: Strategy<StorageClass> = {
  defaults(next) {
    next.reclaimPolicy ??= 'Delete';
    next.volumeBindingMode ??= 'Immediate';
  },
  validate: validateStorageClass,
  validateUpdate: validateStorageClassUpdate,
};

/** True if the class is the default, which an annotation or its beta form states under any vocabulary. */
const isDefault = ({ metadata }: DeepReadonly<StorageClass>): boolean =>
  Object.entries(metadata?.annotations ?? {}).some(
    ([key, text]) => text === 'true' && /^storageclass\.(beta\.)?[^./]+\.io\/is-default-class$/.test(key),
  );

/** Table columns of StorageClasses. */
export const storageClassColumns: readonly Column<StorageClass>[] = [
  {
    ...nameColumn,
    cell: (object: DeepReadonly<StorageClass>) =>
      `${object.metadata?.name ?? ''}${isDefault(object) ? ' (default)' : ''}`,
  },
  column<StorageClass>(
    'Provisioner',
    ({ provisioner }) => provisioner ?? '',
    'Provisioner indicates the type of the provisioner.',
  ),
  column<StorageClass>(
    'ReclaimPolicy',
    ({ reclaimPolicy }) => reclaimPolicy ?? 'Delete',
    'Dynamically provisioned PersistentVolumes of this storage class are created with this reclaimPolicy. Defaults to Delete.',
  ),
  column<StorageClass>(
    'VolumeBindingMode',
    ({ volumeBindingMode }) => volumeBindingMode ?? 'Immediate',
    'VolumeBindingMode indicates how PersistentVolumeClaims should be provisioned and bound.  When unset, VolumeBindingImmediate is used. This field is only honored by servers that enable the VolumeScheduling feature.',
  ),
  column<StorageClass>(
    'AllowVolumeExpansion',
    ({ allowVolumeExpansion }) => allowVolumeExpansion ?? false,
    'AllowVolumeExpansion shows whether the storage class allow volume expand',
  ),
  ageColumn,
];
