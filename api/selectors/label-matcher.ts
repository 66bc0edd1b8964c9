import { type LabelRequirement, type Labels, matchesRequirement } from './label-requirement.ts';

/**
 * Maximum number of requirements and values that are checked one by one. Clients may send thousands of
 * requirements and apply them to thousands of objects.
 */
const FEW = 16;

/** Returns a predicate that is true for labels that meet all requirements. */
export function labelMatcher(requirements: readonly LabelRequirement[]): (labels: Labels) => boolean {
  const size = requirements.reduce((sum, { values }) => sum + 1 + values.length, 0);
  if (size > FEW) return matcherByKey(requirements);
  return (labels) => requirements.every((each) => matchesRequirement(each, labels));
}

/** All requirements on one key, combined. */
interface KeyRequirements {
  /** Allowed values; undefined if all values are allowed. */
  allowed: Set<string> | undefined;
  readonly excluded: Set<string>;
  /** True if the label must be present. */
  isDemanded: boolean;
  /** True if the label must be absent. */
  isForbidden: boolean;
  /** The strictest `>` and the strictest `<` requirement. */
  readonly bounds: Map<'gt' | 'lt', LabelRequirement>;
}

/**
 * Returns a predicate whose cost depends on the labels of an object and on the required keys, but not on the
 * number of requirements per key.
 */
function matcherByKey(requirements: readonly LabelRequirement[]): (labels: Labels) => boolean {
  const byKey = new Map<string, KeyRequirements>();
  for (const each of requirements) {
    const known = byKey.get(each.key);
    const of = known ?? {
      allowed: undefined,
      excluded: new Set(),
      isDemanded: false,
      isForbidden: false,
      bounds: new Map(),
    };
    if (known === undefined) byKey.set(each.key, of);
    add(of, each);
  }
  const demanded = [...byKey].flatMap(([key, { isDemanded }]) => (isDemanded ? [key] : []));
  return (labels) =>
    demanded.every((key) => labels[key] !== undefined && Object.hasOwn(labels, key)) &&
    Object.keys(labels).every((key) => {
      const of = byKey.get(key);
      const value = labels[key];
      return of === undefined || value === undefined || accepts(of, key, value);
    });
}

function add(of: KeyRequirements, requirement: LabelRequirement): void {
  const { operator, values } = requirement;
  if (operator === '!') of.isForbidden = true;
  else if (operator === 'notin' || operator === '!=') for (const value of values) of.excluded.add(value);
  else {
    of.isDemanded = true;
    if (operator === 'gt' || operator === 'lt') bound(of, operator, requirement);
    else if (operator !== 'exists') {
      const { allowed } = of;
      of.allowed = new Set(allowed === undefined ? values : values.filter((value) => allowed.has(value)));
    }
  }
}

/** Retains the stricter of two bounds: the bound whose value meets the other bound. */
function bound({ bounds }: KeyRequirements, operator: 'gt' | 'lt', requirement: LabelRequirement): void {
  const held = bounds.get(operator);
  const isStricter =
    held === undefined || matchesRequirement(held, { [held.key]: requirement.values[0] ?? '' });
  if (isStricter) bounds.set(operator, requirement);
}

const accepts = (
  { allowed, excluded, isForbidden, bounds }: KeyRequirements,
  key: string,
  value: string,
): boolean =>
  !isForbidden &&
  !excluded.has(value) &&
  (allowed === undefined || allowed.has(value)) &&
  [...bounds.values()].every((each) => matchesRequirement(each, { [key]: value }));
