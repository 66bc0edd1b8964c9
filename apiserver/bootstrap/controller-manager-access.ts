import { clusterRoleBindings, roleBindings, roles } from '../../api/groups/rbac-v1.ts';
import { ruleWords } from '../../api/rbac/index.ts';
import type { ClusterRoleBinding, RoleBinding, Subject } from '../../api/types/rbac-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { BootstrapWriter } from './bootstrap-writer.ts';
import { CONTROLLER_PREFIX, type DefaultPolicy } from './rbac-roles.ts';

/**
 * Grants the controller manager's user the permissions of each controller, as all controllers run as that
 * user. Each controller has a separate binding, so that an administrator can revoke its permissions alone.
 */
export async function ensureControllerManagerAccess(
  writer: BootstrapWriter,
  vocabulary: Vocabulary,
  policy: DefaultPolicy,
): Promise<void> {
  const user = vocabulary.component('controller-manager');
  const subjects: Subject[] = [
    { kind: 'User', name: user, apiGroup: vocabulary.group('rbac.authorization') },
  ];
  const own = <T extends ClusterRoleBinding | RoleBinding>(bindings: readonly T[]): T[] =>
    bindings.flatMap((binding) => {
      const name = binding.metadata?.name ?? '';
      if (!name.startsWith(CONTROLLER_PREFIX)) return [];
      const metadata = { ...binding.metadata, name: `${user}:${name.slice(CONTROLLER_PREFIX.length)}` };
      return [{ ...binding, metadata, subjects }];
    });
  await Promise.all(
    own(policy.clusterRoleBindings).map((binding) => writer.ensure(clusterRoleBindings, binding)),
  );
  await ensureElections(writer, vocabulary, subjects);
  await Promise.all(own(policy.roleBindings).map((binding) => writer.ensure(roleBindings, binding)));
}

/**
 * Grants access to the leases of controllers that elect their own leader. The default role allows only the
 * lease of the controller manager.
 */
async function ensureElections(
  writer: BootstrapWriter,
  vocabulary: Vocabulary,
  subjects: Subject[],
): Promise<void> {
  const metadata = {
    namespace: vocabulary.namespaces.system,
    name: `${vocabulary.component('controller-manager')}:leader-election`,
  };
  const rules = [ruleWords(vocabulary).can('create get update', 'coordination', 'leases')];
  const roleRef = { apiGroup: vocabulary.group('rbac.authorization'), kind: 'Role', name: metadata.name };
  await writer.ensure(roles, { metadata, rules });
  await writer.ensure(roleBindings, { metadata, subjects, roleRef });
}
