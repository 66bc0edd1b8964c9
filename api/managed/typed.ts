import { spend } from '../../base/budget/index.ts';
import { type JsonObject, getOwn, isObject } from '../schema/own.ts';
import {
  type PathElement,
  fieldElement,
  printElement,
  printPath,
  quoted,
  valueElement,
} from './path-element.ts';
import { type FreeShape, type ListShape, type MapShape, type Shape, childShape, ATOM } from './shape.ts';

/** A value and the shape by which it is read. */
export interface Typed {
  readonly apiVersion: string;
  readonly shape: Shape;
  readonly value: unknown;
}

/** An error at one position of a value. The path is formatted; `''` for the root. */
export interface TypedProblem {
  readonly path: string;
  readonly message: string;
}

/** Error for a value that does not match its shape. The message is that of upstream. */
export class TypedError extends Error {
  readonly problems: readonly TypedProblem[];

  constructor(problems: readonly TypedProblem[]) {
    const lines = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    super(lines.length === 1 ? lines.join('') : ['errors:', ...lines.map((line) => `  ${line}`)].join('\n'));
    this.name = 'TypedError';
    this.problems = problems;
  }
}

/** Method of comparing two values at one position: as a whole, by their keys, or by their items. */
export type Reading =
  | { readonly as: 'piece' }
  | { readonly as: 'map'; readonly shape: MapShape | FreeShape }
  | { readonly as: 'list'; readonly shape: ListShape };

const PIECE: Reading = { as: 'piece' };

/**
 * Returns how to compare two values; undefined stands for a missing value. Two empty values are compared as a
 * whole, so that empty and null stay distinct. Values that contradict the shape are also compared as a whole,
 * because stored objects may be older than their schema.
 */
export function readingOf(shape: Shape, left: unknown, right: unknown): Reading {
  switch (shape.type) {
    case 'scalar':
      return PIECE;
    case 'map':
      if (shape.atomic || (isEmptyMap(left) && isEmptyMap(right))) return PIECE;
      return isMapOrNull(left) && isMapOrNull(right) ? { as: 'map', shape } : PIECE;
    case 'list':
      if (shape.rule.type === 'atomic' || (isEmptyList(left) && isEmptyList(right))) return PIECE;
      return isListOrNull(left) && isListOrNull(right) ? { as: 'list', shape } : PIECE;
    case 'free':
      if (!shape.element || (isEmptyMap(left) && isEmptyMap(right))) return PIECE;
      return isMapOrNull(left) && isMapOrNull(right) ? { as: 'map', shape } : PIECE;
  }
}

const isMapOrNull = (value: unknown): boolean => value === undefined || value === null || isObject(value);
const isListOrNull = (value: unknown): boolean =>
  value === undefined || value === null || Array.isArray(value);

/** True for a map without members, and for undefined and null. */
export function isEmptyMap(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (!isObject(value)) return false;
  for (const key in value) if (Object.hasOwn(value, key)) return false;
  return true;
}

const isEmptyList = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

/** Returns the shape of the value under a key; atomic for an undeclared key of a struct. */
export const shapeUnder = (shape: MapShape | FreeShape, key: string): Shape =>
  (shape.type === 'free' ? shape.element : childShape(shape, key)) ?? ATOM;

/** Returns the path element of a key. */
export const stepUnder = (shape: MapShape | FreeShape, key: string): PathElement =>
  (shape.type === 'map' ? shape.fields().get(key)?.step : undefined) ?? fieldElement(key);

const NOTHING: JsonObject = {};

/** Returns the members of an object; an empty object for any other value. */
export const entriesOf = (value: unknown): JsonObject => (isObject(value) ? value : NOTHING);

type Items = ReadonlyMap<PathElement, unknown>;

const NO_ITEMS: Items = new Map();

/** Cache of the items of frozen lists. Lists of stored objects are frozen and are read in every write. */
const known = new WeakMap<object, { readonly shape: ListShape; readonly items: Items }>();

/** Returns the items of a list by their path elements, in order. Throws `TypedError` at `path`. */
export function itemsOf(shape: ListShape, list: unknown, path: readonly PathElement[]): Items {
  if (!Array.isArray(list) || list.length === 0) return NO_ITEMS;
  if (!Object.isFrozen(list)) return readItems(shape, list, path);
  const before = known.get(list);
  if (before?.shape === shape) return before.items;
  const items = readItems(shape, list, path);
  known.set(list, { shape, items });
  return items;
}

/** Measured work units for an item whose path element is created. */
const READ_ITEM = 0.5;

function readItems(shape: ListShape, list: readonly unknown[], path: readonly PathElement[]): Items {
  spend(list.length * READ_ITEM);
  const items = new Map<PathElement, unknown>();
  for (let index = 0; index < list.length; index += 1) {
    const item = list[index];
    const element = elementOf(shape, item);
    if ('refused' in element)
      throw new TypedError([
        { path: printPath(path), message: `element ${String(index)}: ${element.refused}` },
      ]);
    if (items.has(element.step))
      throw new TypedError([{ path: printPath(path), message: duplicate(element.step) }]);
    items.set(element.step, item);
  }
  return items;
}

/** Returns upstream's message for a repeated list item. */
export const duplicate = (step: PathElement): string => `duplicate entries for key ${printElement(step)}`;

/** Returns the path element of an item in a set or in a list that is a map. */
export function elementOf(
  shape: ListShape,
  item: unknown,
): { readonly step: PathElement } | { readonly refused: string } {
  const { rule } = shape;
  if (rule.type !== 'map') {
    if (isObject(item)) return { refused: "associative list without keys has an element that's a map type" };
    if (Array.isArray(item)) return { refused: 'not supported: associative list with lists as elements' };
    if (item === null || item === undefined)
      return { refused: "associative list without keys has an element that's an explicit null" };
    return { step: valueElement(item) };
  }
  if (item === null || item === undefined)
    return { refused: 'associative list with keys may not have a null element' };
  if (!isObject(item)) return { refused: 'associative list with keys may not have non-map elements' };
  let step = '';
  for (const { name, label, default: fallback } of shape.keys()) {
    const value = Object.hasOwn(item, name) ? item[name] : fallback;
    if (value === undefined) return { refused: omitted(shape, item) };
    step += `${step === '' ? 'k:{' : ','}${label}${quoted(value)}`;
  }
  return { step: `${step}}` };
}

/** Returns upstream's message about the first missing key in the order of declaration. */
function omitted({ rule, keys }: ListShape, item: JsonObject): string {
  const bare = new Set(keys().flatMap((key) => (key.default === undefined ? [key.name] : [])));
  const names = rule.type === 'map' ? rule.keys : [];
  const name = names.find((key) => bare.has(key) && getOwn(item, key) === undefined) ?? '';
  return `associative list with keys has an element that omits key field ${JSON.stringify(name)} (and doesn't have default value)`;
}
