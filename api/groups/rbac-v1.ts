import { defineKind } from '../kinds/kind.ts';
import { WHOLE_TWICE_AND_CHANGE } from '../kinds/policy.ts';
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../types/rbac-v1.ts';
import { bindingColumns, clusterRoleBindingStrategy, roleBindingStrategy } from './rbac/bindings.ts';
import { clusterRoleStrategy, roleStrategy } from './rbac/rules.ts';

const rbac = { group: 'rbac.authorization', version: 'v1', nameRule: 'path-segment' } as const;

/** Kind `Role` of `rbac/v1`. */
export const roles = defineKind<Role>({
  ...rbac,
  kind: 'Role',
  plural: 'roles',
  namespaced: true,
  schema: Role,
  strategy: roleStrategy,
  policy: { createOnUpdate: true, rechecks: WHOLE_TWICE_AND_CHANGE },
});

/** Kind `ClusterRole` of `rbac/v1`. */
export const clusterRoles = defineKind<ClusterRole>({
  ...rbac,
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
  schema: ClusterRole,
  strategy: clusterRoleStrategy,
  policy: { createOnUpdate: true, rechecks: WHOLE_TWICE_AND_CHANGE },
});

/** Kind `RoleBinding` of `rbac/v1`. */
export const roleBindings = defineKind<RoleBinding>({
  ...rbac,
  kind: 'RoleBinding',
  plural: 'rolebindings',
  namespaced: true,
  schema: RoleBinding,
  strategy: roleBindingStrategy,
  columns: bindingColumns('roleBinding'),
  policy: { createOnUpdate: true, rechecks: WHOLE_TWICE_AND_CHANGE },
});

/** Kind `ClusterRoleBinding` of `rbac/v1`. */
export const clusterRoleBindings = defineKind<ClusterRoleBinding>({
  ...rbac,
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  namespaced: false,
  schema: ClusterRoleBinding,
  strategy: clusterRoleBindingStrategy,
  columns: bindingColumns('clusterRoleBinding'),
  policy: { createOnUpdate: true, rechecks: WHOLE_TWICE_AND_CHANGE },
});
