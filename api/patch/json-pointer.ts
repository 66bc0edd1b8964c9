import { spend } from '../../base/budget/index.ts';
import { type JsonObject, isObject } from '../schema/own.ts';

export type Container = JsonObject | unknown[];

const isContainer = (value: unknown): value is Container => Array.isArray(value) || isObject(value);

/** An array index as Go's `strconv.Atoi` reads it, undefined where it is none. */
export function toIndex(key: string): number | undefined {
  if (!/^[+-]?[0-9]+$/.test(key)) return undefined;
  const index = Number(key);
  return Number.isSafeInteger(index) ? index : undefined;
}

/** The place of `key` among `length` items; negative ones count from the end. Undefined outside. */
export function itemAt(key: string, length: number): number | undefined {
  const index = toIndex(key);
  if (index === undefined || index >= length || index < -length) return undefined;
  return index < 0 ? index + length : index;
}

/** What a container holds under a key; undefined where there is nothing. */
export function childOf(container: Container, key: string): unknown {
  if (!Array.isArray(container)) return Object.hasOwn(container, key) ? container[key] : undefined;
  const index = itemAt(key, container.length);
  return index === undefined ? undefined : container[index];
}

/** Units of work for a character of a pointer. */
const CHARACTER = 0.02;

/**
 * Follows a JSON pointer (RFC 6901) to the container of its last segment. As upstream, what stands before the first
 * slash is not looked at, and the whole document has no container. Undefined where the way ends early.
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
