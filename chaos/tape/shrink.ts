/**
 * Returns a minimal part of `items` for which `fails` still holds, by delta debugging (Zeller and
 * Hildebrandt, 2002).
 *
 * The result is 1-minimal: without any single item, `fails` no longer holds. `fails` must hold for `items`.
 * If `goesOn()` becomes false, the search stops and the smallest part so far is returned.
 */
export async function minimize<T>(
  items: readonly T[],
  fails: (part: readonly T[]) => Promise<boolean>,
  goesOn: () => boolean = () => true,
): Promise<{ readonly part: readonly T[]; readonly minimal: boolean }> {
  let part = items;
  let chunks = 2;
  while (part.length > 0) {
    const size = Math.ceil(part.length / Math.min(chunks, part.length));
    const smaller = await firstWithout(part, size, async (rest) => goesOn() && fails(rest));
    if (smaller === undefined && !goesOn()) return { part, minimal: false };
    if (smaller !== undefined) {
      part = smaller;
      chunks = Math.max(2, chunks - 1);
    } else if (size === 1) return { part, minimal: true };
    else chunks = Math.min(part.length, chunks * 2);
  }
  return { part, minimal: true };
}

/** Returns `items` without the first `size` consecutive items that can be removed. */
async function firstWithout<T>(
  items: readonly T[],
  size: number,
  fails: (part: readonly T[]) => Promise<boolean>,
): Promise<readonly T[] | undefined> {
  for (let from = 0; from < items.length; from += size) {
    const rest = [...items.slice(0, from), ...items.slice(from + size)];
    if (await fails(rest)) return rest;
  }
  return undefined;
}
