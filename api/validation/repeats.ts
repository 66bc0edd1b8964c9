/**
 * Returns the positions of items that repeat an earlier item. Items are equal if their keys are; the default
 * key is the item.
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
