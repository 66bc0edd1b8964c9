import { chargeItems, chargeKeys } from './tree-work.ts';

/** Objects made of a stranger's keys: `__proto__` is a key like any other, and nothing inherited is ever read. */
export type JsonObject = { [key: string]: unknown };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object's own value, undefined where there is none. */
export const getOwn = (object: { readonly [key: string]: unknown }, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined;

/** Sets an own property; assignment would change the prototype for `__proto__`. */
export function setOwn(object: JsonObject, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else object[key] = value;
}

/** A deep copy of JSON data. Depth is bounded by the reader that made it. */
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

/** Equality of JSON data; the order of keys does not matter. */
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
