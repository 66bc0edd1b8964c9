import { spend } from '../../base/budget/index.ts';
import { type JsonObject, getOwn, isObject } from '../schema/own.ts';
import type { PatchRule } from '../schema/walk.ts';
import { WrittenFloat } from './written-float.ts';
import {
  badDirective,
  goPrint,
  goTypeOf,
  listOfLists,
  mixedTypes,
  noMergeKey,
  unexpectedType,
  unmergeable,
} from './strategic-errors.ts';

/** Merges a patch item into the live item with the same key. */
export type ItemMerger = (held: JsonObject, change: JsonObject) => JsonObject;

type List = readonly unknown[];

/** Returns the identity of a list item: the value of its merge key or, for a scalar, the item itself. */
type KeyOf = (item: unknown) => unknown;

/** Measured work units for each item of the live list and of the patch. */
const MERGED_ITEM = 1.2;

/**
 * Merges a list whose strategy is `merge`. If `deletes` is true, removes the scalars in `changes` instead.
 */
export function mergeList(
  live: List,
  changes: List,
  rule: PatchRule,
  mergeItem: ItemMerger,
  deletes: boolean,
): List {
  if (live.length === 0 && changes.length === 0) return live;
  spend((live.length + changes.length) * MERGED_ITEM);
  if (elementType(live, changes) === 'map') return mergeMaps(live, changes, rule, mergeItem).sorted;
  if (deletes) {
    const deleted = new Set(changes);
    return live.filter((item) => !deleted.has(item));
  }
  return arrange([...new Set([...live, ...changes])], changes, live, undefined);
}

/**
 * Merges a list that has a `$setElementOrder`. Items in `order` take this order. All other live items stay as
 * close to their positions as possible.
 */
export function mergeOrdered(
  live: List | undefined,
  changes: List | undefined,
  order: List,
  rule: PatchRule,
  mergeItem: ItemMerger,
): List {
  spend(((live?.length ?? 0) + (changes?.length ?? 0) + order.length) * MERGED_ITEM);
  const type = elementType(live ?? [], changes ?? []);
  const mergeKey = type === 'map' ? rule.mergeKey : undefined;
  if (!live || !changes || rule.strategy !== 'merge') {
    return arrange(changes ?? live ?? [], order, live ?? [], mergeKey);
  }
  if (type === 'scalar') {
    return arrange(mergeList(live, changes, rule, mergeItem, false), order, live, undefined);
  }
  const { merged } = mergeMaps(live, changes, rule, mergeItem);
  // Upstream appends to the array of the live list, as far as deletions left room, and then reads the live
  // order from this array.
  return arrange(merged, order, merged.slice(0, live.length), mergeKey);
}

function mergeMaps(
  live: List,
  changes: List,
  { mergeKey }: PatchRule,
  mergeItem: ItemMerger,
): { readonly merged: List; readonly sorted: List } {
  if (mergeKey === undefined) throw unmergeable('cannot merge lists without merge key for type struct');
  const { plain, deleted, replaces } = readDirectives(changes, mergeKey);
  if (replaces) return { merged: plain, sorted: arrange(plain, [], plain, mergeKey) };
  const keyOf = keyBy(mergeKey);
  const left = live.filter((item) => keyOf(item) === undefined || !deleted.has(keyOf(item)));
  const merged = mergeItems(left, plain, mergeKey, mergeItem);
  return { merged, sorted: arrange(merged, plain, left, mergeKey) };
}

interface ItemDirectives {
  readonly plain: readonly JsonObject[];
  /** Merge keys of the items to be deleted. */
  readonly deleted: ReadonlySet<unknown>;
  readonly replaces: boolean;
}

/** Separates the items with a `$patch` directive from all other changes. */
function readDirectives(changes: List, mergeKey: string): ItemDirectives {
  const plain: JsonObject[] = [];
  const deleted = new Set<unknown>();
  let replaces = false;
  for (const change of changes) {
    if (!isObject(change)) throw unexpectedType('map', change);
    const directive = getOwn(change, '$patch');
    if (directive === undefined) plain.push(change);
    else if (directive === 'replace') replaces = true;
    else if (directive === 'delete') deleted.add(requiredKey(change, mergeKey));
    else if (directive === 'merge') throw unmergeable('merging lists cannot yet be specified in the patch');
    else throw badDirective(directive, change);
  }
  return { plain, deleted, replaces };
}

