import type { Descriptions } from './texts.ts';

/** Descriptions of the group `rbac`. */
export const rbac = (): Descriptions => ({
  AggregationRule: {
    '': 'Roles that are merged into a ClusterRole.',
    clusterRoleSelectors: 'ClusterRoles that match one of these selectors add their rules.',
  },
  ClusterRole: {
    '': 'A set of permissions for the whole cluster, or for a namespace where a RoleBinding refers to it.',
    aggregationRule:
      'Makes the rules the union of those of other ClusterRoles; a controller then writes `rules`.',
    rules: 'Permissions; they only add up.',
  },
  ClusterRoleBinding: {
    '': 'Gives users, groups and service accounts a ClusterRole in all namespaces.',
    roleRef: 'ClusterRole that is granted; immutable.',
    subjects: 'User or component that holds it.',
  },
  PolicyRule: {
    '': 'Verbs on resources, or on paths that are no resources.',
    apiGroups: 'Groups of the resources; `""` is the core group and `*` all of them.',
    nonResourceURLs: 'Paths such as `/healthz`, with `*` as the whole last step; only in ClusterRoles.',
    resourceNames: 'Names of single objects; empty means any.',
    resources: 'Resources such as `pods` or, for a subresource, `pods/log`; `*` is all of them.',
    verbs: 'Verbs such as `get` or `create`; `*` is all of them.',
  },
  Role: {
    '': 'A set of permissions in one namespace.',
    rules: 'Permissions; they only add up.',
  },
  RoleBinding: {
    '': 'Gives users, groups and service accounts a role in one namespace.',
    roleRef: 'Role of the namespace or ClusterRole that is granted; immutable.',
    subjects: 'User or component that holds it.',
  },
  RoleRef: {
    '': 'The role that a binding gives.',
    apiGroup: "Group of the role's kind.",
    kind: '`Role` or `ClusterRole`.',
    name: 'Name of the role.',
  },
  Subject: {
    '': 'A user, group or service account.',
    apiGroup: 'Empty for service accounts, the group of the roles for users and groups; filled in by kind.',
    kind: '`User`, `Group` or `ServiceAccount`.',
    name: 'Name as the authenticator gives it.',
    namespace: 'Namespace of a service account; empty for users and groups.',
  },
});
