import { spend } from '../../base/budget/index.ts';
import { type Int64, readJson, writeJson } from '../schema/exact-json.ts';
import { type JsonObject, getOwn, isObject } from '../schema/own.ts';
import { chargeKeys } from '../schema/tree-work.ts';
import { goQuoted } from './go-text.ts';

/**
 * One element of a field path, as fieldsV1 writes it:
 * - `f:name`: a field or map key
 * - `k:{"name":"x"}`: a list item by its keys
 * - `v:"x"`: an item of a set
 * - `i:0`: an item by its position
 *
 * The string is canonical: equal elements are equal strings, so strings can be the keys of path sets.
 */
export type PathElement = string;

/** Returns the path element of a field or map key. */
export const fieldElement = (name: string): PathElement => `f:${name}`;

/** Returns the path element of an item of a set. */
export const valueElement = (value: unknown): PathElement => `v:${quoted(value)}`;

/**
 * Writes a JSON scalar as Go does. Numbers and plain words are the most common keys, so they bypass the
 * serializer.
 */
export function quoted(value: unknown): string {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  if (typeof value === 'string' && /^[\w./:-]*$/.test(value)) return `"${value}"`;
  return writeJson(value).replace(ESCAPED_IN_GO, escapedAsInGo);
}

/** Matches an escape, or a character that Go escapes and `JSON.stringify` does not. */
const ESCAPED_IN_GO = /\\.|[<>&\u2028\u2029]/g;

