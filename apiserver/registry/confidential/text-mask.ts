/** Replacement for a masked value. */
export const REDACTED = '<contents redacted>';

/** Minimum length, in characters, of a masked value. Shorter values occur in ordinary messages. */
const MIN_LENGTH = 4;
/**
 * Minimum length, in characters, of a value whose parts are masked. Any 11 characters of a value contain a
 * whole block.
 */
const LONG = 12;
const BLOCK = 6;
/** Minimum length, in characters, of a masked part. Shorter parts occur in ordinary words. */
const MIN_MATCH = 8;
/** Maximum length, in characters, of a searched message. Longer messages are replaced as a whole. */
const MAX_TEXT = 16_384;
/**
 * Maximum number of characters in all values; a search for them takes about 20 ms. With more, messages are
 * replaced as a whole.
 */
const MAX_VALUES = 600_000;
/** Maximum number of comparisons for one message. With more, the message is replaced as a whole. */
const MAX_COMPARISONS = 200_000;

/** Function that replaces confidential values in a message of a plugin, webhook or validator. */
export type TextMask = (text: string) => string;

/** Mask for objects without confidential values: returns the message unchanged. */
export const unmasked: TextMask = (text) => text;

/**
 * Returns a function that masks `values` in a message: whole values of at least 4 characters, and parts of at
 * least 11 characters of longer values. The function replaces the whole message if the message or the values
 * are too long to search.
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

/** Search for the parts of a message that also occur in a long value. */
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

  /** Marks the parts that the message shares with a value. Returns false if `MAX_COMPARISONS` is exceeded. */
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
