import { equalJson } from '../schema/own.ts';
import { chargeKeys } from '../schema/tree-work.ts';
import { EMPTY, type FieldSet, LEAF, nodeOf, recursiveDifference } from './field-set.ts';
import type { PathElement } from './path-element.ts';
import type { ListShape, MapShape, FreeShape, Shape } from './shape.ts';
import { entriesOf, itemsOf, readingOf, shapeUnder, stepUnder } from './typed.ts';

/** The paths in which two values differ. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

const SAME: Comparison = { added: EMPTY, modified: EMPTY, removed: EMPTY };
const MODIFIED: Comparison = { ...SAME, modified: LEAF };

/** Compares two values. Throws `TypedError` for a list whose items are indistinguishable. */
export const compareValues = (shape: Shape, left: unknown, right: unknown): Comparison =>
  compare(shape, left, right, []);

/** True if the comparison found no difference. */
export const isUnchanged = (comparison: Comparison): boolean => comparison === SAME;

/** Returns the comparison without the ignored fields and all fields within them. */
export const excludeFields = (comparison: Comparison, ignored: FieldSet): Comparison => ({
  added: recursiveDifference(comparison.added, ignored),
  modified: recursiveDifference(comparison.modified, ignored),
  removed: recursiveDifference(comparison.removed, ignored),
});

/**
 * Compares two values. `path` is their position, for messages; the function pushes and pops path elements.
 */
function compare(shape: Shape, left: unknown, right: unknown, path: PathElement[]): Comparison {
  if (left === right) return SAME;
  if (left === undefined) return { ...SAME, added: everyField(shape, right, path) };
  if (right === undefined) return { ...SAME, removed: everyField(shape, left, path) };
  const reading = readingOf(shape, left, right);
  switch (reading.as) {
    case 'piece':
      if (equalJson(left, right)) return SAME;
      return shape.type === 'free' && shape.element ? replaced(shape, left, right, path) : MODIFIED;
    case 'map':
      return compareMaps(reading.shape, left, right, path);
    case 'list':
      return compareLists(reading.shape, left, right, path);
  }
}

/** Compares a map with a value of another type. Everything within the map counts as removed or added. */
const replaced = (shape: FreeShape, left: unknown, right: unknown, path: PathElement[]): Comparison => ({
  added: fieldsBelow(shape, right, path),
  modified: LEAF,
  removed: fieldsBelow(shape, left, path),
});

const fieldsBelow = (shape: FreeShape, value: unknown, path: PathElement[]): FieldSet =>
  nodeOf(false, everyField(shape, value, path).children);

function compareMaps(
  shape: MapShape | FreeShape,
  left: unknown,
  right: unknown,
  path: PathElement[],
): Comparison {
  const [before, after] = [entriesOf(left), entriesOf(right)];
  const findings = newFindings();
  const descend = (key: string, from: unknown, to: unknown): void => {
    if (from === to) return;
    const step = stepUnder(shape, key);
    path.push(step);
    note(findings, step, compare(shapeUnder(shape, key), from, to, path));
    path.pop();
  };
  const keys = Object.keys(before);
  chargeKeys(keys.length);
  for (const key of keys) descend(key, before[key], Object.hasOwn(after, key) ? after[key] : undefined);
  const others = Object.keys(after);
  chargeKeys(others.length);
  for (const key of others) if (!Object.hasOwn(before, key)) descend(key, undefined, after[key]);
  return comparisonOf(findings);
}

function compareLists(shape: ListShape, left: unknown, right: unknown, path: PathElement[]): Comparison {
  const before = itemsOf(shape, left, path);
  const after = itemsOf(shape, right, path);
  const items = shape.items();
  const findings = newFindings();
  const descend = (step: PathElement, from: unknown, to: unknown): void => {
    path.push(step);
    note(findings, step, compare(items, from, to, path));
    path.pop();
  };
  for (const [step, item] of before) descend(step, item, after.get(step));
  for (const [step, item] of after) if (!before.has(step)) descend(step, undefined, item);
  return comparisonOf(findings);
}

/** Differences found within one position. The maps are created on first use. */
interface Findings {
  added: Map<PathElement, FieldSet> | undefined;
  modified: Map<PathElement, FieldSet> | undefined;
  removed: Map<PathElement, FieldSet> | undefined;
}

const newFindings = (): Findings => ({ added: undefined, modified: undefined, removed: undefined });

function note(findings: Findings, step: PathElement, below: Comparison): void {
  if (below === SAME) return;
  if (below.added !== EMPTY) (findings.added ??= new Map()).set(step, below.added);
  if (below.modified !== EMPTY) (findings.modified ??= new Map()).set(step, below.modified);
  if (below.removed !== EMPTY) (findings.removed ??= new Map()).set(step, below.removed);
}

function comparisonOf({ added, modified, removed }: Findings): Comparison {
  if (!added && !modified && !removed) return SAME;
  return { added: branch(added), modified: branch(modified), removed: branch(removed) };
}

const branch = (children: Map<PathElement, FieldSet> | undefined): FieldSet =>
  children ? { member: false, children } : EMPTY;

/**
 * Returns every path of a value that exists on one side only: the paths of its leaves and of their
 * containers.
 */
function everyField(shape: Shape, value: unknown, path: PathElement[]): FieldSet {
  const reading = readingOf(shape, undefined, value);
  if (reading.as === 'piece') return LEAF;
  const children = new Map<PathElement, FieldSet>();
  if (reading.as === 'map') {
    const entries = entriesOf(value);
    const keys = Object.keys(entries);
    chargeKeys(keys.length);
    for (const key of keys) {
      const step = stepUnder(reading.shape, key);
      path.push(step);
      children.set(step, everyField(shapeUnder(reading.shape, key), entries[key], path));
      path.pop();
    }
  } else {
    const items = reading.shape.items();
    for (const [step, item] of itemsOf(reading.shape, value, path)) {
      path.push(step);
      children.set(step, everyField(items, item, path));
      path.pop();
    }
  }
  return nodeOf(true, children);
}
