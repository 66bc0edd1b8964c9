/** Something that the search of the page finds. */
export interface Found {
  readonly kind: 'act' | 'view' | 'controller' | 'kind' | 'object';
  /** Text that is searched first, such as the name of an object. */
  readonly text: string;
  /** Further text, such as the kind of an object. */
  readonly detail: string;
  /** Address to which it leads. Absent for an act. */
  readonly href?: string;
  /** Starts an act. */
  readonly run?: () => void;
}

/** Order of the kinds among equally good results. */
const ORDER: readonly Found['kind'][] = ['act', 'view', 'controller', 'kind', 'object'];
/** Rank of a result whose words are only in its detail. */
const IN_DETAIL = 4;

/** Returns how well a text matches a word, from 0; undefined if it does not contain it. */
function rankOf(text: string, word: string): number | undefined {
  if (text === word) return 0;
  const at = text.indexOf(word);
  if (at < 0) return undefined;
  if (at === 0) return 1;
  return /[a-z0-9]/.test(text[at - 1] ?? '') ? 3 : 2;
}

function rank({ text, detail }: Found, words: readonly string[]): number | undefined {
  let worst = 0;
  for (const word of words) {
    const inText = rankOf(text.toLowerCase(), word);
    if (inText === undefined && !detail.toLowerCase().includes(word)) return undefined;
    worst = Math.max(worst, inText ?? IN_DETAIL);
  }
  return worst;
}

/**
 * Returns the best results for a query, at most `limit`. Each word of the query must be in the text or the detail.
 * A result whose text begins with the words precedes others. An empty query returns everything but objects.
 */
export function searchIn(all: readonly Found[], query: string, limit: number): readonly Found[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const ranked: { readonly found: Found; readonly at: number }[] = [];
  for (const found of all) {
    if (words.length === 0 && found.kind === 'object') continue;
    const at = rank(found, words);
    if (at !== undefined) ranked.push({ found, at });
  }
  return ranked
    .sort(
      (a, b) =>
        a.at - b.at ||
        ORDER.indexOf(a.found.kind) - ORDER.indexOf(b.found.kind) ||
        a.found.text.length - b.found.text.length ||
        a.found.text.localeCompare(b.found.text),
    )
    .slice(0, limit)
    .map(({ found }) => found);
}
