/** Returns the positions of items that a list has before already. Items are compared by `keyOf`, default themselves. */
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
