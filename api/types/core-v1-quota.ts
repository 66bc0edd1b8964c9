import {
  type Infer,
  listOf,
  mapOf,
  oneOf,
  optional,
  quantity,
  ref,
  required,
  string,
  struct,
  value,
} from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';
import { ObjectMeta } from './meta-v1.ts';

/** A requirement on one scope of a ResourceQuota. */
export const ScopedResourceSelectorRequirement = struct('api.core.v1.ScopedResourceSelectorRequirement', {
  scopeName: required(
    1,
    oneOf(
      'BestEffort',
      'CrossNamespacePodAffinity',
      'NotBestEffort',
      'NotTerminating',
      'PriorityClass',
      'Terminating',
    ),
  ),
  operator: required(2, oneOf('DoesNotExist', 'Exists', 'In', 'NotIn')),
  values: value(3, listOf(string)),
});
export interface ScopedResourceSelectorRequirement extends Infer<typeof ScopedResourceSelectorRequirement> {}

/** Selector of objects by their scopes. An object must meet all requirements. */
export const ScopeSelector = struct(
  'api.core.v1.ScopeSelector',
  {
    matchExpressions: value(
      1,
      listOf(ref<ScopedResourceSelectorRequirement>(ScopedResourceSelectorRequirement)),
    ),
  },
  { mapType: 'atomic' },
);
export interface ScopeSelector extends Infer<typeof ScopeSelector> {}

/** Spec of a ResourceQuota: the limits and the scopes. */
export const ResourceQuotaSpec = struct('api.core.v1.ResourceQuotaSpec', {
  hard: value(1, mapOf(quantity)),
  scopes: value(
    2,
    listOf(
      oneOf(
        'BestEffort',
        'CrossNamespacePodAffinity',
        'NotBestEffort',
        'NotTerminating',
        'PriorityClass',
        'Terminating',
      ),
    ),
  ),
  scopeSelector: optional(3, ref<ScopeSelector>(ScopeSelector)),
});
export interface ResourceQuotaSpec extends Infer<typeof ResourceQuotaSpec> {}

/** Status of a ResourceQuota: the enforced limits and the usage. */
export const ResourceQuotaStatus = struct('api.core.v1.ResourceQuotaStatus', {
  hard: value(1, mapOf(quantity)),
  used: value(2, mapOf(quantity)),
});
export interface ResourceQuotaStatus extends Infer<typeof ResourceQuotaStatus> {}

/** Kind ResourceQuota: limits the total usage of a namespace. */
export const ResourceQuota = struct('api.core.v1.ResourceQuota', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<ResourceQuotaSpec>(ResourceQuotaSpec)),
  status: value(3, ref<ResourceQuotaStatus>(ResourceQuotaStatus)),
});
export interface ResourceQuota extends Infer<typeof ResourceQuota> {}
