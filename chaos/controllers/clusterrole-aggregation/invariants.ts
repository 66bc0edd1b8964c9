import { clusterRoles } from '../../../api/groups/rbac-v1.ts';
import type { DeepReadonly } from '../../../api/kinds/index.ts';
import { equalJson } from '../../../api/schema/index.ts';
import { fromLabelSelector } from '../../../api/selectors/index.ts';
import type { ClusterRole } from '../../../api/types/rbac-v1.ts';
import { type Invariant, invariant, liveObjects, objectOf, verdict } from '../../invariants/invariant.ts';

type Role = DeepReadonly<ClusterRole>;

const CONTROLLER = 'clusterrole-aggregation';

const textOf = (rule: unknown): string => JSON.stringify(rule, Object.keys(rule as object).sort());
/** Rules as strings by role. Cached, because every commit reads the rules of unchanged roles. */
const knownRules = new WeakMap<Role, readonly string[]>();

function rulesOf(role: Role): readonly string[] {
  const known = knownRules.get(role) ?? (role.rules ?? []).map((rule) => JSON.stringify(rule));
  knownRules.set(role, known);
  return known;
}

/** Returns the roles that a role selects. */
function selected({ aggregationRule }: Role, all: readonly Role[]): readonly Role[] {
  if (aggregationRule === undefined) return [];
  const selectors = (aggregationRule.clusterRoleSelectors ?? []).map((each) => fromLabelSelector(each));
  return all.filter(({ metadata }) => selectors.some((each) => each.matches(metadata?.labels ?? {})));
}

/**
 * Returns every role that a role reaches through selectors. The result contains the role itself only if
 * another role selects it.
 */
function reachable(role: Role, all: readonly Role[]): ReadonlySet<Role> {
  const found = new Set<Role>();
  const pending = selected(role, all).filter(({ metadata }) => metadata?.name !== role.metadata?.name);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    pending.push(...selected(next, all));
  }
  return found;
}

/** Returns the rules of all reachable roles that are not aggregated themselves. */
const reached = (role: Role, all: readonly Role[]): ReadonlySet<string> =>
  new Set([...reachable(role, all)].flatMap((each) => (each.aggregationRule ? [] : rulesOf(each))));

/** Returns the rules in sorted order, so that equal sets have equal JSON. */
function withRules(held: readonly string[], roles: readonly Role[]): readonly string[] {
  const known = new Set(held);
  for (const role of roles) for (const rule of rulesOf(role)) known.add(rule);
  return known.size === held.length ? held : [...known].sort();
}

const isInCycle = (role: Role, all: readonly Role[]): boolean =>
  [...reachable(role, all)].some(({ metadata }) => metadata?.name === role.metadata?.name);

/**
 * Returns the rules that a change of a role removes from the roles that select it. They are the rules of the
 * role and of the roles that it reaches.
 */
function revokedBy(before: Role, after: Role | undefined, all: readonly Role[]): readonly string[] {
  const given = (role: Role): readonly string[] => [...rulesOf(role), ...reached(role, all)];
  const stays = after && equalJson(before.metadata?.labels ?? {}, after.metadata?.labels ?? {});
  const kept = after && stays ? given(after) : [];
  return given(before).filter((rule) => !kept.includes(rule));
}

