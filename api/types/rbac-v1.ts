import { type Infer, listOf, optional, ref, required, string, struct, value } from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';
import { LabelSelector, ObjectMeta } from './meta-v1.ts';

/** Verbs that are allowed on resources, or on paths that are not resources. */
export const PolicyRule = struct('api.rbac.v1.PolicyRule', {
  verbs: required(1, listOf(string)),
  apiGroups: value(2, listOf(string)),
  resources: value(3, listOf(string)),
  resourceNames: value(4, listOf(string)),
  nonResourceURLs: value(5, listOf(string)),
});
export interface PolicyRule extends Infer<typeof PolicyRule> {}

/** Kind Role: a set of permissions in one namespace. */
export const Role = struct('api.rbac.v1.Role', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  rules: required(2, listOf(ref<PolicyRule>(PolicyRule)), { lenient: true }),
});
export interface Role extends Infer<typeof Role> {}

/** Selectors of the ClusterRoles whose rules are merged into a ClusterRole. */
export const AggregationRule = struct('api.rbac.v1.AggregationRule', {
  clusterRoleSelectors: value(1, listOf(ref<LabelSelector>(LabelSelector))),
});
export interface AggregationRule extends Infer<typeof AggregationRule> {}

/** Kind ClusterRole: a set of permissions in the whole cluster or, by a RoleBinding, in one namespace. */
export const ClusterRole = struct('api.rbac.v1.ClusterRole', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  rules: required(2, listOf(ref<PolicyRule>(PolicyRule)), { lenient: true }),
  aggregationRule: optional(3, ref<AggregationRule>(AggregationRule)),
});
export interface ClusterRole extends Infer<typeof ClusterRole> {}

/** Reference to the Role or ClusterRole that a binding grants. */
export const RoleRef = struct(
  'api.rbac.v1.RoleRef',
  {
    apiGroup: required(1, string),
    kind: required(2, string),
    name: required(3, string),
  },
  { mapType: 'atomic' },
);
export interface RoleRef extends Infer<typeof RoleRef> {}

/** A user, group or ServiceAccount to which a binding grants a role. */
export const Subject = struct(
  'api.rbac.v1.Subject',
  {
    kind: required(1, string),
    apiGroup: value(2, string),
    name: required(3, string),
    namespace: value(4, string),
  },
  { mapType: 'atomic' },
);
export interface Subject extends Infer<typeof Subject> {}

/** Kind RoleBinding: grants a role in one namespace to users, groups and ServiceAccounts. */
export const RoleBinding = struct('api.rbac.v1.RoleBinding', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  subjects: value(2, listOf(ref<Subject>(Subject))),
  roleRef: required(3, ref<RoleRef>(RoleRef)),
});
export interface RoleBinding extends Infer<typeof RoleBinding> {}

/** Kind ClusterRoleBinding: grants a ClusterRole in all namespaces to users, groups and ServiceAccounts. */
export const ClusterRoleBinding = struct('api.rbac.v1.ClusterRoleBinding', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  subjects: value(2, listOf(ref<Subject>(Subject))),
  roleRef: required(3, ref<RoleRef>(RoleRef)),
});
export interface ClusterRoleBinding extends Infer<typeof ClusterRoleBinding> {}
