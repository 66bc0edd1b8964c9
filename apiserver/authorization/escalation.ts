import type { DeepReadonly, UserInfo } from '../../api/kinds/kind.ts';
import { forbidden, notFound } from '../../api/status/api-error.ts';
import type { ClusterRole, PolicyRule, RoleBinding } from '../../api/types/rbac-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/vocabulary.ts';
import { MASTERS } from '../auth/groups.ts';
import type { AdmissionPlugin, AdmissionRequest, Authorizer } from '../request.ts';
import { isOnlyLettingGo } from './letting-go.ts';
import type { RbacAuthorizer } from './rbac.ts';
import type { RbacReaders } from './rbac-index.ts';
import { compact, describeRule, goList, uncovered } from './rule-coverage.ts';

type Rule = DeepReadonly<PolicyRule>;

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

const ROLES = new Set(['roles', 'clusterroles']);
const BINDINGS = new Set(['rolebindings', 'clusterrolebindings']);

export interface EscalationOptions {
  readonly rbac: Pick<RbacAuthorizer, 'rulesFor'>;
  readonly readers: Pick<RbacReaders, 'roles' | 'clusterRoles'>;
  /** All modes together: asked for the verbs `escalate` and `bind`. */
  readonly authorizer: Authorizer;
  readonly vocabulary: Vocabulary;
}

/**
 * Nobody grants more than they hold: who writes a role must hold all its rules or the verb `escalate` on it, who
 * writes a binding all rules of the role it refers to or the verb `bind` on that role (specification 1, section 2.8).
 * Runs with the validating plugins, after everything that could still change the object; it is part of the group and
 * can't be switched off.
 */
export function createEscalationCheck(options: EscalationOptions): AdmissionPlugin {
  const { rbac, readers, authorizer, vocabulary } = options;
  const group = vocabulary.group('rbac.authorization');

  async function isAllowed(
    user: UserInfo,
    verb: string,
    resource: string,
    namespace: string,
    name: string,
  ): Promise<boolean> {
    const attributes = { user, verb, isResourceRequest: true, path: '', group, version: 'v1' };
    const decision = await authorizer.authorize({
      ...attributes,
      resource,
      subresource: '',
      namespace,
      name,
    });
    return decision.verdict === 'allow';
  }

  function confirm(user: UserInfo, namespace: string, wanted: readonly Rule[]): string | undefined {
    const { rules, errors } = rbac.rulesFor(user, namespace);
    const missing = uncovered(rules, wanted);
    if (missing.length === 0) return undefined;
    const lines = [...new Set(compact(missing).map(describeRule))].sort().join('\n');
    const trouble = errors.length === 0 ? '' : `; resolution errors: [${errors.join(', ')}]`;
    return `user ${JSON.stringify(user.username)} (groups=${goList(user.groups)}) is attempting to grant RBAC permissions not currently held:\n${lines}${trouble}`;
  }

  async function checkRole(
    request: DeepReadonly<AdmissionRequest>,
    object: DeepReadonly<ClusterRole>,
  ): Promise<void> {
    const { user, namespace, kind } = request;
    const name = object.metadata?.name ?? '';
    if (await isAllowed(user, 'escalate', kind.plural, namespace, request.operation === 'CREATE' ? '' : name))
      return;
    const previous = request.previous as DeepReadonly<ClusterRole> | undefined;
    const resource = { group, resource: kind.plural };
    const refusal = confirm(user, namespace, object.rules ?? []);
    if (refusal !== undefined) throw forbidden(resource, name, refusal);
    const aggregates = (role: DeepReadonly<ClusterRole> | undefined): boolean =>
      (role?.aggregationRule?.clusterRoleSelectors ?? []).length > 0;
    if ((aggregates(object) || aggregates(previous)) && confirm(user, namespace, EVERYTHING) !== undefined)
      throw forbidden(resource, name, 'must have cluster-admin privileges to use the aggregationRule');
  }

  async function checkBinding(
    request: DeepReadonly<AdmissionRequest>,
    object: DeepReadonly<RoleBinding>,
  ): Promise<void> {
    const { user, namespace, kind } = request;
    const { roleRef } = object;
    const isCluster = roleRef.kind === 'ClusterRole';
    const plural = isCluster ? 'clusterroles' : 'roles';
    if (await isAllowed(user, 'bind', plural, namespace, roleRef.name)) return;
    const role = isCluster
      ? await readers.clusterRoles.live('', roleRef.name)
      : await readers.roles.live(namespace, roleRef.name);
    if (role === undefined) throw notFound({ group, resource: plural }, roleRef.name);
    const refusal = confirm(user, namespace, role.rules ?? []);
    if (refusal !== undefined)
      throw forbidden({ group, resource: kind.plural }, object.metadata?.name ?? '', refusal);
  }

  return {
    name: 'EscalationCheck',
    operations: ['CREATE', 'UPDATE'],
    concerns: ({ group: of }) => of === 'rbac.authorization',
    async validate(request) {
      const { kind, object, previous, user } = request;
      if (kind.group !== 'rbac.authorization' || object === undefined || request.subresource !== '') return;
      if (user.groups.includes(MASTERS)) return;
      if (previous !== undefined && isOnlyLettingGo(object, previous)) return;
      if (ROLES.has(kind.plural)) await checkRole(request, object as DeepReadonly<ClusterRole>);
      if (BINDINGS.has(kind.plural)) await checkBinding(request, object as DeepReadonly<RoleBinding>);
    },
  };
}
