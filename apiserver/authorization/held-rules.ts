import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { PolicyRule } from '../../api/types/rbac-v1.ts';
import { spend } from '../../base/budget/index.ts';

type Rule = DeepReadonly<PolicyRule>;
/** Indexes, in the list of held rules, of the rules that allow a value. */
type Owners = ReadonlySet<number>;

/** Values that the same held rules allow. */
export interface ValueClass {
  readonly values: readonly string[];
  readonly owners: Owners;
}

/**
 * Index over one field of all held rules. It finds the rules that allow a value; a rule with `*` allows every
 * value.
 */
class Dimension {
  readonly #any: Owners;
  readonly #byValue = new Map<string, number[]>();
  /** Rules by path prefix; used only for paths, where `*` at the end stands for any suffix. */
  readonly #byPrefix = new Map<string, number[]>();
  readonly #ofValue = new Map<string, Owners>();
  readonly #sets = new Map<string, Owners>();
  readonly #alsoUnder: (value: string) => string | undefined;

  constructor(
    lists: Iterable<readonly [number, readonly string[]]>,
    options: {
      any?: Iterable<number>;
      prefixes?: boolean;
      alsoUnder?: (value: string) => string | undefined;
    },
  ) {
    const any = new Set(options.any);
    this.#alsoUnder = options.alsoUnder ?? (() => undefined);
    for (const [rule, values] of lists) {
      spend(values.length / 10);
      for (const value of values) {
        if (value === '*') any.add(rule);
        else if (options.prefixes && value.endsWith('*')) append(this.#byPrefix, value.slice(0, -1), rule);
        else append(this.#byValue, value, rule);
      }
    }
    this.#any = any;
  }

  /** Groups distinct values by the held rules that allow them, in the order of their first value. */
  classesOf(values: readonly string[]): readonly ValueClass[] {
    const found = new Map<Owners, string[]>();
    for (const value of new Set(values)) {
      spend(0.3);
      const owners = this.ownersOf(value);
      const list = found.get(owners);
      if (list) list.push(value);
      else found.set(owners, [value]);
    }
    return [...found].map(([owners, list]) => ({ values: list, owners }));
  }

  /**
   * Returns the held rules that allow a value. Values allowed by the same rules share one set, so that sets
   * can be compared by identity.
   */
  ownersOf(value: string): Owners {
    const known = this.#ofValue.get(value);
    if (known) return known;
    const owners = this.#findOwners(value);
    this.#ofValue.set(value, owners);
    return owners;
  }

  #findOwners(value: string): Owners {
    const also = this.#alsoUnder(value);
    const own = [
      ...(this.#byValue.get(value) ?? []),
      ...(also === undefined ? [] : (this.#byValue.get(also) ?? [])),
      ...this.#ownersOfPrefixes(value),
    ];
    if (own.length === 0) return this.#any;
    spend(own.length / 10);
    const key = own.join();
    const known = this.#sets.get(key);
    if (known) return known;
    spend(this.#any.size / 10);
    const owners = new Set([...this.#any, ...own]);
    this.#sets.set(key, owners);
    return owners;
  }

  #ownersOfPrefixes(value: string): readonly number[] {
    if (this.#byPrefix.size === 0) return [];
    spend(this.#byPrefix.size / 20);
    return [...this.#byPrefix].flatMap(([prefix, rules]) => (value.startsWith(prefix) ? rules : []));
  }
}

function append(map: Map<string, number[]>, key: string, rule: number): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [rule]);
  else if (list.at(-1) !== rule) list.push(rule);
}

/** Index of one user's rules by the values that they allow, so that a lookup need not scan all rules. */
export class HeldRules {
  readonly verbs: Dimension;
  readonly groups: Dimension;
  readonly resources: Dimension;
  readonly names: Dimension;
  readonly paths: Dimension;
  /** Rules without resource names. Only these apply to requests without a name and to paths. */
  readonly unnamed: Owners;

  constructor(held: readonly Rule[]) {
    const listOf = (field: keyof PolicyRule): readonly (readonly [number, readonly string[]])[] =>
      held.map((rule, at) => [at, rule[field] ?? []]);
    spend(held.length);
    this.unnamed = new Set(
      held.flatMap(({ resourceNames = [] }, at) => (resourceNames.length === 0 ? [at] : [])),
    );
    this.verbs = new Dimension(listOf('verbs'), {});
    this.groups = new Dimension(listOf('apiGroups'), {});
    this.resources = new Dimension(listOf('resources'), { alsoUnder: anySubresource });
    this.names = new Dimension(listOf('resourceNames'), { any: this.unnamed });
    this.paths = new Dimension(listOf('nonResourceURLs'), { prefixes: true });
  }
}

/** Returns the wildcard that also matches a subresource: `*` followed by `/scale` for `pods/scale`. */
function anySubresource(resource: string): string | undefined {
  const slash = resource.indexOf('/');
  return slash === -1 ? undefined : `*${resource.slice(slash)}`;
}

/** True if the sets have a rule in common. */
export function haveCommon(sets: readonly Owners[]): boolean {
  const [least, ...others] = [...sets].sort((one, other) => one.size - other.size);
  if (least === undefined) return false;
  spend(0.3 + least.size / 20);
  for (const rule of least) if (others.every((set) => set.has(rule))) return true;
  return false;
}