function escapedAsInGo(found: string): string {
  if (found === '\\b') return '\\u0008';
  if (found === '\\f') return '\\u000c';
  if (found.startsWith('\\')) return found;
  return `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Returns the path element of a list item; `keys` need not be sorted. */
export function keyElement(keys: readonly (readonly [string, unknown])[]): PathElement {
  const [only] = keys;
  if (only && keys.length === 1) return `k:{${quoted(only[0])}:${quoted(only[1])}}`;
  const sorted = [...keys].sort(([a], [b]) => compareText(a, b));
  const parts = sorted.map(([name, value]) => `${quoted(name)}:${quoted(value)}`);
  return `k:{${parts.join(',')}}`;
}

/** Returns the name in the path element of a field; undefined for other elements. */
export const fieldNameOf = (element: PathElement): string | undefined =>
  element.startsWith('f:') ? element.slice(2) : undefined;

/**
 * Converts one key of fieldsV1 to the canonical path element. Returns undefined for an unknown kind of
 * element, which upstream skips. Throws an `Error` for a malformed element of a known kind.
 */
export function parseElement(text: string): PathElement | undefined {
  if (text.length < 2 || text[1] !== ':') throw new Error(`missing colon: ${JSON.stringify(text)}`);
  if (text.startsWith('f')) return text;
  const rest = text.slice(2);
  switch (text[0]) {
    case 'v':
      return valueElement(readJson(rest));
    case 'i': {
      if (!/^-?\d+$/.test(rest)) throw new Error(`invalid index: ${JSON.stringify(text)}`);
      return `i:${String(Number(rest))}`;
    }
    case 'k': {
      const keys: unknown = readJson(rest);
      if (!isObject(keys)) throw new Error(`invalid key: ${JSON.stringify(text)}`);
      return keyElement(Object.entries(keys));
    }
    default:
      return undefined;
  }
}

/**
 * Sorts path elements like upstream's sets: fields, keys, values, then positions, each kind in its own order.
 */
export function sortElements(elements: readonly PathElement[]): PathElement[] {
  if (elements.every((element) => element.startsWith('f:'))) {
    chargeKeys(elements.length);
    return [...elements].sort(elements.some(isBeyondPlane) ? compareBytes : undefined);
  }
  if (areWords(elements)) {
    spend(elements.length * WORD);
    return [...elements].sort();
  }
  spend(elements.length * PARSED_ELEMENT);
  return elements
    .map((element) => ({ element, rank: RANKS.indexOf(element[0] ?? ''), meant: meaningOf(element) }))
    .sort((left, right) => left.rank - right.rank || compareMeanings(left.meant, right.meant))
    .map(({ element }) => element);
}

/**
 * Matches an item identified by one key that is a word. All characters of the word sort after the closing
 * quote.
 */
const BY_WORD = /^k:\{"\w+":"[\w./:-]*"\}$/;

/** True if all path elements are items with the same key whose strings sort like their values. */
function areWords(elements: readonly PathElement[]): boolean {
  const [first = ''] = elements;
  const same = first.slice(0, first.indexOf('":"') + 3);
  return elements.every((element) => element.startsWith(same) && BY_WORD.test(element));
}

/** Measured work units for a path element that is sorted as a string. */
const WORD = 0.4;
/** Measured work units for a path element that is parsed and compared by its value. */
const PARSED_ELEMENT = 1.5;
const RANKS = 'fkvi';

type Meaning = string | { readonly keys: [string, unknown][] } | { readonly value: unknown };

function meaningOf(element: PathElement): Meaning {
  const rest = element.slice(2);
  if (element.startsWith('f')) return rest;
  const value: unknown = readJson(rest);
  return element.startsWith('k') ? { keys: Object.entries(value as JsonObject) } : { value };
}

/** Compares path elements of the same kind. */
function compareMeanings(left: Meaning, right: Meaning): number {
  if (typeof left === 'string' || typeof right === 'string') return compareText(String(left), String(right));
  if ('keys' in left && 'keys' in right) return compareKeys(left.keys, right.keys);
  return 'value' in left && 'value' in right ? compareValues(left.value, right.value) : 0;
}

function compareKeys(left: [string, unknown][], right: [string, unknown][]): number {
  for (const [index, [name, value]] of left.entries()) {
    const other = right[index];
    if (!other) return 1;
    const order = compareText(name, other[0]) || compareValues(value, other[1]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function compareValues(left: unknown, right: unknown): number {
  const rank = rankOf(left) - rankOf(right);
  if (rank !== 0) return rank;
  if (isNumber(left) && isNumber(right)) return left < right ? -1 : left > right ? 1 : 0;
  if (typeof left === 'string' && typeof right === 'string') return compareText(left, right);
  return compareText(writeJson(left), writeJson(right));
}

const isNumber = (value: unknown): value is Int64 => typeof value === 'number' || typeof value === 'bigint';

const VALUE_RANKS = ['number', 'string', 'boolean'];

function rankOf(value: unknown): number {
  if (typeof value === 'bigint') return 0;
  const rank = VALUE_RANKS.indexOf(typeof value);
  if (rank >= 0) return rank;
  if (Array.isArray(value)) return 3;
  return value === null ? 5 : 4;
}

/**
 * True if a string may have characters above U+FFFF, which UTF-16 sorts before some of the characters below
 * U+FFFF.
 */
const isBeyondPlane = (text: string): boolean => /[\ud800-\udfff]/.test(text);

const compareBytes = (left: string, right: string): number =>
  Buffer.compare(Buffer.from(left), Buffer.from(right));

/** Compares strings by code points, as Go does. */
function compareText(left: string, right: string): number {
  if (isBeyondPlane(left) || isBeyondPlane(right)) return compareBytes(left, right);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Formats a path element for messages: `.name`, `[name="x",port=80]`, `[="x"]`, `[0]`. */
export function printElement(element: PathElement): string {
  const rest = element.slice(2);
  switch (element[0]) {
    case 'k': {
      const keys = readJson(rest) as JsonObject;
      return `[${Object.keys(keys)
        .map((name) => `${name}=${goQuoted(getOwn(keys, name))}`)
        .join(',')}]`;
    }
    case 'v':
      return `[=${goQuoted(readJson(rest))}]`;
    case 'i':
      return `[${rest}]`;
    default:
      return `.${rest}`;
  }
}

/** Formats a path for messages. */
export const printPath = (path: readonly PathElement[]): string => path.map(printElement).join('');
