/** Returns true if a set of characters contains a code point. */
export type CharacterTest = (code: number) => boolean;

/** Code of the character that ends a line. */
export const NEWLINE = 10;

const between = (low: string, high: string): CharacterTest => {
  const [least, most] = [low.charCodeAt(0), high.charCodeAt(0)];
  return (code) => code >= least && code <= most;
};
const DIGIT = between('0', '9');
const LOWER = between('a', 'z');
const UPPER = between('A', 'Z');
const ALPHA = (code: number): boolean => LOWER(code) || UPPER(code);
const WORD = (code: number): boolean => ALPHA(code) || DIGIT(code) || code === 95;
const SPACE = (code: number): boolean => code === 32 || (code >= 9 && code <= 13 && code !== 11);

/** Character sets named by a letter after a backslash. */
export const SETS: { readonly [letter: string]: CharacterTest } = { d: DIGIT, w: WORD, s: SPACE };

/** Character sets named in brackets and colons, such as `[:alpha:]`. */
export const POSIX_SETS: { readonly [name: string]: CharacterTest } = {
  alnum: (code) => ALPHA(code) || DIGIT(code),
  alpha: ALPHA,
  ascii: (code) => code <= 127,
  blank: (code) => code === 9 || code === 32,
  cntrl: (code) => code <= 31 || code === 127,
  digit: DIGIT,
  graph: (code) => code >= 33 && code <= 126,
  lower: LOWER,
  print: (code) => code >= 32 && code <= 126,
  punct: (code) => code >= 33 && code <= 126 && !ALPHA(code) && !DIGIT(code),
  space: (code) => SPACE(code) || code === 11,
  upper: UPPER,
  word: WORD,
  xdigit: (code) => DIGIT(code) || between('a', 'f')(code) || between('A', 'F')(code),
};

/** True at the beginning of the string. */
export const textStart = (before: number): boolean => before < 0;
/** True at the end of the string. */
export const textEnd = (_before: number, after: number): boolean => after < 0;
/** True at the beginning of a line. */
export const lineStart = (before: number): boolean => before < 0 || before === NEWLINE;
/** True at the end of a line. */
export const lineEnd = (_before: number, after: number): boolean => after < 0 || after === NEWLINE;
const wordEdge = (before: number, after: number): boolean => WORD(before) !== WORD(after);

/** Assertions about a position, named by a letter after a backslash. */
export const PLACES: { readonly [letter: string]: (before: number, after: number) => boolean } = {
  A: textStart,
  z: textEnd,
  b: wordEdge,
  B: (before, after) => !wordEdge(before, after),
};

/** Cache of the Unicode properties that patterns have named. Only a few hundred properties exist. */
const properties = new Map<string, CharacterTest>();

/**
 * Returns the test of a Unicode category or script; undefined for an unknown name. Names consist of letters,
 * so they can safely be inserted into a regular expression.
 */
export function propertyTest(name: string): CharacterTest | undefined {
  const known = properties.get(name);
  if (known) return known;
  for (const property of [name, `Script=${name}`])
    try {
      const set = new RegExp(`^\\p{${property}}$`, 'u');
      const test = (code: number): boolean => set.test(String.fromCodePoint(code));
      properties.set(name, test);
      return test;
    } catch {
      // The name is not a category; the next iteration tries it as a script.
    }
  return undefined;
}

/** Returns those of the lower-case and upper-case forms of a character that have a single code point. */
export const casesOf = (code: number): readonly number[] => {
  const character = String.fromCodePoint(code);
  return [character.toLowerCase(), character.toUpperCase()]
    .filter((each) => each.length === character.length)
    .map((each) => each.codePointAt(0) ?? code);
};

/** Returns a code that is equal for the lower-case and upper-case forms of a character. */
export const foldOf = (code: number): number => casesOf(code)[0] ?? code;
