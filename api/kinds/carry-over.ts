import { spend } from '../../base/budget/index.ts';
import { cloneJson } from '../schema/own.ts';
import type { DeepReadonly } from './kind.ts';

/** A mutable deep copy. */
export const thawed = <T>(frozen: DeepReadonly<T>): T => cloneJson(frozen) as T;

/** Gives `next` the previous value of each field, or none where there was none: what a request may not change. */
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

/** Work units of comparing one object. */
const COMPARE_WORK = 0.3;

/** Whether two decoded values are the same JSON, whatever the order of their keys; absent, undefined and null are one. */
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
