import { spend } from '../../base/budget/index.ts';
import { cloneJson } from '../schema/own.ts';
import type { DeepReadonly } from './kind.ts';

/** Returns a mutable deep copy. */
export const thawed = <T>(frozen: DeepReadonly<T>): T => cloneJson(frozen) as T;

/**
 * Resets fields of `next` that the request may not change. Each field gets its value in `previous`; a field
 * that `previous` lacks is removed.
 */
export function carryOver<T extends object>(
  next: T,
  previous: DeepReadonly<T>,
  ...fields: readonly (keyof T & keyof DeepReadonly<T>)[]
): void {
  for (const field of fields) {
    const old: unknown = previous[field];
    if (old === undefined) delete next[field];
    else next[field] = cloneJson(old) as T[typeof field];
  }
}

/** Cost of comparing one object, in work units. */
const COMPARE_WORK = 0.3;

/**
 * True if two decoded values represent the same JSON. Key order is ignored; absent, undefined and null
 * members are equal.
 */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((each, at) => sameValue(each, b[at]))
    );
  }
  spend(COMPARE_WORK);
  const left = present(a);
  const right = new Map(present(b));
  return (
    left.length === right.size &&
    left.every(([key, each]) => right.has(key) && sameValue(each, right.get(key)))
  );
}

const present = (value: object): [string, unknown][] =>
  Object.entries(value).filter(([, each]) => each !== undefined && each !== null);
