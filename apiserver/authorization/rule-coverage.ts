import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { PolicyRule } from '../../api/types/rbac-v1.ts';
import { spend } from '../../base/budget/index.ts';
import { HeldRules, type ValueClass, haveCommon } from './held-rules.ts';

type Rule = DeepReadonly<PolicyRule>;

/** Result of comparing wanted with held rules: the permissions that are not held. */
export interface Uncovered {
  /**
   * Missing permissions: one rule per group, resource and name, with all missing verbs, and one rule per verb
   * and path.
   */
  readonly rules: readonly PolicyRule[];
  /** Number of missing rules beyond the limit, which are omitted from `rules`. */
  readonly left: number;
}

/**
 * Returns the parts of `wanted` that no rule of `held` allows. `most` is the maximum number of rules
 * returned. Each combination of a verb, group, resource and name must be allowed by a single rule.
 * Combinations are not enumerated: values that the same held rules allow are compared together.
 */
export function uncovered(held: readonly Rule[], wanted: readonly Rule[], most = Infinity): Uncovered {
  const index = new HeldRules(held);
  const found = new Map<string, PolicyRule>();
  let left = 0;
  for (const rule of wanted)
    for (const region of [...missingResources(index, rule), ...missingPaths(index, rule)])
      left += addRules(found, region, most);
  return { rules: [...found.values()], left };
}

/** Missing combinations of verbs with each group, resource and name, or with each path. */
interface Region {
  readonly verbs: readonly string[];
  readonly groups: readonly string[];
  readonly resources: readonly string[];
  /** Resource names; empty if objects of every name are wanted. */
  readonly names: readonly string[];
  readonly paths: readonly string[];
}

function missingResources(held: HeldRules, rule: Rule): readonly Region[] {
  const { resourceNames = [] } = rule;
  const verbs = held.verbs.classesOf(rule.verbs ?? []);
  const resources = held.resources.classesOf(rule.resources ?? []);
  const names: readonly ValueClass[] =
    resourceNames.length === 0 ? [{ values: [], owners: held.unnamed }] : held.names.classesOf(resourceNames);
  return held.groups.classesOf(rule.apiGroups ?? []).flatMap((group) =>
    resources.flatMap((resource) =>
      names.flatMap((name) => {
        const missing = missingVerbs(rule, verbs, [group.owners, resource.owners, name.owners]);
        if (missing.length === 0) return [];
        return [
          { verbs: missing, groups: group.values, resources: resource.values, names: name.values, paths: [] },
        ];
      }),
    ),
  );
}

function missingPaths(held: HeldRules, rule: Rule): readonly Region[] {
  if ((rule.nonResourceURLs ?? []).length === 0) return [];
  const verbs = held.verbs.classesOf(rule.verbs ?? []);
  return held.paths.classesOf(rule.nonResourceURLs ?? []).flatMap(({ values, owners }) => {
    const missing = missingVerbs(rule, verbs, [owners, held.unnamed]);
    return missing.length === 0
      ? []
      : [{ verbs: missing, groups: [], resources: [], names: [], paths: values }];
  });
}

/** Returns the verbs for which the sets have no rule in common, in the order of the wanted rule. */
function missingVerbs(
  rule: Rule,
  verbs: readonly ValueClass[],
  sets: readonly ReadonlySet<number>[],
): readonly string[] {
  const missing = verbs.filter(({ owners }) => !haveCommon([owners, ...sets]));
  if (missing.length < 2) return missing[0]?.values ?? [];
  const values = new Set(missing.flatMap((each) => each.values));
  return [...new Set(rule.verbs)].filter((verb) => values.has(verb));
}

/** Adds the rules of a region until `found` has `most` rules. Returns the number of omitted rules. */
function addRules(found: Map<string, PolicyRule>, region: Region, most: number): number {
  let added = 0;
  for (const rule of rulesOf(region)) {
    if (found.size >= most) break;
    spend(5 + rule.verbs.length / 10);
    added += 1;
    const { verbs: _verbs, ...place } = rule;
    const key = JSON.stringify(rule.nonResourceURLs === undefined ? place : rule);
    const known = found.get(key);
    if (known === undefined) found.set(key, rule);
    else known.verbs = [...new Set([...known.verbs, ...rule.verbs])];
  }
  const { verbs, groups, resources, names, paths } = region;
  const places = groups.length * resources.length * Math.max(names.length, 1);
  return places + paths.length * verbs.length - added;
}

function* rulesOf({ verbs, groups, resources, names, paths }: Region): Generator<PolicyRule> {
  for (const group of groups)
    for (const resource of resources) {
      const one = { apiGroups: [group], resources: [resource] };
      if (names.length === 0) yield { verbs: [...verbs], ...one };
      for (const name of names) yield { verbs: [...verbs], ...one, resourceNames: [name] };
    }
  for (const url of paths) for (const verb of verbs) yield { verbs: [verb], nonResourceURLs: [url] };
}

/** Formats a list of strings as Go prints it: `["a" "b"]`. */
export const goList = (values: readonly string[]): string =>
  `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;

/** Formats a rule as Go prints it: `{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}`. */
export function describeRule(rule: Rule): string {
  const parts: readonly (readonly [string, readonly string[] | undefined])[] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  const shown = parts.flatMap(([name, values]) =>
    values !== undefined && values.length > 0 ? [`${name}:${goList(values)}`] : [],
  );
  return `{${shown.join(', ')}}`;
}
