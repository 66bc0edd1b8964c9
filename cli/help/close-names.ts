/** Maximum number of suggestions, so that they fit into one sentence. */
const MAX_SUGGESTIONS = 3;

/**
 * Returns the known names that a mistyped name may mean, the closest first: names within one edit per three
 * characters, otherwise names that contain it.
 */
export function closeNames(given: string, known: readonly string[]): readonly string[] {
  if (given === '') return [];
  const limit = Math.max(1, Math.floor(given.length / 3));
  const close = known
    .map((name) => ({ name, edits: editsBetween(given.toLowerCase(), name.toLowerCase(), limit) }))
    .filter(({ edits }) => edits <= limit)
    .toSorted((a, b) => a.edits - b.edits);
  const least = close[0]?.edits ?? 0;
  // A name two edits further away than the closest one is noise.
  if (close.length > 0)
    return close
      .filter(({ edits }) => edits <= least + 1)
      .slice(0, MAX_SUGGESTIONS)
      .map(({ name }) => name);
  return given.length < 3 ? [] : known.filter((name) => name.includes(given)).slice(0, MAX_SUGGESTIONS);
}

/** Returns `; did you mean a or b?` with a prefix for each name; '' without a close name. */
export function suggestion(given: string, known: readonly string[], prefix = ''): string {
  const close = closeNames(given, known).map((name) => `${prefix}${name}`);
  const last = close.pop();
  if (last === undefined) return '';
  return `; did you mean ${close.length === 0 ? last : `${close.join(', ')} or ${last}`}?`;
}

/**
 * Returns the number of insertions, deletions, substitutions and swaps of neighbours between two names. Any
 * number above `limit` means 'more'.
 */
function editsBetween(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (beforeLast[j - 2] ?? 0) + 1 : Infinity,
      );
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
