import { ageColumn, column, nameColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, Strategy } from '../../kinds/kind.ts';
import type { StorageClass } from '../../types/storage-v1.ts';
import { validateStorageClass, validateStorageClassUpdate } from '../../validation/storage-class.ts';

export const storageClassStrategy: Strategy<StorageClass> = {
  defaults(next) {
    next.reclaimPolicy ??= 'Delete';
    next.volumeBindingMode ??= 'Immediate';
  },
  validate: validateStorageClass,
  validateUpdate: validateStorageClassUpdate,
};

/** The annotation of today or its beta form, under whatever vocabulary. */
const isDefault = ({ metadata }: DeepReadonly<StorageClass>): boolean =>
  Object.entries(metadata?.annotations ?? {}).some(
    ([key, text]) => text === 'true' && /^storageclass\.(beta\.)?[^./]+\.io\/is-default-class$/.test(key),
  );

export const storageClassColumns: readonly Column<StorageClass>[] = [
  {
    ...nameColumn,
    cell: (object: DeepReadonly<StorageClass>) =>
      `${object.metadata?.name ?? ''}${isDefault(object) ? ' (default)' : ''}`,
  },
  column<StorageClass>('Provisioner', ({ provisioner }) => provisioner ?? ''),
  column<StorageClass>('ReclaimPolicy', ({ reclaimPolicy }) => reclaimPolicy ?? 'Delete'),
  column<StorageClass>('VolumeBindingMode', ({ volumeBindingMode }) => volumeBindingMode ?? 'Immediate'),
  column<StorageClass>('AllowVolumeExpansion', ({ allowVolumeExpansion }) => allowVolumeExpansion ?? false),
  ageColumn,
];
