import { clusterRoles } from '../../api/groups/rbac-v1.ts';
import type { DeepReadonly } from '../../api/kinds/kind.ts';
import { equalJson } from '../../api/schema/own.ts';
import { fromLabelSelector } from '../../api/selectors/labels.ts';
import type { ClusterRole } from '../../api/types/rbac-v1.ts';
import { type Invariant, invariant, liveObjects, objectOf, verdict } from './invariant.ts';

type Role = DeepReadonly<ClusterRole>;

const CONTROLLER = 'clusterrole-aggregation';

const textOf = (rule: unknown): string => JSON.stringify(rule, Object.keys(rule as object).sort());
/** Of roles as they stood at one revision: each is asked for at every commit after it. */
const knownRules = new WeakMap<Role, readonly string[]>();

function rulesOf(role: Role): readonly string[] {
  const known = knownRules.get(role) ?? (role.rules ?? []).map((rule) => JSON.stringify(rule));
  knownRules.set(role, known);
  return known;
}

/** Every role with rules of its own that a role reaches through selectors: their rules. */
function reached(role: Role, all: readonly Role[]): ReadonlySet<string> {
  const rules = new Set<string>();
  const seen = new Set([role.metadata?.name]);
  const pending = [role];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const selectors = (next.aggregationRule?.clusterRoleSelectors ?? []).map((each) =>
      fromLabelSelector(each),
    );
    for (const other of all) {
      if (seen.has(other.metadata?.name)) continue;
      if (!selectors.some((each) => each.matches(other.metadata?.labels ?? {}))) continue;
      seen.add(other.metadata?.name);
      if (other.aggregationRule) pending.push(other);
      else for (const rule of rulesOf(other)) rules.add(rule);
    }
  }
  return rules;
}

const sameSet = (a: Iterable<string>, b: Iterable<string>): boolean =>
  equalJson([...new Set(a)].sort(), [...new Set(b)].sort());

/** What aggregated roles hold. */
export const clusterRoleAggregationInvariants: readonly Invariant[] = [
  invariant<readonly string[]>({
    id: 'clusterrole-aggregation/N1',
    says: 'never grants a rule that no role of its own rules has held',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => [],
    onCommit(held, commit, live) {
      const after = objectOf(commit, clusterRoles, 'after');
      const before = objectOf(commit, clusterRoles, 'before');
      // What roles hold is known from the first change on, and changes with them alone.
      if (held.length > 0 && !after && !before) return verdict(held, false);
      const there = [...liveObjects(live, clusterRoles), ...(before ? [before] : [])];
      const sources = there.filter(({ aggregationRule }) => !aggregationRule);
      const known = [...new Set([...held, ...sources.flatMap(rulesOf)])].sort();
      if (commit.actor !== CONTROLLER || !after) return verdict(known, false);
      const had = before ? rulesOf(before) : [];
      const invented = rulesOf(after).find((rule) => !known.includes(rule) && !had.includes(rule));
      return verdict(known, true, invented && `${commit.name} was given ${invented}, which no role holds`);
    },
  }),
  invariant({
    id: 'clusterrole-aggregation/N2',
    says: 'writes rules of aggregated roles alone',
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
    id: 'clusterrole-aggregation/N3',
    says: 'never writes rules that say the same',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => null,
    onCommit(state, commit) {
      const before = objectOf(commit, clusterRoles, 'before');
      const after = objectOf(commit, clusterRoles, 'after');
      if (commit.actor !== CONTROLLER || !before || !after) return verdict(state, false);
      const isSame = sameSet(rulesOf(before), rulesOf(after));
      return verdict(state, true, isSame ? `wrote ${commit.name} as it was` : undefined);
    },
  }),
  invariant({
    id: 'clusterrole-aggregation/E1',
    says: 'an aggregated role holds the rules of all that it reaches',
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
    id: 'clusterrole-aggregation/E2',
    says: 'what is revoked goes from every aggregated role, circles included',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => null,
    atRest(state, live) {
      const all = liveObjects(live, clusterRoles);
      const wrong = all.find((role) => {
        if (!role.aggregationRule) return false;
        const rules = reached(role, all);
        return rulesOf(role).some((rule) => !rules.has(rule));
      });
      return verdict(state, true, wrong && `${wrong.metadata?.name ?? ''} holds rules that are revoked`);
    },
  }),
];
