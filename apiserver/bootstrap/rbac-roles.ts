import { type PermissionsOf, type RuleWords, type RulesByRole, ruleWords } from '../../api/rbac/index.ts';
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  Subject,
} from '../../api/types/rbac-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { AUTHENTICATED, MASTERS, UNAUTHENTICATED } from '../auth/groups.ts';
import { componentRoles } from './component-roles.ts';
import { type ControllerRules, mergeControllerRules } from './controller-rules.ts';
import { foreignControllerRules } from './foreign-controller-roles.ts';
import { aggregatedParts, aggregatedRoles } from './user-roles.ts';

/**
 * Default access-control objects of a cluster
 * (https://github.com/kubernetes/kubernetes/blob/v1.24.0/plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go).
 */
export interface DefaultPolicy {
  readonly clusterRoles: readonly ClusterRole[];
  readonly clusterRoleBindings: readonly ClusterRoleBinding[];
  readonly roles: readonly Role[];
  readonly roleBindings: readonly RoleBinding[];
}

/** Returns builders of the policy's objects for one vocabulary. */
function objectsOf(v: Vocabulary) {
  const apiGroup = v.group('rbac.authorization');
  const apiVersion = v.apiVersion('rbac.authorization', 'v1');
  const metadata = (name: string, namespace = '', labels: Readonly<Record<string, string>> = {}) => ({
    name,
    ...(namespace === '' ? {} : { namespace }),
    labels: { [v.bootstrappingLabel]: 'rbac-defaults', ...labels },
    annotations: { [v.autoupdateAnnotation]: 'true' },
  });
  return {
    metadata,
    user: (name: string): Subject => ({ kind: 'User', apiGroup, name }),
    group: (name: string): Subject => ({ kind: 'Group', apiGroup, name }),
    account: (name: string): Subject => ({ kind: 'ServiceAccount', name, namespace: v.namespaces.system }),
    clusterRole: (name: string, rules: readonly PolicyRule[], labels = {}): ClusterRole => ({
      kind: 'ClusterRole',
      apiVersion,
      metadata: metadata(name, '', labels),
      rules: [...rules],
    }),
    role: (namespace: string, name: string, rules: readonly PolicyRule[]): Role => ({
      kind: 'Role',
      apiVersion,
      metadata: metadata(name, namespace),
      rules: [...rules],
    }),
    clusterRoleBinding: (role: string, subjects: readonly Subject[]): ClusterRoleBinding => ({
      kind: 'ClusterRoleBinding',
      apiVersion,
      metadata: metadata(role),
      subjects: [...subjects],
      roleRef: { apiGroup, kind: 'ClusterRole', name: role },
    }),
    roleBinding: (
      namespace: string,
      name: string,
      role: string,
      subjects: readonly Subject[],
    ): RoleBinding => ({
      kind: 'RoleBinding',
      apiVersion,
      metadata: metadata(name, namespace),
      subjects: [...subjects],
      roleRef: { apiGroup, kind: 'Role', name: role },
    }),
  };
}

type Objects = ReturnType<typeof objectsOf>;

function userRoles(v: Vocabulary, r: RuleWords, o: Objects): readonly ClusterRole[] {
  const label = (to: string): Readonly<Record<string, string>> => ({
    [v.groupKey('rbac.authorization', `aggregate-to-${to}`)]: 'true',
  });
  const aggregated = Object.entries(aggregatedRoles).map(([name, { aggregateTo }]): ClusterRole => ({
    ...o.clusterRole(name, [], aggregateTo === undefined ? {} : label(aggregateTo)),
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: label(name) }] },
  }));
  const parts = Object.entries(aggregatedParts(r)).map(([to, rules]) =>
    o.clusterRole(`system:aggregate-to-${to}`, rules, label(to)),
  );
  return [...aggregated, ...parts];
}

