/** Fields of a ClusterRole that aggregation reads. */
export interface AggregatedRole<Rule> {
  readonly name: string;
  readonly rules: readonly Rule[];
  /** One predicate for each selector of the aggregation rule; undefined for a role that is not aggregated. */
  readonly selects: readonly ((labels: { readonly [key: string]: string }) => boolean)[] | undefined;
  readonly labels: { readonly [key: string]: string };
}

/**
 * Returns the desired rules of an aggregated role: the rules of every non-aggregated role that its selectors
 * reach, directly or through other aggregated roles. The rules are ordered by selector, then by role name;
 * each rule appears once.
 *
 * Rules come only from non-aggregated roles. So a revoked rule disappears even if the selectors form a cycle.
 */
export function aggregate<Rule>(
  role: AggregatedRole<Rule>,
  all: readonly AggregatedRole<Rule>[],
): readonly Rule[] {
  const sorted = [...all].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const visited = new Set<string>();
  const seen = new Set<string>();
  const rules: Rule[] = [];
  const visit = ({ name, selects }: AggregatedRole<Rule>): void => {
    visited.add(name);
    for (const matches of selects ?? [])
      for (const other of sorted) {
        if (visited.has(other.name) || !matches(other.labels)) continue;
        if (other.selects) visit(other);
        else take(other);
      }
  };
  const take = (source: AggregatedRole<Rule>): void => {
    visited.add(source.name);
    for (const rule of source.rules) {
      const text = canonical(rule);
      if (!seen.has(text)) rules.push(rule);
      seen.add(text);
    }
  };
  visit(role);
  return rules;
}

/** Cached canonical strings of rules. Rules are immutable and are compared whenever any role changes. */
const canonicalStrings = new WeakMap<object, string>();

/**
 * Returns the same string for rules that differ only in the order of their fields. The order of list items
 * counts.
 */
function canonical(rule: unknown): string {
  const known = typeof rule === 'object' && rule !== null ? canonicalStrings.get(rule) : undefined;
  if (known !== undefined) return known;
  const text = JSON.stringify(inOrder(rule));
  if (typeof rule === 'object' && rule !== null) canonicalStrings.set(rule, text);
  return text;
}

function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const fields = Object.entries(value).map(([name, field]) => [name, inOrder(field)] as const);
  return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** True if both lists have the same rules in the same order, whatever the order of fields. */
export const sameRules = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((rule, at) => canonical(rule) === canonical(b[at]));
