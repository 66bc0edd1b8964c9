/** Freezes a parsed JSON value and its parts, in place and without recursive calls. Skips frozen parts. */
export function deepFreeze<T>(value: T): T {
  const pending: object[] = isObject(value) ? [value] : [];
  const visit = (child: unknown): void => {
    if (isObject(child)) pending.push(child);
  };
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (Object.isFrozen(next)) continue;
    // Iterates instead of listing the values of each object, as there are many objects.
    if (Array.isArray(next)) next.forEach(visit);
    else for (const key in next) visit((next as Record<string, unknown>)[key]);
    Object.freeze(next);
  }
  return value;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
