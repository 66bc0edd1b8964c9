import {
  type Infer,
  boolean,
  listOf,
  optional,
  ref,
  required,
  string,
  struct,
  value,
} from '../../api/schema/index.ts';
import { ObjectMeta } from '../../api/types/meta-v1.ts';
import { typeMeta } from '../../api/types/type-meta.ts';

const GroupResources = struct('audit.v1.GroupResources', {
  group: value(1, string),
  resources: value(2, listOf(string)),
  resourceNames: value(3, listOf(string)),
});
export interface GroupResources extends Infer<typeof GroupResources> {}

const PolicyRule = struct('audit.v1.PolicyRule', {
  level: required(1, string),
  users: value(2, listOf(string)),
  userGroups: value(3, listOf(string)),
  verbs: value(4, listOf(string)),
  resources: value(5, listOf(ref<GroupResources>(GroupResources))),
  namespaces: value(6, listOf(string)),
  nonResourceURLs: value(7, listOf(string)),
  omitStages: value(8, listOf(string)),
  omitManagedFields: optional(9, boolean),
});
export interface PolicyRule extends Infer<typeof PolicyRule> {}

/**
 * Audit policy file
 * (https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/#audit-k8s-io-v1-Policy).
 */
export const Policy = struct('audit.v1.Policy', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  rules: required(2, listOf(ref<PolicyRule>(PolicyRule))),
  omitStages: value(3, listOf(string)),
  omitManagedFields: value(4, boolean),
});
export interface Policy extends Infer<typeof Policy> {}
