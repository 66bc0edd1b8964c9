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

/** Quantities by the names of resources, any of which may be a stranger's. */
export type ResourceList = ReadonlyMap<string, Quantity>;

const ZERO = quantityOf(0);

/** Reads what was validated. */
export const toResourceList = (record: { readonly [name: string]: string } | undefined): ResourceList =>
  new Map(Object.entries(record ?? {}).map(([name, text]) => [name, parseQuantity(text)]));

/** As an object's field, names in order. */
export const toRecord = (list: ResourceList): Record<string, string> =>
  Object.fromEntries([...list].toSorted(byName).map(([name, amount]) => [name, canonicalQuantity(amount)]));

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : a > b ? 1 : 0;

/** Work units of one entry of a list. */
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

/** The sum of lists. All at once: to add them one by one copies the sum for each. */
export const sumOfLists = (lists: Iterable<ResourceList>): ResourceList => joined(lists, addQuantities);

/** The highest amount of each resource in any of the lists. */
export const maxOfLists = (lists: Iterable<ResourceList>): ResourceList =>
  joined(lists, (a, b) => (compareQuantities(a, b) < 0 ? b : a));

export const maxLists = (left: ResourceList, right: ResourceList): ResourceList => maxOfLists([left, right]);

export const addLists = (left: ResourceList, right: ResourceList): ResourceList => sumOfLists([left, right]);

/** `left` without `right`, nothing below zero; what `right` alone has counts as zero. */
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

/** Only those of the names. */
export const maskList = (list: ResourceList, names: Iterable<string>): ResourceList => {
  const kept = new Set(names);
  spend((list.size + kept.size) * ENTRY_WORK);
  return new Map([...list].filter(([name]) => kept.has(name)));
};

export function withoutZeros(list: ResourceList): ResourceList {
  spend(list.size * ENTRY_WORK);
  return new Map([...list].filter(([, amount]) => !isZeroQuantity(amount)));
}

export const namesBelowZero = (list: ResourceList): readonly string[] =>
  [...list].filter(([, amount]) => compareQuantities(amount, ZERO) < 0).map(([name]) => name);

/** The names of which `list` has more than `bounds`, where both say something. */
export function exceeding(list: ResourceList, bounds: ResourceList): readonly string[] {
  spend(list.size * ENTRY_WORK);
  return [...list]
    .filter(([name, amount]) => {
      const bound = bounds.get(name);
      return bound !== undefined && compareQuantities(amount, bound) > 0;
    })
    .map(([name]) => name);
}

export const sameLists = (left: ResourceList, right: ResourceList): boolean =>
  left.size === right.size &&
  [...left].every(([name, amount]) => {
    const other = right.get(name);
    return other !== undefined && compareQuantities(amount, other) === 0;
  });

/** `cpu=1,pods=2`, in order, as messages have it. */
export const listText = (list: ResourceList): string =>
  [...list]
    .toSorted(byName)
    .map(([name, amount]) => `${name}=${canonicalQuantity(amount)}`)
    .join(',');

export const namesText = (names: readonly string[]): string => names.toSorted().join(',');
