import { carryOver, sameValue } from '../../kinds/carry-over.ts';
import { ageColumn, column, nameColumn, wideColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, ObjectSubresource, Strategy } from '../../kinds/kind.ts';
import type { PersistentVolumeClaim } from '../../types/core-v1-persistent-volume.ts';
import { validateClaim, validateClaimStatus, validateClaimUpdate } from '../../validation/volume/claim.ts';
import { accessModesText } from './access-modes.ts';
import { storageClassOf } from './storage-class-of.ts';

type Frozen = DeepReadonly<PersistentVolumeClaim>;

/** Sets the defaults of a PersistentVolumeClaim or of a template for one, in place. */
export function defaultClaim(claim: PersistentVolumeClaim): void {
  const spec = (claim.spec ??= {});
  spec.volumeMode ??= 'Filesystem';
  const status = (claim.status ??= {});
  status.phase ||= 'Pending';
}

/** Removes a data source of an unsupported kind. The feature gate for other kinds is off by default. */
function dropUnsupportedSource(claim: PersistentVolumeClaim): void {
  const source = claim.spec?.dataSource;
  if (source === undefined) return;
  const { kind } = source;
  const apiGroup = source.apiGroup ?? '';
  const isClaim = apiGroup === '' && kind === 'PersistentVolumeClaim';
  const isSnapshot = kind === 'VolumeSnapshot' && apiGroup.startsWith('snapshot.storage.');
  if (!isClaim && !isSnapshot) delete claim.spec?.dataSource;
}

/** Copies the data source between its two fields, as release 1.24 does. */
function unifySources(claim: PersistentVolumeClaim): void {
  const { spec } = claim;
  if (spec?.dataSource && !spec.dataSourceRef) spec.dataSourceRef = { ...spec.dataSource };
  else if (spec?.dataSourceRef && !spec.dataSource) spec.dataSource = { ...spec.dataSourceRef };
}

/** Strategy of PersistentVolumeClaims. */
export const claimStrategy: Strategy<PersistentVolumeClaim> = {
  defaults: defaultClaim,
  prepareForCreate(next) {
    next.status = { phase: 'Pending' };
    dropUnsupportedSource(next);
    unifySources(next);
  },
  prepareForUpdate(next, previous) {
    carryOver(next, previous, 'status');
    if (sameValue(next.spec?.dataSource, previous.spec?.dataSource)) unifySources(next);
  },
  validate: (next) => validateClaim(next),
  validatesChangeToo: true,
  validateUpdate: (next, previous) => validateClaimUpdate(next, previous),
};

const status: ObjectSubresource<PersistentVolumeClaim> = {
  verbs: ['get', 'patch', 'update'],
  prepareForUpdate: (next, previous) => carryOver(next, previous, 'spec'),
  validateUpdate: (next) => validateClaimStatus(next),
};

/** Subresources of PersistentVolumeClaims. */
export const claimSubresources = { status };

const isBound = ({ spec }: Frozen): boolean => (spec?.volumeName ?? '') !== '';

/** Table columns of PersistentVolumeClaims. */
export const claimColumns: readonly Column<PersistentVolumeClaim>[] = [
  nameColumn,
  column<PersistentVolumeClaim>(
    'Status',
    (claim) =>
      claim.metadata?.deletionTimestamp === undefined ? (claim.status?.phase ?? '') : 'Terminating',
    'Phase represents the current phase of PersistentVolumeClaim.',
  ),
  column<PersistentVolumeClaim>(
    'Volume',
    ({ spec }) => spec?.volumeName ?? '',
    'VolumeName is the binding reference to the PersistentVolume backing this claim.',
  ),
  column<PersistentVolumeClaim>(
    'Capacity',
    (claim) => (isBound(claim) ? (claim.status?.capacity?.['storage'] ?? '0') : ''),
    'Represents the actual resources of the underlying volume.',
  ),
  column<PersistentVolumeClaim>(
    'Access Modes',
    (claim) => (isBound(claim) ? accessModesText(claim.status?.accessModes) : ''),
    'AccessModes contains the actual access modes the volume backing the PVC has. More info: https://{domain}/docs/concepts/storage/persistent-volumes#access-modes-1',
  ),
  column<PersistentVolumeClaim>('StorageClass', storageClassOf, 'StorageClass of the pvc'),
  ageColumn,
  wideColumn<PersistentVolumeClaim>(
    'VolumeMode',
    ({ spec }) => spec?.volumeMode ?? '<unset>',
    'volumeMode defines what type of volume is required by the claim. Value of Filesystem is implied when not included in claim spec.',
  ),
];
