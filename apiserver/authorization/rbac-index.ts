import type { DeepReadonly, UserInfo } from '../../api/kinds/kind.ts';
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  Subject,
} from '../../api/types/rbac-v1.ts';
import { splitServiceAccountUsername } from '../../base/tokens/claims.ts';
import type { ObjectReader } from '../registry/registry.ts';
import { type CompiledRule, compileRule } from './compiled-rule.ts';

export interface RbacReaders {
  readonly roles: ObjectReader<Role>;
  readonly clusterRoles: ObjectReader<ClusterRole>;
  readonly roleBindings: ObjectReader<RoleBinding>;
  readonly clusterRoleBindings: ObjectReader<ClusterRoleBinding>;
}

export interface IndexedRole {
  readonly rules: readonly DeepReadonly<PolicyRule>[];
  readonly compiled: readonly CompiledRule[];
}

/** One subject of one binding. */
export interface Grant {
  /** '' for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly binding: string;
  readonly roleKind: string;
  readonly roleName: string;
  /** Key of the role in the index. */
  readonly role: string;
  readonly subject: DeepReadonly<Subject>;
}

export interface RbacIndex {
  /** The grants that bind a user, cluster-wide ones first, then those of the namespace ('' for none). */
  grantsOf(user: UserInfo, namespace: string): Generator<Grant>;
  role(grant: Grant): IndexedRole | undefined;
  stop(): void;
}

type Binding = DeepReadonly<ClusterRoleBinding | RoleBinding>;

const roleKey = (kind: string, namespace: string, name: string): string =>
  kind === 'ClusterRole' ? `/${name}` : `${namespace}/${name}`;

/** A ServiceAccount subject is its user; one without a namespace is of the binding's. */
function subjectKey(subject: DeepReadonly<Subject>, namespace: string): string | undefined {
  if (subject.kind === 'User') return `u:${subject.name}`;
  if (subject.kind === 'Group') return `g:${subject.name}`;
  const home = subject.namespace === undefined || subject.namespace === '' ? namespace : subject.namespace;
  return subject.kind === 'ServiceAccount' && home !== '' ? `s:${home}/${subject.name}` : undefined;
}

function subjectKeys(user: UserInfo): readonly string[] {
  const account = splitServiceAccountUsername(user.username);
  return [
    `u:${user.username}`,
    ...(account === undefined ? [] : [`s:${account.namespace}/${account.name}`]),
    ...user.groups.map((group) => `g:${group}`),
  ];
}

function grantsIn(binding: Binding): readonly (readonly [key: string, grant: Grant])[] {
  const { name = '', namespace = '' } = binding.metadata ?? {};
  const { roleRef } = binding;
  return (binding.subjects ?? []).flatMap((subject) => {
    const key = subjectKey(subject, namespace);
    if (key === undefined) return [];
    const role = roleKey(roleRef.kind, namespace, roleRef.name);
    const grant: Grant = {
      namespace,
      binding: name,
      roleKind: roleRef.kind,
      roleName: roleRef.name,
      role,
      subject,
    };
    return [[`${namespace}|${key}`, grant] as const];
  });
}

/**
 * Roles by name with their rules compiled, and bindings by namespace and subject, kept current by the readers'
 * changes: a decision looks at what binds its user and nothing else.
 */
export function createRbacIndex(readers: RbacReaders): RbacIndex {
  const roles = new Map<string, IndexedRole>();
  const grants = new Map<string, Set<Grant>>();
  const ofBinding = new Map<string, readonly (readonly [key: string, grant: Grant])[]>();

  function onRole(kind: string) {
    return (
      role: DeepReadonly<ClusterRole | Role> | undefined,
      previous: DeepReadonly<ClusterRole | Role> | undefined,
    ) => {
      const { name = '', namespace = '' } = (role ?? previous)?.metadata ?? {};
      const key = roleKey(kind, namespace, name);
      if (role === undefined) roles.delete(key);
      else {
        const rules = role.rules ?? [];
        roles.set(key, { rules, compiled: rules.map(compileRule) });
      }
    };
  }

  function forget(id: string): void {
    for (const [key, grant] of ofBinding.get(id) ?? []) {
      const set = grants.get(key);
      set?.delete(grant);
      if (set?.size === 0) grants.delete(key);
    }
    ofBinding.delete(id);
  }

  function onBinding(binding: Binding | undefined, previous: Binding | undefined): void {
    const { name = '', namespace = '' } = (binding ?? previous)?.metadata ?? {};
    const id = `${namespace}/${name}`;
    forget(id);
    if (binding === undefined) return;
    const entries = grantsIn(binding);
    ofBinding.set(id, entries);
    for (const [key, grant] of entries) {
      const set = grants.get(key);
      if (set === undefined) grants.set(key, new Set([grant]));
      else set.add(grant);
    }
  }

  const unsubscribe = [
    readers.clusterRoles.subscribe(onRole('ClusterRole')),
    readers.roles.subscribe(onRole('Role')),
    readers.clusterRoleBindings.subscribe(onBinding),
    readers.roleBindings.subscribe(onBinding),
  ];

  return {
    *grantsOf(user, namespace) {
      const keys = subjectKeys(user);
      for (const key of keys) yield* grants.get(`|${key}`) ?? [];
      if (namespace === '') return;
      for (const key of keys) yield* grants.get(`${namespace}|${key}`) ?? [];
    },
    role: (grant) => roles.get(grant.role),
    stop: () => {
      for (const each of unsubscribe) each();
    },
  };
}
