import { spend } from '../../base/budget/index.ts';
import { chargeKeys } from '../schema/tree-work.ts';
import { type PathElement, sortElements } from './path-element.ts';

/**
 * Immutable set of field paths, as a tree. A node stands for the path that leads to the node; `member` is
 * true if this path is in the set. Sets share unchanged branches. The root is never a member.
 */
export interface FieldSet {
  readonly member: boolean;
  readonly children: ReadonlyMap<PathElement, FieldSet>;
}

/**
 * Returns `earlier` if the two sets are equal, else `set`. Reusing the object of an earlier write makes later
 * comparisons cheap.
 */
export const sameOr = (set: FieldSet, earlier: FieldSet | undefined): FieldSet =>
  earlier && equalSets(set, earlier) ? earlier : set;

/** Returns `set` with each branch replaced by the branch of `earlier` that is equal to it. */
export function sharing(set: FieldSet, earlier: FieldSet | undefined): FieldSet {
  if (!earlier || equalSets(set, earlier)) return earlier ?? set;
  let children: Map<PathElement, FieldSet> | undefined;
  for (const [element, below] of set.children) {
    const other = earlier.children.get(element);
    if (!other || other === below || !equalSets(below, other)) continue;
    children ??= new Map(set.children);
    children.set(element, other);
  }
  return children ? { member: set.member, children } : set;
}

const NO_CHILDREN: ReadonlyMap<PathElement, FieldSet> = new Map();

/** Set without paths. */
export const EMPTY: FieldSet = { member: false, children: NO_CHILDREN };
/** Node that is a member and has no children. */
export const LEAF: FieldSet = { member: true, children: NO_CHILDREN };

/** True if the set has no paths. */
export const isEmpty = (set: FieldSet): boolean => !set.member && set.children.size === 0;

/** Returns a node. A node without children is one of the shared constants. */
export function nodeOf(member: boolean, children: ReadonlyMap<PathElement, FieldSet>): FieldSet {
  if (children.size > 0) return { member, children };
  return member ? LEAF : EMPTY;
}

/** Returns the set of the given paths. */
export const setOf = (...paths: readonly (readonly PathElement[])[]): FieldSet =>
  paths.reduce<FieldSet>((set, path) => union(set, pathSet(path, LEAF)), EMPTY);

/** Returns the set whose only branch is `set`, at `path`. */
const pathSet = (path: readonly PathElement[], set: FieldSet): FieldSet =>
  path.reduceRight<FieldSet>(
    (below, element) => ({ member: false, children: new Map([[element, below]]) }),
    set,
  );

/** Returns the paths that are in either set. */
export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right || isEmpty(right)) return left;
  if (isEmpty(left)) return right;
  chargeKeys(left.children.size + right.children.size);
  const children = new Map(left.children);
  for (const [element, below] of right.children) {
    const known = children.get(element);
    children.set(element, known ? union(known, below) : below);
  }
  return nodeOf(left.member || right.member, children);
}

/** Returns the paths of `left` that are not in `right`, including paths within a path of `right`. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  return subtract(left, right, false);
}

/** Returns the paths of `left` that are neither in `right` nor within a path of `right`. */
export function recursiveDifference(left: FieldSet, right: FieldSet): FieldSet {
  return subtract(left, right, true);
}

function subtract(left: FieldSet, right: FieldSet, deep: boolean): FieldSet {
  if (left === right || (deep && right.member)) return EMPTY;
  if (isEmpty(left) || isEmpty(right)) return left;
  chargeKeys(right.children.size);
  const member = left.member && !right.member;
  let children: Map<PathElement, FieldSet> | undefined;
  for (const [element, taken] of right.children) {
    const below = left.children.get(element);
    if (!below) continue;
    const rest = subtract(below, taken, deep);
    if (rest === below) continue;
    if (!children) {
      chargeKeys(left.children.size);
      children = new Map(left.children);
    }
    if (isEmpty(rest)) children.delete(element);
    else children.set(element, rest);
  }
  if (!children && member === left.member) return left;
  return nodeOf(member, children ?? left.children);
}

/** Returns the paths that are in both sets. */
export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right) return left;
  if (isEmpty(left) || isEmpty(right)) return EMPTY;
  const [small, large] = left.children.size < right.children.size ? [left, right] : [right, left];
  chargeKeys(small.children.size);
  const children = new Map<PathElement, FieldSet>();
  for (const [element, below] of small.children) {
    const other = large.children.get(element);
    const both = other && intersection(below, other);
    if (both && !isEmpty(both)) children.set(element, both);
  }
  return nodeOf(left.member && right.member, children);
}

/** True if both sets have the same paths. */
export function equalSets(left: FieldSet, right: FieldSet): boolean {
  if (left === right) return true;
  if (left.member !== right.member || left.children.size !== right.children.size) return false;
  chargeKeys(left.children.size);
  for (const [element, below] of left.children) {
    const other = right.children.get(element);
    if (!other || !equalSets(below, other)) return false;
  }
  return true;
}

/** True if every path of `part` is in `whole`. */
export function includes(whole: FieldSet, part: FieldSet): boolean {
  if (whole === part) return true;
  if (part.member && !whole.member) return false;
  chargeKeys(part.children.size);
  for (const [element, below] of part.children) {
    const known = whole.children.get(element);
    if (!known || !includes(known, below)) return false;
  }
  return true;
}

/** True if two sets share a path. */
export function meet(left: FieldSet, right: FieldSet): boolean {
  if (left.member && right.member) return true;
  chargeKeys(right.children.size);
  for (const [element, below] of right.children) {
    const other = left.children.get(element);
    if (other && meet(other, below)) return true;
  }
  return false;
}

/** True if the path is in the set. */
export function hasPath(set: FieldSet, path: readonly PathElement[]): boolean {
  let node: FieldSet | undefined = set;
  for (const element of path) node = node?.children.get(element);
  return node?.member ?? false;
}

/** Work units for each element of a path that is copied. */
const STEP = 0.02;

/** Returns all paths in upstream's order: at each level, paths that end there precede longer paths. */
export function pathsOf(set: FieldSet, prefix: readonly PathElement[] = []): readonly PathElement[][] {
  const sorted = sortedChildren(set);
  spend(sorted.length * (1 + prefix.length * STEP));
  return [
    ...sorted.filter(([, below]) => below.member).map(([element]) => [...prefix, element]),
    ...sorted.flatMap(([element, below]) => pathsOf(below, [...prefix, element])),
  ];
}

const sortedChildren = (set: FieldSet): [PathElement, FieldSet][] =>
  sortElements([...set.children.keys()]).map((element) => [element, set.children.get(element) ?? EMPTY]);
