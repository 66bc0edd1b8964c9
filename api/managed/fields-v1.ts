import { spend } from '../../base/budget/index.ts';
import { type JsonObject, isObject } from '../schema/own.ts';
import { chargeKeys } from '../schema/tree-work.ts';
import { EMPTY, type FieldSet, isEmpty, nodeOf, union } from './field-set.ts';
import { type PathElement, parseElement, sortElements } from './path-element.ts';

/**
 * JSON form of a field set. Path elements are keys, a leaf is `{}`, and `.` marks a path that is owned in
 * addition to the paths within it.
 */
export interface FieldsV1 {
  [element: PathElement]: FieldsV1;
}

/** Maximum nesting that is read. No kind has deeper objects. */
const DEPTH_LIMIT = 500;

const written = new WeakMap<FieldSet, FieldsV1>();
const read = new WeakMap<object, FieldSet>();

/**
 * Returns the JSON form of a set, with keys in upstream's order. The result is cached and must not be
 * changed.
 */
export function toFieldsV1(set: FieldSet): FieldsV1 {
  let fields = written.get(set);
  if (fields) return fields;
  fields = write(set, branchOf);
  remember(set, fields);
  return fields;
}

/**
 * Caches both directions, because the next write to the object starts by reading the result of this write.
 */
function remember(set: FieldSet, fields: FieldsV1): void {
  if (set.children.size === 0) return;
  written.set(set, fields);
  read.set(fields, set);
}

/**
 * Returns the cached form of a branch. Sets of a kind mostly differ in one branch, such as metadata, so all
 * other branches are written only once.
 */
function branchOf(set: FieldSet): FieldsV1 {
  let fields = written.get(set);
  if (fields) return fields;
  fields = write(set, write);
  if (set.children.size > 0) written.set(set, fields);
  return fields;
}

function write(set: FieldSet, branch: (set: FieldSet, branch: typeof write) => FieldsV1): FieldsV1 {
  const fields: FieldsV1 = {};
  if (set.member && set.children.size > 0) fields['.'] = {};
  chargeKeys(set.children.size);
  const elements = sortElements([...set.children.keys()]);
  // Every key has a prefix such as `f:`, so no key is `__proto__`.
  for (const element of elements) fields[element] = branch(set.children.get(element) ?? EMPTY, write);
  return fields;
}

/**
 * Reads the JSON form of a set. `fields` must not be changed afterwards, because the result is cached. Path
 * elements of an unknown kind are skipped. Throws an `Error` if `fields` is not a field set.
 */
export function parseFieldsV1(fields: unknown): FieldSet {
  if (!isObject(fields)) return setRead(fields);
  let set = read.get(fields);
  if (set) return set;
  set = readLately(fields);
  read.set(fields, set);
  return set;
}

const setRead = (fields: unknown): FieldSet => ({ ...parseNode(fields, 0), member: false });

/** Number of cached sets. It is small because a kind has few writers and endpoints. */
const LATELY = 16;
/** Recently read sets, the latest first. */
const lately: { readonly fields: JsonObject; readonly set: FieldSet }[] = [];

/**
 * Reads a set, looking in the cache first. Objects of a kind mostly have equal fields, but each object is
 * parsed from separate bytes.
 */
function readLately(fields: JsonObject): FieldSet {
  const at = lately.findIndex((each) => equalFields(each.fields, fields));
  const newest = lately[at] ?? { fields, set: setRead(fields) };
  if (at === 0) return newest.set;
  if (at > 0) lately.splice(at, 1);
  else if (lately.length === LATELY) lately.pop();
  lately.unshift(newest);
  return newest.set;
}

/** True if the two values would be written as the same JSON. */
function equalFields(left: unknown, right: unknown): boolean {
  if (!isObject(left) || !isObject(right)) return false;
  const keys = Object.keys(left);
  chargeKeys(keys.length);
  const others = Object.keys(right);
  return (
    keys.length === others.length &&
    keys.every((key, at) => key === others[at] && equalFields(left[key], right[key]))
  );
}

/** Measured work units for each key that is read. */
const PARSED_KEY = 0.6;

function parseNode(fields: unknown, depth: number): FieldSet {
  if (!isObject(fields)) throw new Error(`expected a map of fields, received ${typeof fields}`);
  if (depth > DEPTH_LIMIT) throw new Error(`fields are nested deeper than ${DEPTH_LIMIT} levels`);
  const children = new Map<PathElement, FieldSet>();
  let member = false;
  const keys = Object.keys(fields);
  spend(keys.length * PARSED_KEY);
  for (const key of keys) {
    if (key === '.') {
      member = true;
      continue;
    }
    const element = parseElement(key);
    if (element === undefined) continue;
    const below = parseNode(fields[key], depth + 1);
    const node = isEmpty(below) ? nodeOf(true, below.children) : below;
    const known = children.get(element);
    children.set(element, known ? union(known, node) : node);
  }
  return nodeOf(member, children);
}
