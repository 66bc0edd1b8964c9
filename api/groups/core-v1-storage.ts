import { defineKind } from '../kinds/kind.ts';
import { PersistentVolume, PersistentVolumeClaim } from '../types/core-v1-persistent-volume.ts';
import { ResourceQuota } from '../types/core-v1-quota.ts';
import { claimColumns, claimStrategy, claimSubresources } from './core/persistent-volume-claim.ts';
import { volumeColumns, volumeStrategy, volumeSubresources } from './core/persistent-volume.ts';
import { quotaColumns, quotaStrategy, quotaSubresources } from './core/resource-quota.ts';

const core = { group: '', version: 'v1' } as const;

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
});

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
});

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
});
