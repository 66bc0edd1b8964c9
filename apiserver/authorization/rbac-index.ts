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

/** The rules of a role, as stored and compiled. */
export interface IndexedRole {
  readonly rules: readonly DeepReadonly<PolicyRule>[];
  readonly compiled: readonly CompiledRule[];
}

/** One subject of one binding. */
export interface Grant {
  readonly roleKind: string;
  readonly roleName: string;
  /** Key of the role in the index. */
  readonly role: string;
  /**
   * `ClusterRoleBinding "b" of ClusterRole "r" to Group "g"`: upstream's wording, for which audit logs are
   * searched.
   */
  readonly description: string;
}

/** Look-up of grants and roles for decisions. */
export interface RbacIndex {
  /**
   * Returns the grants of a user by subject: cluster-wide ones first, then those of the namespace ('' for
   * none).
   */
  grantsOf(user: UserInfo, namespace: string): readonly ReadonlySet<Grant>[];
  role(grant: Grant): IndexedRole | undefined;
  stop(): void;
}

type Binding = DeepReadonly<ClusterRoleBinding | RoleBinding>;

const roleKey = (kind: string, namespace: string, name: string): string =>
  kind === 'ClusterRole' ? `/${name}` : `${namespace}/${name}`;

/**
 * Returns the user or group of a subject. A ServiceAccount without a namespace belongs to that of the
 * binding. Undefined for an invalid subject.
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
 * Number of groups above which they are charged: a review may name any number of groups. Work units per
 * group.
 */
const MANY_GROUPS = 100;
const GROUP_WORK = 0.1;

/** Grants of one namespace, by holder; a service account's are stored under its username. */
class Grants {
  readonly users = new MembersByKey<Grant>();
  readonly groups = new MembersByKey<Grant>();
}

/** A grant whose description is computed on first use: most grants never allow anything. */
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
 * Creates an index of roles by name, and of bindings by namespace and subject, kept current by the readers'
 * changes. A decision only reads the bindings of its user.
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

/** A role that is compiled on first use: most of the default roles are bound to no user. */
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

/** Undefined for a deleted object; `previous` is its last state then. */
type Known<T> = DeepReadonly<T> | undefined;

class FollowedIndex implements Omit<RbacIndex, 'stop'> {
  readonly #roles = new Map<string, IndexedRole>();
  /** Grants by namespace, '' for cluster-wide ones. */
  readonly #grants = new Map<string, Grants>();
  readonly #ofBinding = new Map<string, readonly HeldGrant[]>();

  grantsOf(user: UserInfo, namespace: string): readonly ReadonlySet<Grant>[] {
    const found: ReadonlySet<Grant>[] = [];
    this.#find(user, '', found);
    if (namespace !== '') this.#find(user, namespace, found);
    return found;
  }

  /** Called for every request. Looks up existing strings: hashing a concatenated key would cost more. */
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
