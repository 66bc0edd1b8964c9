import { type JsonObject, getOwn, isObject, setOwn } from '../schema/own.ts';
import { chargeItems, chargeKeys } from '../schema/tree-work.ts';

/** Parts of a configuration that its applier has applied before to the very same live object. */
export type Reapplied = ReadonlySet<unknown>;

export const NOTHING_REAPPLIED: Reapplied = new Set();

/** What a configuration has in common with the one applied before. */
export interface Comparison {
  /**
   * The largest parts of the new configuration that are the same; none of metadata, and none of an item that differs: it may
   * be another one, which took the place of the first.
   */
  readonly same: Reapplied;
  /** A copy of the new configuration that shares what is the same with the earlier copy. */
  readonly copy: JsonObject;
}

/** `before` is a copy that this function made; undefined when nothing is known of an earlier one. */
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

/** `earlier` itself where `value` is equal to it; else a copy, and its equal parts are noted. */
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
  // Nothing is copied as long as all is equal, which in most maps it is to the end.
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

/** A map of `names` alone, which hold in `map` what they hold in `before`. */
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
