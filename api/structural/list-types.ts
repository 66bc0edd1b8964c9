import { spend } from '../../base/budget/index.ts';
import { writeJson } from '../schema/exact-json.ts';
import { getOwn, isObject } from '../schema/own.ts';
import { type FieldError, type FieldErrors, child, index, mapKey } from '../status/field-errors.ts';
import { duplicateAt, invalidAt } from './problems.ts';
import type { Structural } from './structural.ts';

/** Reports duplicate items of lists that are sets or maps, like `ValidateListSetsAndMaps` of release 1.24. */
export function validateListTypes(node: Structural, value: unknown, path = ''): FieldErrors {
  if (!hasListTypes(node)) return [];
  if (Array.isArray(value)) {
    const { items } = node;
    const below = items ? value.flatMap((item, at) => validateListTypes(items, item, index(path, at))) : [];
    return [...validateList(node, value, path), ...below];
  }
  if (!isObject(value)) return [];
  return Object.keys(value).flatMap((key) => {
    const property = node.properties.get(key);
    if (property) return validateListTypes(property, value[key], child(path, key));
    const other = node.additional;
    return other && other !== true ? validateListTypes(other, value[key], mapKey(path, key)) : [];
  });
}

const known = new WeakMap<Structural, boolean>();

function hasListTypes(node: Structural): boolean {
  const before = known.get(node);
  if (before !== undefined) return before;
  const parts = [
    ...node.properties.values(),
    node.items,
    node.additional === true ? undefined : node.additional,
  ];
  const found =
    node.listType === 'set' || node.listType === 'map' || parts.some((part) => part && hasListTypes(part));
  known.set(node, found);
  return found;
}

function validateList(
  { listType, listMapKeys }: Structural,
  list: readonly unknown[],
  path: string,
): FieldErrors {
  if (listType === 'set') return repeated(list).map((at) => duplicateAt(index(path, at), list[at]));
  if (listType !== 'map') return [];
  const odd = list.findIndex((item) => item !== null && !isObject(item));
  if (odd >= 0)
    return [invalidAt(index(path, odd), list[odd], 'must be an object for an array of list-type map')];
  const keys = list.map((item) => keyOf(item, listMapKeys));
  return repeated(keys).map((at): FieldError => duplicateAt(index(path, at), keys[at]));
}

const keyOf = (item: unknown, names: readonly string[]): object =>
  Object.fromEntries(
    names
      .filter((name) => isObject(item) && Object.hasOwn(item, name))
      .map((name) => [name, isObject(item) ? getOwn(item, name) : undefined]),
  );

/** Returns the index of the second occurrence of each item. Further occurrences are not reported. */
function repeated(list: readonly unknown[]): readonly number[] {
  const times = new Map<string, number>();
  return list.flatMap((item, at) => {
    const text = sortedText(item);
    const before = times.get(text) ?? 0;
    times.set(text, before + 1);
    return before === 1 ? [at] : [];
  });
}

/**
 * Returns a string that is equal for equal values. The keys need no sorting, because decoding has sorted the
 * keys of custom resources.
 */
function sortedText(value: unknown): string {
  const text = writeJson(value);
  spend(ITEM_WORK + text.length * CHARACTER_WORK);
  return text;
}

/** Work units for an item that is compared with all other items, and for each of its characters. */
const ITEM_WORK = 0.5;
const CHARACTER_WORK = 0.005;
