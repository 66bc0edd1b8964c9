/** Replaces values of a Secret or a token. */
export const REDACTED = '<contents redacted>';

/** Minimum length of a masked value; shorter ones occur in ordinary texts. */
const MIN_LENGTH = 4;
/**
 * Values of at least this length are masked in parts too: any part of 11 characters contains a whole block.
 */
const LONG = 12;
const BLOCK = 6;
/** Minimum length of a masked part; shorter ones occur in ordinary words. */
const MIN_MATCH = 8;
/** Longer texts are replaced as a whole. */
const MAX_TEXT = 16_384;
/** Total characters of values to search for, about 20 ms; with more, texts are replaced as a whole. */
const MAX_VALUES = 600_000;
/** Comparisons per text; beyond it the text is replaced as a whole. */
const MAX_COMPARISONS = 200_000;

/** Replaces secret values in a text of foreign origin. */
export type TextMask = (text: string) => string;

/** The mask for objects without secrets: returns the text unchanged. */
export const unmasked: TextMask = (text) => text;

/**
 * Returns a function that replaces occurrences of `values` in a text: whole values of at least 4 characters,
 * and parts of at least 11 characters of longer values. If the text or the values are too long to search, it
 * replaces the whole text.
 */
export function createTextMask(values: Iterable<string>): TextMask {
  const known = [...new Set(values)].filter(({ length }) => length >= MIN_LENGTH);
  const short = known.filter(({ length }) => length < LONG).sort((a, b) => b.length - a.length);
  const long = known.filter(({ length }) => length >= LONG);
  const isTooMuch = known.reduce((sum, { length }) => sum + length, 0) > MAX_VALUES;
  return (text) => {
    if (known.length === 0) return text;
    if (isTooMuch || text.length > MAX_TEXT) return REDACTED;
    return short.reduce((shown, value) => shown.replaceAll(value, REDACTED), withoutParts(text, long));
  };
}

function withoutParts(text: string, values: readonly string[]): string {
  if (values.length === 0 || text.length < MIN_MATCH) return text;
  const search = new PartSearch(text);
  for (const value of values) if (!search.mark(value)) return REDACTED;
  return search.masked();
}

/** Finds the parts of a text that also occur in a long value. */
class PartSearch {
  readonly #text: string;
  readonly #marked: Uint8Array;
  readonly #starts = new Map<string, number[]>();
  #comparisons = 0;

  constructor(text: string) {
    this.#text = text;
    this.#marked = new Uint8Array(text.length);
    for (let at = 0; at + BLOCK <= text.length; at++) {
      const block = text.slice(at, at + BLOCK);
      const starts = this.#starts.get(block);
      if (starts) starts.push(at);
      else this.#starts.set(block, [at]);
    }
  }

  /**
   * Marks the parts that the text shares with a value. Returns false if the limit of comparisons is exceeded.
   */
  mark(value: string): boolean {
    for (let from = 0; from + BLOCK <= value.length; from += BLOCK)
      for (const at of this.#starts.get(value.slice(from, from + BLOCK)) ?? [])
        if (!this.#extend(value, from, at)) return false;
    return true;
  }

  #extend(value: string, from: number, at: number): boolean {
    const text = this.#text;
    if (this.#marked[at] && this.#marked[at + BLOCK - 1]) return ++this.#comparisons <= MAX_COMPARISONS;
    let before = 0;
    let after = BLOCK;
    while (before < at && before < from && text[at - before - 1] === value[from - before - 1]) before++;
    while (
      at + after < text.length &&
      from + after < value.length &&
      text[at + after] === value[from + after]
    )
      after++;
    if (before + after >= MIN_MATCH) this.#marked.fill(1, at - before, at + after);
    this.#comparisons += before + after;
    return this.#comparisons <= MAX_COMPARISONS;
  }

  masked(): string {
    let shown = '';
    for (let at = 0; at < this.#text.length; at++)
      if (!this.#marked[at]) shown += this.#text[at];
      else if (at === 0 || !this.#marked[at - 1]) shown += REDACTED;
    return shown;
  }
}
