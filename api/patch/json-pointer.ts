import { spend } from '../../base/budget/index.ts';
import { type JsonObject, isObject } from '../schema/own.ts';

/** A value that a pointer can lead into. */
export type Container = JsonObject | unknown[];

const isContainer = (value: unknown): value is Container => Array.isArray(value) || isObject(value);

/** Parses an array index like Go's `strconv.Atoi`; undefined if `key` is not an integer. */
export function toIndex(key: string): number | undefined {
  if (!/^[+-]?[0-9]+$/.test(key)) return undefined;
  const index = Number(key);
  return Number.isSafeInteger(index) ? index : undefined;
}

/**
 * Returns the index of `key` in a list of `length` items; undefined if it is out of range. Negative keys
 * count from the end.
 */
export function itemAt(key: string, length: number): number | undefined {
  const index = toIndex(key);
  if (index === undefined || index >= length || index < -length) return undefined;
  return index < 0 ? index + length : index;
}

/** Returns the value of a key or index; undefined if the container has none. */
export function childOf(container: Container, key: string): unknown {
  if (!Array.isArray(container)) return Object.hasOwn(container, key) ? container[key] : undefined;
  const index = itemAt(key, container.length);
  return index === undefined ? undefined : container[index];
}

/** Work units for each character of a pointer. */
const CHARACTER = 0.02;

/**
 * Follows a JSON pointer (RFC 6901) to the container of its last segment. Like upstream, ignores the text
 * before the first slash. Returns undefined if a segment is missing. Also returns undefined for the pointer
 * to the whole object, which has no container.
 */
export function follow(
  document: Container,
  pointer: string,
): { readonly container: Container; readonly key: string } | undefined {
  spend(pointer.length * CHARACTER);
  const segments = pointer.split('/').slice(1).map(unescape);
  const key = segments.pop();
  if (key === undefined) return undefined;
  let container = document;
  for (const segment of segments) {
    const next = childOf(container, segment);
    if (!isContainer(next)) return undefined;
    container = next;
  }
  return { container, key };
}

const unescape = (segment: string): string =>
  segment.replace(/~[01]/g, (escaped) => (escaped === '~1' ? '/' : '~'));
