/**
 * True if one of the patterns matches the string, or if there are no patterns. `*` matches any string,
 * including the empty one.
 */
export const isAnyOf = (patterns: readonly string[] | undefined, text: string): boolean =>
  patterns === undefined || patterns.some((pattern) => isLike(pattern, text));

/**
 * True if the pattern matches the string. Without regular expressions, so that a pattern with many `*` takes
 * at most time proportional to the product of both lengths.
 */
function isLike(pattern: string, text: string): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  for (let i = 0; i < text.length;) {
    if (pattern[at] === '*') {
      star = at++;
      resume = i;
    } else if (pattern[at] === text[i]) {
      at++;
      i++;
    } else if (star >= 0) {
      at = star + 1;
      i = ++resume;
    } else return false;
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}
