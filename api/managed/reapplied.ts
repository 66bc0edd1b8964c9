import { type JsonObject, getOwn, isObject, setOwn } from '../schema/own.ts';
import { chargeItems, chargeKeys } from '../schema/tree-work.ts';

/** Parts of a configuration that the same manager has already applied to the same live object. */
export type Reapplied = ReadonlySet<unknown>;

/** Set without parts, for a configuration that is applied for the first time. */
export const NOTHING_REAPPLIED: Reapplied = new Set();

/** Comparison of a configuration with the previously applied configuration. */
export interface Comparison {
  /**
   * The largest equal parts of the new configuration. Metadata is excluded. So are parts of changed list
   * items, because a changed item may be a different item in the same position.
   */
  readonly same: Reapplied;
  /** Copy of the new configuration that shares equal parts with the earlier copy. */
  readonly copy: JsonObject;
}

/**
 * Compares a configuration with `before`, the copy that the previous call returned (undefined on the first
 * call).
 */
export function compareConfigurations(config: JsonObject, before: JsonObject | undefined): Comparison {
  const same = new Set<unknown>();
  const copy: JsonObject = {};
  for (const name of Object.keys(config)) {
    const value = config[name];
    const earlier = before && name !== 'metadata' ? getOwn(before, name) : undefined;
    const copied = copyBeside(value, earlier, same);
    if (isContainer(value) && copied === earlier) same.add(value);
    setOwn(copy, name, copied);
  }
  return { same, copy };
}

const isContainer = (value: unknown): boolean => typeof value === 'object' && value !== null;

/**
 * Returns `earlier` if it equals `value`, else a copy of `value`. Adds the equal parts of a copied value to
 * `same`.
 */
function copyBeside(value: unknown, earlier: unknown, same: Set<unknown>): unknown {
  if (!isContainer(value)) return value;
  return Array.isArray(value) ? copyList(value, earlier, same) : copyMap(value as JsonObject, earlier, same);
}

function copyList(list: readonly unknown[], earlier: unknown, same: Set<unknown>): unknown {
  const before: readonly unknown[] = Array.isArray(earlier) ? earlier : [];
  chargeItems(list.length);
  const within = new Set<unknown>();
  const copies = list.map((item, index) => copyBeside(item, before[index], within));
  if (earlier === before && before.length === list.length && copies.every((copy, at) => copy === before[at]))
    return before;
  noteSame(list, copies, before, same);
  return copies;
}

function noteSame(
  list: readonly unknown[],
  copies: readonly unknown[],
  before: readonly unknown[],
  same: Set<unknown>,
): void {
  for (const [at, item] of list.entries()) if (isContainer(item) && copies[at] === before[at]) same.add(item);
}

function copyMap(map: JsonObject, earlier: unknown, same: Set<unknown>): unknown {
  const before = isObject(earlier) ? earlier : undefined;
  const names = Object.keys(map);
  chargeKeys(names.length * 2);
  // Copies on the first difference, because most maps are equal throughout.
  let copy: JsonObject | undefined;
  for (const [at, name] of names.entries()) {
    const known = before !== undefined && Object.hasOwn(before, name);
    const copied = copyBeside(map[name], known ? before[name] : undefined, same);
    const equal = known && copied === before[name];
    if (copy === undefined && equal) continue;
    copy ??= equalPart(map, before, names.slice(0, at), same);
    if (equal && isContainer(map[name])) same.add(map[name]);
    setOwn(copy, name, copied);
  }
  if (copy !== undefined) return copy;
  if (before !== undefined && Object.keys(before).length === names.length) return before;
  return equalPart(map, before, names, same);
}

/** Returns the members `names` of a map. Their values are equal in `map` and `before`. */
function equalPart(
  map: JsonObject,
  before: JsonObject | undefined,
  names: readonly string[],
  same: Set<unknown>,
): JsonObject {
  const part: JsonObject = {};
  for (const name of names) {
    if (isContainer(map[name])) same.add(map[name]);
    setOwn(part, name, before?.[name]);
  }
  return part;
}