/** Invariants about the rules of aggregated roles. */
export const clusterRoleAggregationInvariants: readonly Invariant[] = [
  invariant<readonly string[]>({
    id: 'clusterrole-aggregation/no-invented-rule',
    says: 'never grants a rule that no source role has had',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => [],
    onCommit(held, commit, live) {
      const after = objectOf(commit, clusterRoles, 'after');
      const before = objectOf(commit, clusterRoles, 'before');
      // After the first change the rules of all roles are known. Later they change only with roles.
      if (held.length > 0 && !after && !before) return verdict(held, false);
      const changed = [...(after ? [after] : []), ...(before ? [before] : [])];
      const there = held.length > 0 ? changed : [...liveObjects(live, clusterRoles), ...changed];
      const known = withRules(
        held,
        there.filter(({ aggregationRule }) => !aggregationRule),
      );
      if (commit.actor !== CONTROLLER || !after) return verdict(known, false);
      const had = before ? rulesOf(before) : [];
      const invented = rulesOf(after).find((rule) => !known.includes(rule) && !had.includes(rule));
      return verdict(known, true, invented && `${commit.name} got ${invented}, which no role has`);
    },
  }),
  invariant({
    id: 'clusterrole-aggregation/only-rules-written',
    says: 'writes only the rules of aggregated roles',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => null,
    onCommit(state, commit) {
      const before = objectOf(commit, clusterRoles, 'before');
      const after = objectOf(commit, clusterRoles, 'after');
      if (commit.actor !== CONTROLLER) return verdict(state, false);
      if (!before?.aggregationRule || !after) return verdict(state, true, `${commit.verb} of ${commit.name}`);
      const without = ({ aggregationRule, metadata }: Role): string =>
        textOf({ aggregationRule, labels: metadata?.labels, annotations: metadata?.annotations });
      return verdict(
        state,
        true,
        without(before) === without(after) ? undefined : `changed more of ${commit.name} than its rules`,
      );
    },
  }),
  invariant({
    id: 'clusterrole-aggregation/no-empty-write',
    says: 'never writes unchanged rules',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => null,
    onCommit(state, commit) {
      const before = objectOf(commit, clusterRoles, 'before');
      const after = objectOf(commit, clusterRoles, 'after');
      if (commit.actor !== CONTROLLER || !before || !after) return verdict(state, false);
      // The order of the rules follows the names of their roles, so a new order counts as a change.
      const isSame = equalJson(rulesOf(before), rulesOf(after));
      return verdict(state, true, isSame ? `wrote ${commit.name} without a change` : undefined);
    },
  }),
  invariant<readonly string[]>({
    id: 'clusterrole-aggregation/no-lost-rule',
    says: 'removes no rule that was never revoked',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => [],
    onCommit(revoked, commit, live) {
      const before = objectOf(commit, clusterRoles, 'before');
      const after = objectOf(commit, clusterRoles, 'after');
      if (!before) return verdict(revoked, false);
      const all = liveObjects(live, clusterRoles);
      if (commit.actor !== CONTROLLER || !after)
        return verdict([...new Set([...revoked, ...revokedBy(before, after, all)])].sort(), false);
      const due = reached(after, all);
      const held = rulesOf(after);
      const lost = rulesOf(before).filter((rule) => !held.includes(rule));
      const wrong = lost.find((rule) => due.has(rule) && !revoked.includes(rule));
      return verdict(
        revoked,
        lost.length > 0,
        wrong && `${commit.name} lost ${wrong}, which was not revoked`,
      );
    },
  }),
  invariant({
    id: 'clusterrole-aggregation/no-rule-kept-by-cycle',
    says: 'no rule remains only because roles select each other',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => null,
    atRest(state, live) {
      const all = liveObjects(live, clusterRoles);
      const cyclic = all.filter((role) => isInCycle(role, all));
      const wrong = cyclic.find((role) => {
        const rules = reached(role, all);
        return rulesOf(role).some((rule) => !rules.has(rule));
      });
      return verdict(
        state,
        cyclic.length > 0,
        wrong && `${wrong.metadata?.name ?? ''} keeps rules that exist only in its own cycle`,
      );
    },
  }),
  invariant({
    id: 'clusterrole-aggregation/no-missing-rule',
    says: 'an aggregated role has the rules of all roles that it reaches',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => null,
    atRest(state, live) {
      const all = liveObjects(live, clusterRoles);
      const aggregated = all.filter(
        ({ aggregationRule, metadata }) => aggregationRule && !metadata?.deletionTimestamp,
      );
      const wrong = aggregated.find((role) =>
        [...reached(role, all)].some((rule) => !rulesOf(role).includes(rule)),
      );
      return verdict(state, aggregated.length > 0, wrong && `${wrong.metadata?.name ?? ''} lacks rules`);
    },
  }),
  invariant({
    id: 'clusterrole-aggregation/no-revoked-rule',
    says: 'revoked rules are removed from every aggregated role, also in cycles',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => null,
    onCommit(state, commit) {
      const before = objectOf(commit, clusterRoles, 'before');
      const after = objectOf(commit, clusterRoles, 'after');
      if (commit.actor !== CONTROLLER || !before || !after) return verdict(state, false);
      const held = rulesOf(after);
      return verdict(
        state,
        rulesOf(before).some((rule) => !held.includes(rule)),
      );
    },
    atRest(state, live) {
      const all = liveObjects(live, clusterRoles);
      const wrong = all.find((role) => {
        if (!role.aggregationRule) return false;
        const rules = reached(role, all);
        return rulesOf(role).some((rule) => !rules.has(rule));
      });
      return verdict(state, wrong !== undefined, wrong && `${wrong.metadata?.name ?? ''} has revoked rules`);
    },
  }),
];
