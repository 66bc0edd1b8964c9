import { defineKind } from '../kinds/kind.ts';
import { WHOLE_TWICE, WHOLE_TWICE_AND_CHANGE } from '../kinds/policy.ts';
import { PersistentVolume, PersistentVolumeClaim } from '../types/core-v1-persistent-volume.ts';
import { ResourceQuota } from '../types/core-v1-quota.ts';
import { claimColumns, claimStrategy, claimSubresources } from './core/persistent-volume-claim.ts';
import { volumeColumns, volumeStrategy, volumeSubresources } from './core/persistent-volume.ts';
import { quotaColumns, quotaStrategy, quotaSubresources } from './core/resource-quota.ts';

const core = { group: '', version: 'v1' } as const;

/** Kind `PersistentVolumeClaim` of `v1`. */
export const persistentVolumeClaims = defineKind<PersistentVolumeClaim>({
  ...core,
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  shortNames: ['pvc'],
  namespaced: true,
  schema: PersistentVolumeClaim,
  strategy: claimStrategy,
  subresources: claimSubresources,
  columns: claimColumns,
  policy: { returnsDeleted: true, rechecks: WHOLE_TWICE_AND_CHANGE },
});

/** Kind `PersistentVolume` of `v1`. */
export const persistentVolumes = defineKind<PersistentVolume>({
  ...core,
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  shortNames: ['pv'],
  namespaced: false,
  schema: PersistentVolume,
  strategy: volumeStrategy,
  subresources: volumeSubresources,
  columns: volumeColumns,
  policy: { returnsDeleted: true, rechecks: WHOLE_TWICE },
});

/** Kind `ResourceQuota` of `v1`. */
export const resourceQuotas = defineKind<ResourceQuota>({
  ...core,
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  shortNames: ['quota'],
  namespaced: true,
  schema: ResourceQuota,
  strategy: quotaStrategy,
  subresources: quotaSubresources,
  columns: quotaColumns,
  policy: { returnsDeleted: true },
});