function componentBindings(v: Vocabulary, o: Objects): readonly ClusterRoleBinding[] {
  const manager = v.component('controller-manager');
  const scheduler = v.component('scheduler');
  const dns = v.component('dns');
  const everyone = [o.group(AUTHENTICATED)];
  return [
    o.clusterRoleBinding('cluster-admin', [o.group(MASTERS)]),
    o.clusterRoleBinding('system:basic-user', everyone),
    o.clusterRoleBinding('system:discovery', everyone),
    o.clusterRoleBinding('system:public-info-viewer', [...everyone, o.group(UNAUTHENTICATED)]),
    o.clusterRoleBinding('system:monitoring', [o.group('system:monitoring')]),
    // Unlike upstream, which binds the client certificate for node agents to `cluster-admin`.
    o.clusterRoleBinding(v.agentClient.group, [o.group(v.agentClient.group)]),
    o.clusterRoleBinding('system:service-account-issuer-discovery', [o.group('system:serviceaccounts')]),
    o.clusterRoleBinding('system:node', []),
    o.clusterRoleBinding('system:node-proxier', [o.user(v.component('proxy'))]),
    o.clusterRoleBinding('system:volume-scheduler', [o.user(scheduler)]),
    o.clusterRoleBinding(manager, [o.user(manager)]),
    o.clusterRoleBinding(scheduler, [o.user(scheduler)]),
    o.clusterRoleBinding(dns, [o.account(dns.slice('system:'.length))]),
  ];
}

/** Name prefix of the roles and bindings of controllers. */
export const CONTROLLER_PREFIX = 'system:controller:';

/** ServiceAccount of upstream's cloud controller manager, which is a separate program. */
const CLOUD_PROVIDER = 'cloud-provider';

function namespaceRoles(
  v: Vocabulary,
  r: RuleWords,
  o: Objects,
  controllers: ControllerRules,
): readonly Role[] {
  const { system, public: open } = v.namespaces;
  const locking = (component: string): Role => {
    const name = `${v.short}-${component}`;
    return o.role(system, `system::leader-locking-${name}`, [
      r.can('watch', 'core', 'configmaps'),
      r.can('get update', 'core', 'configmaps', [name]),
    ]);
  };
  const ofControllers = (namespace: string, rules: RulesByRole): readonly Role[] =>
    Object.entries(rules).map(([account, each]) => o.role(namespace, CONTROLLER_PREFIX + account, each));
  return [
    ...ofControllers(open, controllers.public),
    o.role(system, 'extension-apiserver-authentication-reader', [
      r.read('core', 'configmaps', ['extension-apiserver-authentication']),
    ]),
    locking('controller-manager'),
    locking('scheduler'),
    ...ofControllers(system, controllers.system),
  ];
}

function namespaceBindings(v: Vocabulary, o: Objects, controllers: ControllerRules): readonly RoleBinding[] {
  const { system, public: open } = v.namespaces;
  const users = ['controller-manager', 'scheduler'].map((component) => o.user(v.component(component)));
  const same = (namespace: string, name: string, subjects: readonly Subject[]): RoleBinding =>
    o.roleBinding(namespace, name, name, subjects);
  const locking = (component: string): RoleBinding => {
    const name = `${v.short}-${component}`;
    return same(system, `system::leader-locking-${name}`, [o.user(v.component(component)), o.account(name)]);
  };
  const ofControllers = (namespace: string, rules: RulesByRole): readonly RoleBinding[] =>
    Object.keys(rules).map((account) => same(namespace, CONTROLLER_PREFIX + account, [o.account(account)]));
  const reader = 'extension-apiserver-authentication-reader';
  return [
    ...ofControllers(open, controllers.public),
    o.roleBinding(system, `system::${reader}`, reader, users),
    locking('controller-manager'),
    locking('scheduler'),
    ...ofControllers(system, controllers.system),
  ];
}

/**
 * Returns the default policy. It includes the rules of upstream's controllers that are not part of this
 * project.
 * @param permissions rules of the controllers that the cluster runs
 */
export function defaultPolicy(v: Vocabulary, permissions: readonly PermissionsOf[]): DefaultPolicy {
  const r = ruleWords(v);
  const o = objectsOf(v);
  const controllers = mergeControllerRules([
    ...Object.entries(foreignControllerRules(r)).map(([account, everywhere]) => ({ account, everywhere })),
    { account: CLOUD_PROVIDER, system: [r.can('create get list watch', 'core', 'configmaps')] },
    ...permissions.map((permissionsOf) => permissionsOf(r, v)),
  ]);
  const everywhere = Object.entries(controllers.everywhere);
  return {
    clusterRoles: [
      ...userRoles(v, r, o),
      ...Object.entries(componentRoles(v, r)).map(([name, rules]) => o.clusterRole(name, rules)),
      ...everywhere.map(([account, rules]) => o.clusterRole(CONTROLLER_PREFIX + account, rules)),
    ],
    clusterRoleBindings: [
      ...componentBindings(v, o),
      ...everywhere.map(([account]) =>
        o.clusterRoleBinding(CONTROLLER_PREFIX + account, [o.account(account)]),
      ),
    ],
    roles: namespaceRoles(v, r, o, controllers),
    roleBindings: namespaceBindings(v, o, controllers),
  };
}
