import { chargeItems, chargeKeys } from './tree-work.ts';

/**
 * An object whose keys come from a client. `__proto__` is an ordinary key, and inherited members are never
 * read.
 */
export type JsonObject = { [key: string]: unknown };

/** True for an object that is neither null nor a list. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the object's own value for the key; undefined if the object has none. */
export const getOwn = (object: { readonly [key: string]: unknown }, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined;

/** Sets an own property. Plain assignment to `__proto__` would change the prototype. */
export function setOwn(object: JsonObject, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else object[key] = value;
}

/**
 * Returns a deep copy of JSON data. Recursion is safe, because the reader that produced the data has bounded
 * its depth.
 */
export function cloneJson<T>(value: T): T {
  if (Array.isArray(value)) {
    chargeItems(value.length);
    return value.map((item: unknown) => cloneJson(item)) as T;
  }
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  const keys = Object.keys(value);
  chargeKeys(keys.length);
  for (const key of keys) setOwn(copy, key, cloneJson(value[key]));
  return copy as T;
}

/** True if two JSON values are equal; the order of keys is ignored. */
export function equalJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    chargeItems(left.length);
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => equalJson(item, right[index]))
    );
  }
  if (!isObject(left) || !isObject(right)) return false;
  const keys = Object.keys(left);
  chargeKeys(keys.length);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && equalJson(left[key], right[key]))
  );
}
