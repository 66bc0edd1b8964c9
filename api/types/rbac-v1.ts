import { type Infer, listOf, optional, ref, required, string, struct, value } from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';
import { LabelSelector, ObjectMeta } from './meta-v1.ts';

/** Verbs on resources, or on paths that are no resources. */
export const PolicyRule = struct('api.rbac.v1.PolicyRule', {
  verbs: required(1, listOf(string)),
  apiGroups: value(2, listOf(string)),
  resources: value(3, listOf(string)),
  resourceNames: value(4, listOf(string)),
  nonResourceURLs: value(5, listOf(string)),
});
export interface PolicyRule extends Infer<typeof PolicyRule> {}

/** A set of permissions in one namespace. */
export const Role = struct('api.rbac.v1.Role', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  rules: required(2, listOf(ref<PolicyRule>(PolicyRule)), { lenient: true }),
});
export interface Role extends Infer<typeof Role> {}

/** Roles that are merged into a ClusterRole. */
export const AggregationRule = struct('api.rbac.v1.AggregationRule', {
  clusterRoleSelectors: value(1, listOf(ref<LabelSelector>(LabelSelector))),
});
export interface AggregationRule extends Infer<typeof AggregationRule> {}

/** A set of permissions for the whole cluster, or for a namespace where a RoleBinding refers to it. */
export const ClusterRole = struct('api.rbac.v1.ClusterRole', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  rules: required(2, listOf(ref<PolicyRule>(PolicyRule)), { lenient: true }),
  aggregationRule: optional(3, ref<AggregationRule>(AggregationRule)),
});
export interface ClusterRole extends Infer<typeof ClusterRole> {}

/** The role that a binding gives. */
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

/** A user, group or service account. */
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

/** Gives users, groups and service accounts a role in one namespace. */
export const RoleBinding = struct('api.rbac.v1.RoleBinding', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  subjects: value(2, listOf(ref<Subject>(Subject))),
  roleRef: required(3, ref<RoleRef>(RoleRef)),
});
export interface RoleBinding extends Infer<typeof RoleBinding> {}

/** Gives users, groups and service accounts a ClusterRole in all namespaces. */
export const ClusterRoleBinding = struct('api.rbac.v1.ClusterRoleBinding', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  subjects: value(2, listOf(ref<Subject>(Subject))),
  roleRef: required(3, ref<RoleRef>(RoleRef)),
});
export interface ClusterRoleBinding extends Infer<typeof ClusterRoleBinding> {}
