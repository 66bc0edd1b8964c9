import { carryOver } from '../../kinds/carry-over.ts';
import { ageColumn, column, nameColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, Strategy } from '../../kinds/kind.ts';
import type { ResourceQuota } from '../../types/core-v1-quota.ts';
import {
  validateQuota,
  validateQuotaStatus,
  validateQuotaUpdate,
} from '../../validation/policy/resource-quota.ts';
import { statusSubresource } from '../status-subresource.ts';

/** Strategy of ResourceQuotas. */
export const quotaStrategy: Strategy<ResourceQuota> = {
  prepareForCreate(next) {
    next.status = {};
  },
  prepareForUpdate: (next, previous) => carryOver(next, previous, 'status'),
  validate: (next) => validateQuota(next),
  validateUpdate: (next, previous) => validateQuotaUpdate(next, previous),
};

/** Subresources of ResourceQuotas. */
export const quotaSubresources = {
  status: statusSubresource<ResourceQuota>((next) => validateQuotaStatus(next)),
};

/** Formats the usage of limits (`limits` true) or of all other resources: `pods: 1/10, requests.cpu: 2/4`. */
function usageText({ status }: DeepReadonly<ResourceQuota>, limits: boolean): string {
  const used = new Map(Object.entries(status?.used ?? {}));
  return Object.entries(status?.hard ?? {})
    .filter(([name]) => name.startsWith('limits') === limits)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, hard]) => `${name}: ${used.get(name) ?? '0'}/${hard}`)
    .join(', ');
}

/** Table columns of ResourceQuotas. */
export const quotaColumns: readonly Column<ResourceQuota>[] = [
  nameColumn,
  ageColumn,
  column<ResourceQuota>(
    'Request',
    (quota) => usageText(quota, false),
    'Request represents a minimum amount of cpu/memory that a container may consume.',
  ),
  column<ResourceQuota>(
    'Limit',
    (quota) => usageText(quota, true),
    'Limits control the maximum amount of cpu/memory that a container may use independent of contention on the node.',
  ),
];
