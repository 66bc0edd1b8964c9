import type { DeepReadonly, UserInfo } from '../../api/kinds/index.ts';
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  Subject,
} from '../../api/types/rbac-v1.ts';
import { serviceAccountUsername, splitServiceAccountUsername } from '../../base/tokens/index.ts';
import { spend } from '../../base/budget/index.ts';
import type { ObjectReader } from '../registry/registry.ts';
import { type CompiledRule, compileRule } from './compiled-rule.ts';
import { MembersByKey } from './members-by-key.ts';

export interface RbacReaders {
  readonly roles: ObjectReader<Role>;
  readonly clusterRoles: ObjectReader<ClusterRole>;
  readonly roleBindings: ObjectReader<RoleBinding>;
  readonly clusterRoleBindings: ObjectReader<ClusterRoleBinding>;
}

/** Rules of a role, as stored and as compiled. */
export interface IndexedRole {
  readonly rules: readonly DeepReadonly<PolicyRule>[];
  readonly compiled: readonly CompiledRule[];
}

/** Grant of one role to one subject of a binding. */
export interface Grant {
  readonly roleKind: string;
  readonly roleName: string;
  /** Key of the role in the index. */
  readonly role: string;
  /**
   * Description with upstream's wording, such as `ClusterRoleBinding "b" of ClusterRole "r" to Group "g"`.
   * Administrators search audit logs for it.
   */
  readonly description: string;
}

/** Lookup of grants and roles for decisions. */
export interface RbacIndex {
  /**
   * Returns the grants of a user by subject. Cluster-wide grants precede those of the namespace. For an empty
   * namespace, only cluster-wide grants are returned.
   */
  grantsOf(user: UserInfo, namespace: string): readonly ReadonlySet<Grant>[];
  role(grant: Grant): IndexedRole | undefined;
  stop(): void;
}

type Binding = DeepReadonly<ClusterRoleBinding | RoleBinding>;

const roleKey = (kind: string, namespace: string, name: string): string =>
  kind === 'ClusterRole' ? `/${name}` : `${namespace}/${name}`;

/**
 * Returns the user or group of a subject. Returns undefined for an invalid subject. `binding` is the
 * namespace of the binding, which is the default for ServiceAccounts.
 */
function holderOf(subject: DeepReadonly<Subject>, binding: string): Holder | undefined {
  if (subject.kind === 'User') return { kind: 'users', name: subject.name };
  if (subject.kind === 'Group') return { kind: 'groups', name: subject.name };
  if (subject.kind !== 'ServiceAccount') return undefined;
  const namespace = subject.namespace === undefined || subject.namespace === '' ? binding : subject.namespace;
  const name = serviceAccountUsername(namespace, subject.name);
  return splitServiceAccountUsername(name) === undefined ? undefined : { kind: 'users', name };
}

interface Holder {
  readonly kind: 'users' | 'groups';
  readonly name: string;
}

/**
 * Number of groups above which each group is charged to the work budget, as a review may name any number of
 * groups.
 */
const MANY_GROUPS = 100;
const GROUP_WORK = 0.1; // Work units per group.

/**
 * Grants of one namespace, by user and by group. Grants to a service account are stored under its username.
 */
class Grants {
  readonly users = new MembersByKey<Grant>();
  readonly groups = new MembersByKey<Grant>();
}

/** Grant whose description is computed on first use, as most grants never allow a request. */
class BindingGrant implements Grant {
  readonly roleKind: string;
  readonly roleName: string;
  readonly role: string;
  readonly #binding: Binding;
  readonly #subject: DeepReadonly<Subject>;
  #description: string | undefined;

  constructor(binding: Binding, subject: DeepReadonly<Subject>) {
    const { kind, name } = binding.roleRef;
    this.roleKind = kind;
    this.roleName = name;
    this.role = roleKey(kind, binding.metadata?.namespace ?? '', name);
    this.#binding = binding;
    this.#subject = subject;
  }

  get description(): string {
    return (this.#description ??= describe(this.#binding, this.#subject));
  }
}

function describe({ metadata, roleRef }: Binding, subject: DeepReadonly<Subject>): string {
  const { name = '', namespace = '' } = metadata ?? {};
  const quote = (text: string): string => JSON.stringify(text);
  const from =
    namespace === '' ? `ClusterRoleBinding ${quote(name)}` : `RoleBinding ${quote(`${name}/${namespace}`)}`;
  const who =
    subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace || namespace}` : subject.name;
  return `${from} of ${roleRef.kind} ${quote(roleRef.name)} to ${subject.kind} ${quote(who)}`;
}

interface HeldGrant {
  readonly holder: Holder;
  readonly grant: Grant;
}

const grantsIn = (binding: Binding, namespace: string): readonly HeldGrant[] =>
  (binding.subjects ?? []).flatMap((subject) => {
    const holder = holderOf(subject, namespace);
    return holder === undefined ? [] : [{ holder, grant: new BindingGrant(binding, subject) }];
  });

/**
 * Creates an index of roles by name, and of bindings by namespace and subject. The index follows changes of
 * the readers. A decision reads only the grants of its user.
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

/** Role that is compiled on first use, as most of the default roles are bound to no user. */
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

/** Current state of an object; undefined after its deletion. */
type Known<T> = DeepReadonly<T> | undefined;

class FollowedIndex implements Omit<RbacIndex, 'stop'> {
  readonly #roles = new Map<string, IndexedRole>();
  /** Grants by namespace; cluster-wide grants are stored under ''. */
  readonly #grants = new Map<string, Grants>();
  readonly #ofBinding = new Map<string, readonly HeldGrant[]>();

  grantsOf(user: UserInfo, namespace: string): readonly ReadonlySet<Grant>[] {
    const found: ReadonlySet<Grant>[] = [];
    this.#find(user, '', found);
    if (namespace !== '') this.#find(user, namespace, found);
    return found;
  }

  /**
   * Runs for every request. Looks up existing strings, as concatenating and hashing a new key would cost
   * more.
   */
  #find({ username, groups }: UserInfo, namespace: string, found: ReadonlySet<Grant>[]): void {
    const grants = this.#grants.get(namespace);
    if (grants === undefined) return;
    const own = grants.users.of(username);
    if (own !== undefined) found.push(own);
    if (groups.length > MANY_GROUPS) spend(groups.length * GROUP_WORK);
    for (const group of groups) {
      const shared = grants.groups.of(group);
      if (shared !== undefined) found.push(shared);
    }
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
    const grants = this.#grants.get(namespace) ?? new Grants();
    for (const { holder, grant } of this.#ofBinding.get(id) ?? [])
      grants[holder.kind].delete(holder.name, grant);
    const held = binding === undefined ? [] : grantsIn(binding, namespace);
    for (const { holder, grant } of held) grants[holder.kind].add(holder.name, grant);
    if (binding === undefined) this.#ofBinding.delete(id);
    else this.#ofBinding.set(id, held);
    if (grants.users.isEmpty && grants.groups.isEmpty) this.#grants.delete(namespace);
    else this.#grants.set(namespace, grants);
  }
}
