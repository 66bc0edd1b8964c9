/** Freezes a parsed JSON value all the way down, in place and without recursion; what is frozen already is left as it is. */
export function deepFreeze<T>(value: T): T {
  const pending: object[] = isObject(value) ? [value] : [];
  const visit = (child: unknown): void => {
    if (isObject(child)) pending.push(child);
  };
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (Object.isFrozen(next)) continue;
    // A list of all values would be made for each object, and objects are many.
    if (Array.isArray(next)) next.forEach(visit);
    else for (const key in next) visit((next as Record<string, unknown>)[key]);
    Object.freeze(next);
  }
  return value;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
