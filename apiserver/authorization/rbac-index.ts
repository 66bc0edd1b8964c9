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
import { MembersByKey } from './members-by-key.ts';

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
 * Roles by name, and bindings by namespace and subject, kept current by the readers' changes: a decision looks at what
 * binds its user and nothing else.
 */
export function createRbacIndex(readers: RbacReaders): RbacIndex {
  const index = new FollowedIndex();
  const unsubscribe = [
    readers.clusterRoles.subscribe((role, previous) => index.setRole('ClusterRole', role, previous)),
    readers.roles.subscribe((role, previous) => index.setRole('Role', role, previous)),
    readers.clusterRoleBindings.subscribe((binding, previous) => index.setBinding(binding, previous)),
    readers.roleBindings.subscribe((binding, previous) => index.setBinding(binding, previous)),
  ];
  return {
    grantsOf: (user, namespace) => index.grantsOf(user, namespace),
    role: (grant) => index.role(grant),
    stop: () => {
      for (const each of unsubscribe) each();
    },
  };
}

/** Compiled when a decision first looks at it: of the roles that a cluster is born with most are bound to nobody. */
class CompilingRole implements IndexedRole {
  readonly rules: IndexedRole['rules'];
  #compiled: IndexedRole['compiled'] | undefined;

  constructor(rules: IndexedRole['rules']) {
    this.rules = rules;
  }

  get compiled(): IndexedRole['compiled'] {
    return (this.#compiled ??= this.rules.map(compileRule));
  }
}

/** Undefined for what is gone; then `previous` is what it was. */
type Known<T> = DeepReadonly<T> | undefined;

class FollowedIndex implements Omit<RbacIndex, 'stop'> {
  readonly #roles = new Map<string, IndexedRole>();
  readonly #grants = new MembersByKey<Grant>();
  readonly #ofBinding = new Map<string, readonly (readonly [key: string, grant: Grant])[]>();

  *grantsOf(user: UserInfo, namespace: string): Generator<Grant> {
    const keys = subjectKeys(user);
    for (const key of keys) yield* this.#grants.of(`|${key}`) ?? [];
    if (namespace === '') return;
    for (const key of keys) yield* this.#grants.of(`${namespace}|${key}`) ?? [];
  }

  role({ role }: Grant): IndexedRole | undefined {
    return this.#roles.get(role);
  }

  setRole(kind: string, role: Known<ClusterRole | Role>, previous: Known<ClusterRole | Role>): void {
    const { name = '', namespace = '' } = (role ?? previous)?.metadata ?? {};
    const key = roleKey(kind, namespace, name);
    if (role === undefined) this.#roles.delete(key);
    else this.#roles.set(key, new CompilingRole(role.rules ?? []));
  }

  setBinding(binding: Binding | undefined, previous: Binding | undefined): void {
    const { name = '', namespace = '' } = (binding ?? previous)?.metadata ?? {};
    const id = `${namespace}/${name}`;
    for (const [key, grant] of this.#ofBinding.get(id) ?? []) this.#grants.delete(key, grant);
    this.#ofBinding.delete(id);
    if (binding === undefined) return;
    const entries = grantsIn(binding);
    this.#ofBinding.set(id, entries);
    for (const [key, grant] of entries) this.#grants.add(key, grant);
  }
}
