import { carryOver } from '../../kinds/carry-over.ts';
import { ageColumn, column, nameColumn, wideColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, Strategy } from '../../kinds/kind.ts';
import type { PersistentVolume, PersistentVolumeSpec } from '../../types/core-v1-persistent-volume.ts';
import { validateVolume, validateVolumeUpdate } from '../../validation/persistent-volume.ts';
import { statusSubresource } from '../status-subresource.ts';
import { accessModesText } from './access-modes.ts';
import { storageClassOf } from './storage-class-of.ts';

export const volumeStrategy: Strategy<PersistentVolume> = {
  defaults(volume) {
    const spec = (volume.spec ??= {});
    spec.persistentVolumeReclaimPolicy ||= 'Retain';
    spec.volumeMode ??= 'Filesystem';
    (volume.status ??= {}).phase ||= 'Pending';
    defaultSource(spec);
  },
  prepareForCreate(next) {
    next.status = { phase: 'Pending' };
  },
  prepareForUpdate: (next, previous) => carryOver(next, previous, 'status'),
  validate: (next) => validateVolume(next),
  validateUpdate: (next, previous) => validateVolumeUpdate(next, previous),
};

function defaultSource({ hostPath, iscsi, rbd, azureDisk, scaleIO }: PersistentVolumeSpec): void {
  if (hostPath) hostPath.type ??= '';
  if (iscsi) iscsi.iscsiInterface ||= 'default';
  if (rbd) {
    rbd.pool ||= 'rbd';
    rbd.user ||= 'admin';
    rbd.keyring ||= '/etc/ceph/keyring';
  }
  if (azureDisk) {
    azureDisk.cachingMode ??= 'ReadWrite';
    azureDisk.kind ??= 'Shared';
    azureDisk.fsType ??= 'ext4';
    azureDisk.readOnly ??= false;
  }
  if (scaleIO) {
    scaleIO.storageMode ||= 'ThinProvisioned';
    scaleIO.fsType ||= 'xfs';
  }
}

export const volumeSubresources = { status: statusSubresource<PersistentVolume>() };

function claimText({ spec }: DeepReadonly<PersistentVolume>): string {
  const claim = spec?.claimRef;
  return claim === undefined ? '' : `${claim.namespace ?? ''}/${claim.name ?? ''}`;
}

export const volumeColumns: readonly Column<PersistentVolume>[] = [
  nameColumn,
  column<PersistentVolume>('Capacity', ({ spec }) => spec?.capacity?.['storage'] ?? '0'),
  column<PersistentVolume>('Access Modes', ({ spec }) => accessModesText(spec?.accessModes)),
  column<PersistentVolume>('Reclaim Policy', ({ spec }) => spec?.persistentVolumeReclaimPolicy ?? ''),
  column<PersistentVolume>('Status', ({ metadata, status }) =>
    metadata?.deletionTimestamp === undefined ? (status?.phase ?? '') : 'Terminating',
  ),
  column<PersistentVolume>('Claim', claimText),
  column<PersistentVolume>('StorageClass', storageClassOf, 'StorageClass of the pv'),
  column<PersistentVolume>('Reason', ({ status }) => status?.reason ?? ''),
  ageColumn,
  wideColumn<PersistentVolume>('VolumeMode', ({ spec }) => spec?.volumeMode ?? '<unset>'),
];
