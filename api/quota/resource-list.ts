import { spend } from '../../base/budget/index.ts';
import {
  type Quantity,
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  isZeroQuantity,
  parseQuantity,
  quantityOf,
  subtractQuantities,
} from '../quantity/quantity.ts';

/** Quantities by resource name. It is a map, because clients may choose any name. */
export type ResourceList = ReadonlyMap<string, Quantity>;

const ZERO = quantityOf(0);

/** Parses a validated record of quantities. */
export const toResourceList = (record: { readonly [name: string]: string } | undefined): ResourceList =>
  new Map(Object.entries(record ?? {}).map(([name, text]) => [name, parseQuantity(text)]));

/** Converts a resource list to a record with sorted names. */
export const toRecord = (list: ResourceList): Record<string, string> =>
  Object.fromEntries([...list].toSorted(byName).map(([name, amount]) => [name, canonicalQuantity(amount)]));

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : a > b ? 1 : 0;

/** Work units for one entry of a resource list. */
const ENTRY_WORK = 0.5;

const joined = (
  lists: Iterable<ResourceList>,
  join: (a: Quantity, b: Quantity) => Quantity,
): ResourceList => {
  const result = new Map<string, Quantity>();
  for (const list of lists) {
    spend(list.size * ENTRY_WORK);
    for (const [name, amount] of list) {
      const found = result.get(name);
      result.set(name, found === undefined ? amount : join(found, amount));
    }
  }
  return result;
};

/** Returns the sum of all lists. Adding them in one call avoids copying the sum for each list. */
export const sumOfLists = (lists: Iterable<ResourceList>): ResourceList => joined(lists, addQuantities);

/** Returns for each resource its largest amount in any list. */
export const maxOfLists = (lists: Iterable<ResourceList>): ResourceList =>
  joined(lists, (a, b) => (compareQuantities(a, b) < 0 ? b : a));

/** Returns for each resource its larger amount in two lists. */
export const maxLists = (left: ResourceList, right: ResourceList): ResourceList => maxOfLists([left, right]);

/** Adds two lists. */
export const addLists = (left: ResourceList, right: ResourceList): ResourceList => sumOfLists([left, right]);

/** Subtracts `right` from `left`. Negative results and resources that only `right` has become zero. */
export function growth(left: ResourceList, right: ResourceList): ResourceList {
  const result = new Map<string, Quantity>();
  spend((left.size + right.size) * ENTRY_WORK);
  for (const [name, amount] of left) {
    const rest = subtractQuantities(amount, right.get(name) ?? ZERO);
    result.set(name, compareQuantities(rest, ZERO) < 0 ? ZERO : rest);
  }
  for (const name of right.keys()) if (!left.has(name)) result.set(name, ZERO);
  return result;
}

/** Returns the list with only the named resources. */
export const maskList = (list: ResourceList, names: Iterable<string>): ResourceList => {
  const kept = new Set(names);
  spend((list.size + kept.size) * ENTRY_WORK);
  return new Map([...list].filter(([name]) => kept.has(name)));
};

/** Returns the list without the resources whose amount is zero. */
export function withoutZeros(list: ResourceList): ResourceList {
  spend(list.size * ENTRY_WORK);
  return new Map([...list].filter(([, amount]) => !isZeroQuantity(amount)));
}

/** Returns the resources with a negative amount. */
export const namesBelowZero = (list: ResourceList): readonly string[] =>
  [...list].filter(([, amount]) => compareQuantities(amount, ZERO) < 0).map(([name]) => name);

/** Returns the names of the resources that exceed their bound. */
export function exceeding(list: ResourceList, bounds: ResourceList): readonly string[] {
  spend(list.size * ENTRY_WORK);
  return [...list]
    .filter(([name, amount]) => {
      const bound = bounds.get(name);
      return bound !== undefined && compareQuantities(amount, bound) > 0;
    })
    .map(([name]) => name);
}

/** True if two lists have the same resources and amounts. */
export const sameLists = (left: ResourceList, right: ResourceList): boolean =>
  left.size === right.size &&
  [...left].every(([name, amount]) => {
    const other = right.get(name);
    return other !== undefined && compareQuantities(amount, other) === 0;
  });

/** Formats a list for messages: `cpu=1,pods=2`, sorted by name. */
export const listText = (list: ResourceList): string =>
  [...list]
    .toSorted(byName)
    .map(([name, amount]) => `${name}=${canonicalQuantity(amount)}`)
    .join(',');

/** Formats names for messages, sorted and separated by commas. */
export const namesText = (names: readonly string[]): string => names.toSorted().join(',');
