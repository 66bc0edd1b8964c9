import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '../../api/groups/index.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  Subject,
} from '../../api/types/rbac-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { uncovered } from '../authorization/rule-coverage.ts';
import type { BootstrapWriter } from './bootstrap-writer.ts';
import type { DefaultPolicy } from './rbac-roles.ts';

type AnyRole = ClusterRole | Role;
type AnyBinding = ClusterRoleBinding | RoleBinding;

/** True if an administrator has turned off automatic updates of the object. */
const isOwned = (object: DeepReadonly<AnyBinding | AnyRole>, autoupdate: string): boolean =>
  object.metadata?.annotations?.[autoupdate] === 'false';

/**
 * Returns `wanted` merged with `current`, whose values take precedence. Returns undefined if `current` has
 * all keys of `wanted`.
 */
function missingKeys(
  current: Readonly<Record<string, string>> | undefined,
  wanted: Readonly<Record<string, string>> | undefined,
): Record<string, string> | undefined {
  const missing = Object.keys(wanted ?? {}).some((key) => !Object.hasOwn(current ?? {}, key));
  return missing ? { ...wanted, ...current } : undefined;
}

/** Returns metadata with the missing labels and annotations added. Returns undefined if none is missing. */
function mergedMetadata<T extends AnyBinding | AnyRole>(
  current: DeepReadonly<T>,
  wanted: T,
): T['metadata'] | undefined {
  const labels = missingKeys(current.metadata?.labels, wanted.metadata?.labels);
  const annotations = missingKeys(current.metadata?.annotations, wanted.metadata?.annotations);
  if (labels === undefined && annotations === undefined) return undefined;
  return structuredClone({
    ...current.metadata,
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  }) as T['metadata'];
}

/**
 * Appends the missing rules to a role; additional rules stay. In an aggregated role, only missing selectors
 * are added, as a controller writes the rules. Returns undefined if nothing is missing.
 */
function mergeRole<T extends AnyRole>(
  current: DeepReadonly<T>,
  wanted: T,
  autoupdate: string,
): T | undefined {
  if (isOwned(current, autoupdate)) return undefined;
  const metadata = mergedMetadata(current, wanted);
  const selectors = missingSelectors(current, wanted);
  const aggregates = 'aggregationRule' in wanted && wanted.aggregationRule !== undefined;
  const missing: readonly PolicyRule[] = aggregates ? [] : uncovered(current.rules ?? [], wanted.rules).rules;
  if (metadata === undefined && selectors === undefined && missing.length === 0) return undefined;
  return structuredClone({
    ...current,
    ...(metadata === undefined ? {} : { metadata }),
    ...(selectors === undefined ? {} : { aggregationRule: { clusterRoleSelectors: selectors } }),
    rules: [...(current.rules ?? []), ...missing],
  }) as T;
}

function missingSelectors(
  current: DeepReadonly<ClusterRole>,
  wanted: ClusterRole,
): readonly unknown[] | undefined {
  const held = current.aggregationRule?.clusterRoleSelectors ?? [];
  const known = new Set(held.map((selector) => JSON.stringify(selector)));
  const missing = (wanted.aggregationRule?.clusterRoleSelectors ?? []).filter(
    (selector) => !known.has(JSON.stringify(selector)),
  );
  return missing.length === 0 ? undefined : [...held, ...missing];
}

const subjectId = ({ kind, name, namespace = '' }: DeepReadonly<Subject>): string =>
  JSON.stringify([kind, namespace, name]);

/** Change that reconciliation makes to a binding. */
export type BindingChange<T> = 'keep' | 'replace' | { readonly update: T };

/**
 * Adds missing subjects to a binding. A binding that refers to another role is replaced, as `roleRef` is
 * immutable.
 */
function mergeBinding<T extends AnyBinding>(
  current: DeepReadonly<T>,
  wanted: T,
  autoupdate: string,
): BindingChange<T> {
  if (isOwned(current, autoupdate)) return 'keep';
  const { kind, name } = current.roleRef;
  if (kind !== wanted.roleRef.kind || name !== wanted.roleRef.name) return 'replace';
  const metadata = mergedMetadata(current, wanted);
  const held = new Set((current.subjects ?? []).map(subjectId));
  const missing = (wanted.subjects ?? []).filter((subject) => !held.has(subjectId(subject)));
  if (metadata === undefined && missing.length === 0) return 'keep';
  const update = structuredClone({
    ...current,
    ...(metadata === undefined ? {} : { metadata }),
    subjects: [...(current.subjects ?? []), ...missing],
  }) as T;
  return { update };
}

/**
 * Reconciles the default policy with the store, as upstream does at each start. Creates missing objects, and
 * restores removed rules and subjects unless the autoupdate annotation is `false`. Never removes an object,
 * rule or subject.
 */
export async function reconcilePolicy(
  writer: BootstrapWriter,
  vocabulary: Vocabulary,
  policy: DefaultPolicy,
): Promise<void> {
  const autoupdate = vocabulary.autoupdateAnnotation;
  const merge =
    <T extends AnyRole>(wanted: T) =>
    (current: DeepReadonly<T>): T | undefined =>
      mergeRole(current, wanted, autoupdate);

  async function ensureBinding<T extends AnyBinding>(
    kind: typeof clusterRoleBindings | typeof roleBindings,
    wanted: T,
  ): Promise<void> {
    let replace = false;
    const ensure = (): Promise<void> =>
      writer.ensure(kind, wanted as never, (current) => {
        const change = mergeBinding(current as DeepReadonly<T>, wanted, autoupdate);
        replace = change === 'replace';
        return (typeof change === 'object' ? change.update : undefined) as never;
      });
    await ensure();
    if (!replace) return;
    await writer.remove(
      kind as typeof roleBindings,
      wanted.metadata?.namespace ?? '',
      wanted.metadata?.name ?? '',
    );
    await ensure();
  }

  // All objects of a kind are written concurrently, so that the store commits them in one batch. Roles must
  // exist before their bindings.
  await Promise.all(policy.clusterRoles.map((role) => writer.ensure(clusterRoles, role, merge(role))));
  await Promise.all(policy.roles.map((role) => writer.ensure(roles, role, merge(role))));
  await Promise.all(policy.clusterRoleBindings.map((each) => ensureBinding(clusterRoleBindings, each)));
  await Promise.all(policy.roleBindings.map((each) => ensureBinding(roleBindings, each)));
}