function mergeItems(
  live: List,
  changes: readonly JsonObject[],
  mergeKey: string,
  mergeItem: ItemMerger,
): List {
  const merged = [...live];
  const places = placesOf(merged, keyBy(mergeKey));
  for (const change of changes) {
    const key = requiredKey(change, mergeKey);
    const place = places.get(key);
    const held = place === undefined ? undefined : merged[place];
    if (place !== undefined && isObject(held)) merged[place] = mergeItem(held, change);
    else {
      places.set(key, merged.length);
      merged.push(change);
    }
  }
  return merged;
}

/**
 * Rejects a patch list that contradicts `$setElementOrder`: its items are in another order, or an item is
 * missing there.
 */
export function checkElementOrder(changes: List, order: List, mergeKey: string | undefined): void {
  if (order.length === 0 || changes.length === 0) return;
  const identity = (item: unknown): unknown => (mergeKey === undefined ? item : requiredKey(item, mergeKey));
  const relevant = changes.filter((item) => !(isObject(item) && Object.hasOwn(item, '$patch')));
  let at = 0;
  for (const named of order) {
    if (at >= relevant.length) return;
    if (identity(relevant[at]) === identity(named)) at += 1;
  }
  if (at < relevant.length) {
    throw unmergeable(
      `The order in patch list:\n${goPrint(changes)}\n doesn't match $setElementOrder list:\n${goPrint(order)}\n`,
    );
  }
}

/** Sorts the items that `order` names, and inserts all other items in the order of `liveOrder`. */
function arrange(merged: List, order: List, liveOrder: List, mergeKey: string | undefined): List {
  if (mergeKey !== undefined) {
    for (const list of [merged, order, liveOrder]) for (const item of list) requiredKey(item, mergeKey);
  }
  const keyOf: KeyOf = mergeKey === undefined ? (item) => item : keyBy(mergeKey);
  const named = placesOf(order, keyOf);
  const live = placesOf(liveOrder, keyOf);
  const patched = merged.filter((item) => named.has(keyOf(item)));
  const others = merged.filter((item) => !named.has(keyOf(item)));
  return interleave(sortBy(others, live, keyOf), sortBy(patched, named, keyOf), live, keyOf);
}

/** Inserts each of `others` before the first of `patched` that follows it in the live order. */
function interleave(others: List, patched: List, live: Places, keyOf: KeyOf): List {
  const result: unknown[] = [];
  let at = 0;
  for (const item of patched) {
    const place = live.get(keyOf(item));
    while (place !== undefined && at < others.length) {
      const other = live.get(keyOf(others[at]));
      if (other === undefined || other >= place) break;
      result.push(others[at]);
      at += 1;
    }
    result.push(item);
  }
  return [...result, ...others.slice(at)];
}

type Places = ReadonlyMap<unknown, number>;

/** Returns the first position of each key. */
function placesOf(items: List, keyOf: KeyOf): Map<unknown, number> {
  const places = new Map<unknown, number>();
  for (const [place, item] of items.entries()) {
    const key = keyOf(item);
    if (!places.has(key)) places.set(key, place);
  }
  return places;
}

/** Sorts items by their positions in `places`. Items marked for deletion are last. */
function sortBy(items: List, places: Places, keyOf: KeyOf): List {
  const rank = (item: unknown): number =>
    isObject(item) && getOwn(item, '$patch') === 'delete' ? Infinity : (places.get(keyOf(item)) ?? -1);
  return items
    .map((item) => ({ item, rank: rank(item) }))
    .sort((a, b) => (a.rank === b.rank ? 0 : a.rank - b.rank))
    .map(({ item }) => item);
}

const keyBy =
  (mergeKey: string): KeyOf =>
  (item) =>
    isObject(item) ? identityOf(getOwn(item, mergeKey)) : undefined;

/** Returns a merge key in a form that can be compared. A float is equal only to floats. */
const identityOf = (key: unknown): unknown => (key instanceof WrittenFloat ? `float ${key.value}` : key);

function requiredKey(item: unknown, mergeKey: string): unknown {
  if (!isObject(item)) throw unexpectedType('map', item);
  const value = getOwn(item, mergeKey);
  if (value === undefined) throw noMergeKey(item, mergeKey);
  return identityOf(value);
}

/** Returns the type of the items of two lists. Throws if the items have different types or are lists. */
function elementType(live: List, changes: List): 'map' | 'scalar' {
  const types = new Set([...live, ...changes].map(goTypeOf));
  const [first] = types;
  if (first === undefined) throw unmergeable('no elements in any of the given slices');
  if (first.startsWith('[]')) throw listOfLists();
  if (types.size > 1) throw mixedTypes(live, changes);
  return first.startsWith('map') ? 'map' : 'scalar';
}
