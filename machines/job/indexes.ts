/** Completion indexes, sorted and unique. The status of a Job contains them in the form `1,3-5,7`. */
export type Indexes = readonly number[];

/**
 * Parses the completion indexes in a status. Skips parts that are not an index or not below `completions`.
 */
export function parseIndexes(text: string, completions: number): Indexes {
  const found = new Set<number>();
  for (const part of text.split(',')) {
    const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    for (let index = Number(first); index <= Math.min(Number(last), completions - 1); index++)
      found.add(index);
  }
  return [...found].sort((a, b) => a - b);
}

/** Formats completion indexes: two consecutive indexes as a list, three or more as a range. */
export function formatIndexes(indexes: Indexes): string {
  const parts: string[] = [];
  for (let at = 0; at < indexes.length;) {
    let end = at;
    while (indexes[end + 1] === (indexes[end] ?? 0) + 1) end++;
    const [first, last] = [indexes[at], indexes[end]];
    parts.push(end === at ? `${first}` : end === at + 1 ? `${first},${last}` : `${first}-${last}`);
    at = end + 1;
  }
  return parts.join(',');
}
