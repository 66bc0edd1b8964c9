const SHORT: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\u000b': '\\v',
  '"': '\\"',
  '\\': '\\\\',
};

/**
 * Matches the characters that Go escapes. Go prints letters, marks, numbers, punctuation, symbols, and the
 * ASCII space, but no other spaces.
 */
const UNPRINTABLE = /["\\]|(?! )[\p{C}\p{Z}]/gu;

function escaped(character: string): string {
  const short = SHORT[character];
  if (short !== undefined) return short;
  const point = character.codePointAt(0) ?? 0;
  if (point < 0x80) return `\\x${point.toString(16).padStart(2, '0')}`;
  if (point > 0xffff) return `\\U${point.toString(16).padStart(8, '0')}`;
  // Go reads a lone surrogate as U+FFFD.
  return point >= 0xd800 && point <= 0xdfff ? '\ufffd' : `\\u${point.toString(16).padStart(4, '0')}`;
}

/** Quotes a string like Go's `%q`: `"a\x00b"`. */
export const goQuote = (text: string): string => `"${text.replace(UNPRINTABLE, escaped)}"`;

/** True if Go considers a character printable. */
export const isGoPrintable = (character: string): boolean => !/(?! )[\p{C}\p{Z}]/u.test(character);
