import type { DeepReadonly } from '../../api/kinds/kind.ts';

/** Freezes a parsed JSON value all the way down, in place and without recursion. */
export function deepFreeze<T>(value: T): DeepReadonly<T> {
  const pending: unknown[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue;
    Object.freeze(next);
    for (const child of Object.values(next))
      if (typeof child === 'object' && child !== null) pending.push(child);
  }
  return value as DeepReadonly<T>;
}
