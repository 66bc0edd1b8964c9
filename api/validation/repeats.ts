/**
 * Returns the positions of items that repeat an earlier one. Items are compared by `keyOf`, default by
 * identity.
 */
export function repeats<T>(
  list: readonly T[],
  keyOf: (item: T) => unknown = (item) => item,
): ReadonlySet<number> {
  const seen = new Set<unknown>();
  const found = new Set<number>();
  for (const [at, item] of list.entries()) {
    const key = keyOf(item);
    if (seen.has(key)) found.add(at);
    else seen.add(key);
  }
  return found;
}
