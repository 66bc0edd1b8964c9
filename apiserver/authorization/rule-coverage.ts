import type { DeepReadonly } from '../../api/kinds/kind.ts';
import type { PolicyRule } from '../../api/types/rbac-v1.ts';

type Rule = DeepReadonly<PolicyRule>;

const hasAll = (held: readonly string[], wanted: readonly string[]): boolean =>
  held.includes('*') || wanted.every((each) => held.includes(each));

const coversResources = (held: readonly string[], wanted: readonly string[]): boolean =>
  held.includes('*') ||
  wanted.every((each) => {
    const slash = each.indexOf('/');
    return held.includes(each) || (slash !== -1 && held.includes(`*${each.slice(slash)}`));
  });

const coversPath = (held: string, wanted: string): boolean =>
  held === '*' || held === wanted || (held.endsWith('*') && wanted.startsWith(held.slice(0, -1)));

const coversPaths = (held: readonly string[], wanted: readonly string[]): boolean =>
  wanted.every((each) => held.some((path) => coversPath(path, each)));

/** Whether one rule allows all that another does. */
function covers(owner: Rule, wanted: Rule): boolean {
  const heldNames = owner.resourceNames ?? [];
  const wantedNames = wanted.resourceNames ?? [];
  return (
    hasAll(owner.verbs ?? [], wanted.verbs ?? []) &&
    hasAll(owner.apiGroups ?? [], wanted.apiGroups ?? []) &&
    coversResources(owner.resources ?? [], wanted.resources ?? []) &&
    coversPaths(owner.nonResourceURLs ?? [], wanted.nonResourceURLs ?? []) &&
    (heldNames.length === 0 ||
      (wantedNames.length > 0 && wantedNames.every((name) => heldNames.includes(name))))
  );
}

/** A rule as rules of one verb, group, resource and name, or of one verb and path, each. */
function* breakDown(rule: Rule): Generator<PolicyRule> {
  const names = rule.resourceNames ?? [];
  for (const group of rule.apiGroups ?? [])
    for (const resource of rule.resources ?? [])
      for (const verb of rule.verbs ?? []) {
        const one = { verbs: [verb], apiGroups: [group], resources: [resource] };
        if (names.length === 0) yield one;
        else for (const name of names) yield { ...one, resourceNames: [name] };
      }
  for (const url of rule.nonResourceURLs ?? [])
    for (const verb of rule.verbs ?? []) yield { verbs: [verb], nonResourceURLs: [url] };
}

/** The parts of `wanted` that no rule of `held` allows, broken down; empty when all is held. */
export function uncovered(held: readonly Rule[], wanted: readonly Rule[]): readonly PolicyRule[] {
  const missing: PolicyRule[] = [];
  for (const rule of wanted) {
    // Most rules are held whole, and then need no breaking down.
    if (held.some((owner) => covers(owner, rule))) continue;
    for (const part of breakDown(rule)) if (!held.some((owner) => covers(owner, part))) missing.push(part);
  }
  return missing;
}

/** Joins the verbs of rules for the same group, resource and name. */
export function compact(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const joined = new Map<string, PolicyRule>();
  const rest: PolicyRule[] = [];
  for (const rule of rules) {
    if ((rule.resources ?? []).length === 0) {
      rest.push(rule);
      continue;
    }
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames ?? []]);
    const found = joined.get(key);
    if (found === undefined) joined.set(key, { ...rule, verbs: [...rule.verbs] });
    else found.verbs.push(...rule.verbs.filter((verb) => !found.verbs.includes(verb)));
  }
  return [...joined.values(), ...rest];
}

/** A list of texts as Go prints it: `["a" "b"]`. */
export const goList = (values: readonly string[]): string =>
  `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;

/** `{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}`, as clients see it. */
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
