import { spend } from '../../base/budget/index.ts';
import { type JsonObject, equalJson, getOwn, isObject, setOwn } from '../schema/own.ts';
import { chargeKeys } from '../schema/tree-work.ts';
import { EMPTY, type FieldSet, LEAF, isEmpty, nodeOf } from './field-set.ts';
import { type PathElement, fieldElement, fieldNameOf } from './path-element.ts';
import { NOTHING_REAPPLIED, type Reapplied } from './reapplied.ts';
import { type FreeShape, type ListShape, type MapShape, type Shape, childShape } from './shape.ts';
import { elementOf, entriesOf, isEmptyMap, itemsOf, readingOf, shapeUnder, stepUnder } from './typed.ts';

/**
 * Merges `config` into `live`. Maps merge by key, and lists by the identity of their items: live items retain
 * their order, and new items follow. All other values are replaced. Returns undefined if nothing is left. The
 * result shares parts of both arguments, and an unchanged part of `live` is returned as the same object.
 */
export function mergeValues(
  shape: Shape,
  live: unknown,
  config: unknown,
  same: Reapplied = NOTHING_REAPPLIED,
  path: PathElement[] = [],
): unknown {
  if (config === undefined || config === live) return live;
  if (live === undefined) return config;
  if (same.has(config)) return live;
  const reading = readingOf(shape, live, config);
  switch (reading.as) {
    case 'piece':
      return equalJson(live, config) ? live : config;
    case 'map':
      return mergeMaps(reading.shape, live, config, same, path);
    case 'list':
      return mergeLists(reading.shape, live, config, same, path);
  }
}

function mergeMaps(
  shape: MapShape | FreeShape,
  live: unknown,
  config: unknown,
  same: Reapplied,
  path: PathElement[],
): unknown {
  const [base, over] = [entriesOf(live), entriesOf(config)];
  let merged: JsonObject | undefined;
  const keys = Object.keys(over);
  chargeKeys(keys.length * 2);
  for (const key of keys) {
    const held = getOwn(base, key);
    path.push(stepUnder(shape, key));
    const value = mergeValues(shapeUnder(shape, key), held, over[key], same, path);
    path.pop();
    if (value !== held) setOwn((merged ??= { ...base }), key, value);
  }
  return merged ?? (isObject(live) ? live : base);
}

function mergeLists(
  shape: ListShape,
  live: unknown,
  config: unknown,
  same: Reapplied,
  path: PathElement[],
): unknown {
  const over = itemsOf(shape, config, path);
  const base = itemsOf(shape, live, path);
  const items = shape.items();
  const merged: unknown[] = [];
  let changed = !Array.isArray(live);
  for (const [step, item] of base) {
    path.push(step);
    const value = mergeValues(items, item, over.get(step), same, path);
    path.pop();
    changed ||= value !== item;
    merged.push(value);
  }
  for (const [step, item] of over) if (!base.has(step)) merged.push(item);
  return changed || merged.length > base.size ? merged : live;
}

/**
 * Returns the fields that an applied configuration sets: its leaves, list items, map keys, and empty or null
 * values. A struct that contains such fields is not itself a field of the set. `last` holds the fields of the
 * manager's previous apply: the result shares their unchanged parts, and parts in `same` are not visited.
 * Throws `TypedError`.
 */
export function appliedFields(
  shape: Shape,
  value: unknown,
  last?: FieldSet,
  same: Reapplied = NOTHING_REAPPLIED,
  path: PathElement[] = [],
): FieldSet {
  if (shape.type === 'scalar' || isPiece(shape)) return LEAF;
  if (last && same.has(value)) return last;
  if (shape.type === 'list') {
    const items = shape.items();
    const applied = new AppliedFields(last);
    for (const [step, item] of itemsOf(shape, value, path))
      applied.add(step, true, appliedBelow(items, item, step, last, same, path));
    return applied.set;
  }
  if (!isObject(value)) return shape.type === 'free' ? LEAF : EMPTY;
  const applied = new AppliedFields(last);
  const keys = Object.keys(value);
  chargeKeys(keys.length * 2);
  for (const key of keys) {
    const field = shape.type === 'map' ? shape.fields().get(key) : undefined;
    const step = field?.step ?? fieldElement(key);
    const held = value[key];
    const below = appliedBelow(field?.shape ?? shapeUnder(shape, key), held, step, last, same, path);
    const isApplied = below.member || !field || (!Array.isArray(held) && isEmptyMap(held));
    if (isApplied || !isEmpty(below)) applied.add(step, isApplied, below);
  }
  return applied.set;
}

const isPiece = (shape: Shape): boolean =>
  (shape.type === 'map' && shape.atomic) ||
  (shape.type === 'list' && shape.rule.type === 'atomic') ||
  (shape.type === 'free' && !shape.element);

function appliedBelow(
  shape: Shape,
  value: unknown,
  step: PathElement,
  last: FieldSet | undefined,
  same: Reapplied,
  path: PathElement[],
): FieldSet {
  if (shape.type === 'scalar') return LEAF;
  path.push(step);
  const below = appliedFields(shape, value, last?.children.get(step), same, path);
  path.pop();
  return below;
}

/**
 * Collects the applied fields within one position. Creates a new set only if the fields differ from those of
 * the last apply.
 */
class AppliedFields {
  readonly #last: FieldSet | undefined;
  #same: PathElement[] = [];
  #children: Map<PathElement, FieldSet> | undefined;

