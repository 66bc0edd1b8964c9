import { carryOver } from '../../kinds/carry-over.ts';
import { ageColumn, column, nameColumn, wideColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, Strategy } from '../../kinds/kind.ts';
import type { PersistentVolume } from '../../types/core-v1-persistent-volume.ts';
import { validateVolume, validateVolumeUpdate } from '../../validation/volume/persistent-volume.ts';
import { statusSubresource } from '../status-subresource.ts';
import { accessModesText } from './access-modes.ts';
import { storageClassOf } from './storage-class-of.ts';
import { defaultVolumeSource } from './volume-source.ts';

/** Strategy of PersistentVolumes. */
export const volumeStrategy: Strategy<PersistentVolume> = {
  defaults(volume) {
    const spec = (volume.spec ??= {});
    spec.persistentVolumeReclaimPolicy ||= 'Retain';
    spec.volumeMode ??= 'Filesystem';
    (volume.status ??= {}).phase ||= 'Pending';
    defaultVolumeSource(spec);
  },
  prepareForCreate(next) {
    next.status = { phase: 'Pending' };
  },
  prepareForUpdate: (next, previous) => carryOver(next, previous, 'status'),
  validate: validateVolume,
  validatesChangeToo: true,
  validateUpdate: (next, previous) => validateVolumeUpdate(next, previous),
};

/** Subresources of PersistentVolumes. */
export const volumeSubresources = { status: statusSubresource<PersistentVolume>() };

function claimText({ spec }: DeepReadonly<PersistentVolume>): string {
  const claim = spec?.claimRef;
  return claim === undefined ? '' : `${claim.namespace ?? ''}/${claim.name ?? ''}`;
}

/** Table columns of PersistentVolumes. */
export const volumeColumns: readonly Column<PersistentVolume>[] = [
  nameColumn,
  column<PersistentVolume>(
    'Capacity',
    ({ spec }) => spec?.capacity?.['storage'] ?? '0',
    "A description of the persistent volume's resources and capacity. More info: https://{domain}/docs/concepts/storage/persistent-volumes#capacity",
  ),
  column<PersistentVolume>(
    'Access Modes',
    ({ spec }) => accessModesText(spec?.accessModes),
    'AccessModes contains all ways the volume can be mounted. More info: https://{domain}/docs/concepts/storage/persistent-volumes#access-modes',
  ),
  column<PersistentVolume>(
    'Reclaim Policy',
    ({ spec }) => spec?.persistentVolumeReclaimPolicy ?? '',
    'What happens to a persistent volume when released from its claim. Valid options are Retain (default for manually created PersistentVolumes), Delete (default for dynamically provisioned PersistentVolumes), and Recycle (deprecated). Recycle must be supported by the volume plugin underlying this PersistentVolume. More info: https://{domain}/docs/concepts/storage/persistent-volumes#reclaiming',
  ),
  column<PersistentVolume>(
    'Status',
    ({ metadata, status }) =>
      metadata?.deletionTimestamp === undefined ? (status?.phase ?? '') : 'Terminating',
    'Phase indicates if a volume is available, bound to a claim, or released by a claim. More info: https://{domain}/docs/concepts/storage/persistent-volumes#phase',
  ),
  column<PersistentVolume>(
    'Claim',
    claimText,
    'ClaimRef is part of a bi-directional binding between PersistentVolume and PersistentVolumeClaim. Expected to be non-nil when bound. claim.VolumeName is the authoritative bind between PV and PVC. More info: https://{domain}/docs/concepts/storage/persistent-volumes#binding',
  ),
  column<PersistentVolume>('StorageClass', storageClassOf, 'StorageClass of the pv'),
  column<PersistentVolume>(
    'Reason',
    ({ status }) => status?.reason ?? '',
    'Reason is a brief CamelCase string that describes any failure and is meant for machine parsing and tidy display in the CLI.',
  ),
  ageColumn,
  wideColumn<PersistentVolume>(
    'VolumeMode',
    ({ spec }) => spec?.volumeMode ?? '<unset>',
    'volumeMode defines if a volume is intended to be used with a formatted filesystem or to remain in raw block state. Value of Filesystem is implied when not included in spec.',
  ),
];
