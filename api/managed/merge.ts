import { type JsonObject, getOwn, isObject, setOwn } from '../schema/own.ts';
import { EMPTY, type FieldSet, LEAF, isEmpty, nodeOf } from './field-set.ts';
import { type PathElement, fieldNameOf } from './path-element.ts';
import { type Shape, childShape } from './shape.ts';
import { elementOf, entriesOf, isEmptyMap, itemsOf, readingOf, shapeUnder, stepUnder } from './typed.ts';

/**
 * `live` with what `config` says laid over it: maps by their keys, lists by what identifies their items (the live order
 * first, then what is new), everything else replaced. Undefined where nothing is left. The result shares parts of both.
 */
export function mergeValues(shape: Shape, live: unknown, config: unknown, path: PathElement[] = []): unknown {
  if (config === undefined) return live;
  if (live === undefined) return config;
  const reading = readingOf(shape, live, config);
  switch (reading.as) {
    case 'piece':
      return config;
    case 'map': {
      const [base, over] = [entriesOf(live), entriesOf(config)];
      const merged: JsonObject = {};
      for (const key of Object.keys(base)) {
        path.push(stepUnder(reading.shape, key));
        const value = mergeValues(shapeUnder(reading.shape, key), base[key], getOwn(over, key), path);
        path.pop();
        if (value !== undefined) setOwn(merged, key, value);
      }
      for (const key of Object.keys(over)) if (!Object.hasOwn(base, key)) setOwn(merged, key, over[key]);
      return merged;
    }
    case 'list': {
      const over = itemsOf(reading.shape, config, path);
      const base = itemsOf(reading.shape, live, path);
      const items = reading.shape.items();
      return [
        ...[...base].map(([step, item]) => {
          path.push(step);
          const merged = mergeValues(items, item, over.get(step), path);
          path.pop();
          return merged;
        }),
        ...[...over].filter(([step]) => !base.has(step)).map(([, item]) => item),
      ];
    }
  }
}

/**
 * The fields that an applied configuration claims: its leaves, the items of its lists, the keys of its maps, and what it
 * says to be empty or null. A struct that only holds other claims is none itself. Throws `TypedError`.
 */
export function claimedFields(shape: Shape, value: unknown, path: PathElement[] = []): FieldSet {
  if (shape.type === 'scalar') return LEAF;
  const atomic =
    (shape.type === 'map' && shape.atomic) ||
    (shape.type === 'list' && shape.rule.type === 'atomic') ||
    (shape.type === 'free' && !shape.element);
  if (atomic) return LEAF;
  if (shape.type === 'list') {
    const items = shape.items();
    const children = new Map<PathElement, FieldSet>();
    for (const [step, item] of itemsOf(shape, value, path))
      children.set(step, nodeOf(true, claimedBelow(items, item, step, path).children));
    return nodeOf(false, children);
  }
  if (!isObject(value)) return shape.type === 'free' ? LEAF : EMPTY;
  const children = new Map<PathElement, FieldSet>();
  for (const key of Object.keys(value)) {
    const step = stepUnder(shape, key);
    const declared = shape.type === 'map' && shape.fields().has(key);
    const below = claimedBelow(shapeUnder(shape, key), value[key], step, path);
    const claimed = below.member || !declared || (!Array.isArray(value[key]) && isEmptyMap(value[key]));
    if (claimed || !isEmpty(below)) children.set(step, nodeOf(claimed, below.children));
  }
  return nodeOf(false, children);
}

function claimedBelow(shape: Shape, value: unknown, step: PathElement, path: PathElement[]): FieldSet {
  if (shape.type === 'scalar') return LEAF;
  path.push(step);
  const claimed = claimedFields(shape, value, path);
  path.pop();
  return claimed;
}

/** `value` without the paths of `taken`; null where nothing remains of what held them. */
export function removeFields(shape: Shape, value: unknown, taken: FieldSet): unknown {
  const reading = readingOf(shape, undefined, value);
  switch (reading.as) {
    case 'piece':
      return shape.type === 'scalar' ? value : null;
    case 'map': {
      const entries = entriesOf(value);
      const rest: JsonObject = {};
      for (const key of Object.keys(entries)) {
        const below = taken.children.get(stepUnder(reading.shape, key)) ?? EMPTY;
        if (below.member) continue;
        const child = shapeUnder(reading.shape, key);
        setOwn(rest, key, isEmpty(below) ? entries[key] : removeFields(child, entries[key], below));
      }
      return isEmptyMap(rest) ? null : rest;
    }
    case 'list': {
      const items = reading.shape.items();
      const rest = (value as unknown[]).flatMap((item) => {
        const element = elementOf(reading.shape, item);
        const below = 'step' in element ? (taken.children.get(element.step) ?? EMPTY) : EMPTY;
        if (below.member) return [];
        return [isEmpty(below) ? item : removeFields(items, item, below)];
      });
      return rest.length === 0 ? null : rest;
    }
  }
}

/** Only what of `value` lies on the paths of `kept`; undefined for nothing. */
export function extractFields(shape: Shape, value: unknown, kept: FieldSet): unknown {
  const reading = readingOf(shape, undefined, value);
  if (kept.children.size === 0 || reading.as === 'piece') return kept.member ? value : undefined;
  if (reading.as === 'list') {
    const items = reading.shape.items();
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
  for (const key of Object.keys(entries)) {
    const below = kept.children.get(stepUnder(reading.shape, key));
    const extracted = below && extractFields(shapeUnder(reading.shape, key), entries[key], below);
    if (extracted !== undefined) setOwn(rest, key, extracted);
  }
  return isEmptyMap(rest) && !kept.member ? undefined : rest;
}

/** The set with every struct field that leads to a member made one: who owns all of a struct takes it along. */
export function withNamedFields(shape: Shape | undefined, set: FieldSet): FieldSet {
  if (set.children.size === 0) return set;
  const children = new Map<PathElement, FieldSet>();
  for (const [step, below] of set.children) {
    const name = fieldNameOf(step);
    const declared = shape?.type === 'map' && name !== undefined && shape.fields().has(name);
    const deeper = withNamedFields(shapeBelow(shape, name), below);
    children.set(step, nodeOf(deeper.member || declared, deeper.children));
  }
  return nodeOf(set.member, children);
}

/** The set as the shape of today has it: what lies below a piece is that piece. */
export function reconcileFields(shape: Shape | undefined, set: FieldSet): FieldSet {
  if (set.children.size === 0 || !shape) return set;
  const piece =
    (shape.type === 'map' && shape.atomic) || (shape.type === 'list' && shape.rule.type === 'atomic');
  if (piece) return LEAF;
  let children: Map<PathElement, FieldSet> | undefined;
  for (const [step, below] of set.children) {
    const reconciled = reconcileFields(shapeBelow(shape, fieldNameOf(step)), below);
    if (reconciled !== below) (children ??= new Map(set.children)).set(step, reconciled);
  }
  return children ? nodeOf(set.member, children) : set;
}

function shapeBelow(shape: Shape | undefined, name: string | undefined): Shape | undefined {
  if (shape?.type === 'list') return name === undefined ? shape.items() : undefined;
  if (name === undefined || shape?.type === 'scalar') return undefined;
  return shape?.type === 'free' ? shape.element : shape && childShape(shape, name);
}