  constructor(last: FieldSet | undefined) {
    this.#last = last;
    if (!last) this.#children = new Map();
  }

  add(step: PathElement, member: boolean, below: FieldSet): void {
    const known = this.#last?.children.get(step);
    const isKnown = known?.member === member && known.children === below.children;
    if (isKnown && !this.#children) this.#same.push(step);
    else this.#differing().set(step, isKnown ? known : nodeOf(member, below.children));
  }

  #differing(): Map<PathElement, FieldSet> {
    const before = this.#last?.children;
    return (this.#children ??= new Map(this.#same.map((step) => [step, before?.get(step) ?? EMPTY])));
  }

  /** The collected set; its root is not a member. */
  get set(): FieldSet {
    const last = this.#last;
    if (!last || this.#children || this.#same.length < last.children.size)
      return nodeOf(false, this.#differing());
    return last.member ? nodeOf(false, last.children) : last;
  }
}

/** Returns `value` without the paths of `taken`; null if nothing of the container remains. */
export function removeFields(shape: Shape, value: unknown, taken: FieldSet): unknown {
  const reading = readingOf(shape, undefined, value);
  switch (reading.as) {
    case 'piece':
      return shape.type === 'scalar' ? value : null;
    case 'map': {
      const entries = entriesOf(value);
      const rest: JsonObject = {};
      const keys = Object.keys(entries);
      chargeKeys(keys.length * 2);
      for (const key of keys) {
        const below = taken.children.get(stepUnder(reading.shape, key)) ?? EMPTY;
        if (below.member) continue;
        const child = shapeUnder(reading.shape, key);
        setOwn(rest, key, isEmpty(below) ? entries[key] : removeFields(child, entries[key], below));
      }
      return isEmptyMap(rest) ? null : rest;
    }
    case 'list': {
      const items = reading.shape.items();
      spend((value as unknown[]).length);
      const rest = (value as unknown[]).flatMap((item) => {
        const element = elementOf(reading.shape, item);
        const below = 'step' in element ? (taken.children.get(element.step) ?? EMPTY) : EMPTY;
        if (below.member) return [];
        const left = isEmpty(below) ? item : removeFields(items, item, below);
        return left === null ? [] : [left];
      });
      return rest.length === 0 ? null : rest;
    }
  }
}

/** Returns the parts of `value` on the paths of `kept`; undefined if there are none. */
export function extractFields(shape: Shape, value: unknown, kept: FieldSet): unknown {
  const reading = readingOf(shape, undefined, value);
  if (kept.children.size === 0 || reading.as === 'piece') return kept.member ? value : undefined;
  if (reading.as === 'list') {
    const items = reading.shape.items();
    spend((value as unknown[]).length);
    const rest = (value as unknown[]).flatMap((item) => {
      const element = elementOf(reading.shape, item);
      const below = 'step' in element ? kept.children.get(element.step) : undefined;
      const extracted = below && extractFields(items, item, below);
      return extracted === undefined ? [] : [extracted];
    });
    return rest.length === 0 && !kept.member ? undefined : rest;
  }
  const entries = entriesOf(value);
  const rest: JsonObject = {};
  const keys = Object.keys(entries);
  chargeKeys(keys.length * 2);
  for (const key of keys) {
    const below = kept.children.get(stepUnder(reading.shape, key));
    const extracted = below && extractFields(shapeUnder(reading.shape, key), entries[key], below);
    if (extracted !== undefined) setOwn(rest, key, extracted);
  }
  return isEmptyMap(rest) && !kept.member ? undefined : rest;
}

/**
 * Adds every struct field that leads to a member. Removing all members of a struct then removes the struct as
 * well.
 */
export function withNamedFields(shape: Shape | undefined, set: FieldSet): FieldSet {
  if (set.children.size === 0) return set;
  chargeKeys(set.children.size * 2);
  const children = new Map<PathElement, FieldSet>();
  for (const [step, below] of set.children) {
    const name = fieldNameOf(step);
    const declared = shape?.type === 'map' && name !== undefined && shape.fields().has(name);
    const deeper = withNamedFields(shapeBelow(shape, name), below);
    children.set(step, nodeOf(deeper.member || declared, deeper.children));
  }
  return nodeOf(set.member, children);
}

/** The shape that each set is known to match. */
const agreed = new WeakMap<FieldSet, Shape>();

/**
 * Adapts a set to the current shape: fields within a value that has become atomic are replaced by the value.
 */
export function reconcileFields(shape: Shape, set: FieldSet): FieldSet {
  if (agreed.get(set) === shape) return set;
  const reconciled = reconcile(shape, set);
  agreed.set(reconciled, shape);
  return reconciled;
}

function reconcile(shape: Shape | undefined, set: FieldSet): FieldSet {
  if (set.children.size === 0 || !shape) return set;
  if (isPiece(shape)) return LEAF;
  chargeKeys(set.children.size);
  let children: Map<PathElement, FieldSet> | undefined;
  for (const [step, below] of set.children) {
    const reconciled = reconcile(shapeBelow(shape, fieldNameOf(step)), below);
    if (reconciled !== below) (children ??= new Map(set.children)).set(step, reconciled);
  }
  return children ? nodeOf(set.member, children) : set;
}

function shapeBelow(shape: Shape | undefined, name: string | undefined): Shape | undefined {
  if (shape?.type === 'list') return name === undefined ? shape.items() : undefined;
  if (name === undefined || shape?.type === 'scalar') return undefined;
  return shape?.type === 'free' ? shape.element : shape && childShape(shape, name);
}
