import { clusterRoleBindings, roleBindings } from '../../api/groups/rbac-v1.ts';
import type { Subject } from '../../api/types/rbac-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { BootstrapWriter } from './bootstrap-writer.ts';
import { defaultPolicy } from './rbac-roles.ts';

const CONTROLLER_PREFIX = 'system:controller:';

/**
 * Lets the controller manager's own user do what each of its controllers may: all of them run under that one identity.
 * One binding more for each of the default ones, so that a controller's rights stay readable and can be taken singly.
 */
export async function ensureControllerManagerAccess(
  writer: BootstrapWriter,
  vocabulary: Vocabulary,
): Promise<void> {
  const policy = defaultPolicy(vocabulary);
  const user = vocabulary.component('controller-manager');
  const subjects: Subject[] = [
    { kind: 'User', name: user, apiGroup: vocabulary.group('rbac.authorization') },
  ];
  const nameOf = (name: string): string => `${user}:${name.slice(CONTROLLER_PREFIX.length)}`;
  for (const binding of policy.clusterRoleBindings) {
    const name = binding.metadata?.name ?? '';
    if (!name.startsWith(CONTROLLER_PREFIX)) continue;
    await writer.ensure(clusterRoleBindings, {
      ...binding,
      metadata: { ...binding.metadata, name: nameOf(name) },
      subjects,
    });
  }
  for (const binding of policy.roleBindings) {
    const name = binding.metadata?.name ?? '';
    if (!name.startsWith(CONTROLLER_PREFIX)) continue;
    await writer.ensure(roleBindings, {
      ...binding,
      metadata: { ...binding.metadata, name: nameOf(name) },
      subjects,
    });
  }
}
