import { parseJsonQuietly } from '../../base/errors/index.ts';
import { spend } from '../../base/budget/index.ts';

// JSON as Go reads it into untyped values: 64-bit integers keep all digits. A 64-bit integer whose magnitude is
// 2^53 or more is read as a bigint, because a double may not hold it exactly. Every other number is read as a
// number. Equal values are thus always `===`.

/** A 64-bit integer in JSON: a number if it is a safe integer, else a bigint. */
export type Int64 = number | bigint;

const LEAST = -(2n ** 63n);
const MOST = 2n ** 63n - 1n;

/**
 * Parses decimal digits with an optional sign. Returns undefined if the integer does not fit into 64 bits.
 */
export function int64Of(digits: string): Int64 | undefined {
  const number = Number(digits);
  if (Number.isSafeInteger(number)) return number;
  // `BigInt()` takes time quadratic in the number of digits, so numbers that cannot fit are rejected first.
  if (!(Math.abs(number) <= 2 ** 63)) return undefined;
  const exact = BigInt(digits);
  return exact >= LEAST && exact <= MOST ? exact : undefined;
}

/** Parses an integer. Returns the nearest double if the integer does not fit into 64 bits. */
export const integerOf = (digits: string): Int64 => int64Of(digits) ?? Number(digits);

/** Number of digits of the smallest unsafe integer, 2^53. */
const LONG = 16;

/**
 * Parses JSON without rounding 64-bit integers. A text without a run of 16 digits, as nearly every text is,
 * costs only a look at every 16th character. Throws `SyntaxError` with a message that quotes nothing of the
 * text.
 */
export const readJson = (text: string): unknown =>
  hasLongDigits(text) ? readLong(text) : parseJsonQuietly(text);

/**
 * True if the text has a run of at least 16 digits. Such a run includes a character at one of every 16
 * positions.
 */
function hasLongDigits(text: string): boolean {
  for (let at = LONG - 1; at < text.length; at += LONG)
    if (isDigit(text.charCodeAt(at)) && isInLongRun(text, at)) return true;
  return false;
}

function isInLongRun(text: string, at: number): boolean {
  let [from, to] = [at, at + 1];
  while (to - from < LONG && isDigit(text.charCodeAt(from - 1))) from -= 1;
  while (to - from < LONG && isDigit(text.charCodeAt(to))) to += 1;
  return to - from >= LONG;
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

const QUOTE = 0x22;
const MINUS = 0x2d;
const BACKSLASH = 0x5c;
/**
 * Lone surrogate that marks a string as a long integer. No string from a request body begins with a lone
 * surrogate.
 */
const MARK = '\ud800';
const WRITTEN_MARK = JSON.stringify(MARK).slice(1, -1);
const MARKED = new RegExp(String.raw`"${WRITTEN_MARK.replace('\\', '\\\\')}(-?\d+)"`, 'g');
const READ_MARK = new RegExp(`^${MARK}-?\\d+$`);
const INTEGER = /^-?\d{16,}$/;
/** Measured work units for a marked number, and for each character of a text that may contain one. */
const MARKED_NUMBER = 2;
const MARKED_CHARACTER = 0.01;
const REST_OF_NUMBER = /[-+.\deE]*/y;

/**
 * Parses a text with long integers: marks the integers as strings, and converts these strings to bigints
 * after parsing.
 */
function readLong(text: string): unknown {
  spend(text.length * MARKED_CHARACTER);
  const value = parseJsonQuietly(text);
  const marked = withMarks(text);
  return marked === undefined
    ? value
    : JSON.parse(marked, (_key, each: unknown) =>
        typeof each === 'string' && READ_MARK.test(each) ? integerOf(each.slice(MARK.length)) : each,
      );
}

/**
 * Returns the text with its long integers marked; undefined if the text has none. `text` must be valid JSON.
 */
function withMarks(text: string): string | undefined {
  let marked = '';
  let done = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === MINUS || isDigit(code)) {
      const number = numberAt(text, at);
      if (INTEGER.test(number)) {
        spend(MARKED_NUMBER);
        marked += `${text.slice(done, at)}"${MARK}${number}"`;
        done = at + number.length;
      }
      at += number.length - 1;
    }
  }
  return done === 0 ? undefined : marked + text.slice(done);
}

/** Returns the number that begins at `at`. */
export function numberAt(text: string, at: number): string {
  REST_OF_NUMBER.lastIndex = at;
  return REST_OF_NUMBER.exec(text)?.[0] ?? '';
}

/**
 * Returns the offset of the closing quote of the string that opens at `from`; the length of the text if no
 * closing quote follows.
 */
export function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

/** True if an odd number of backslashes precedes the character at `at` within a string. */
function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text.charCodeAt(from - 1) === BACKSLASH) from -= 1;
  return (at - from) % 2 === 1;
}

/** Replacer function of `JSON.stringify`. */
export type Replacer = (key: string, value: unknown) => unknown;

/** Writes a value that `readJson` returned; bigints are written as numbers. */
export function writeJson(value: unknown, replace?: Replacer, indent?: number): string {
  try {
    return JSON.stringify(value, replace, indent);
  } catch (thrown) {
    // The cause is nearly always a bigint. Values without a bigint take the fast path above.
    if (!(thrown instanceof TypeError)) throw thrown;
  }
  const marking: Replacer = (key, each) => {
    const written = replace ? replace(key, each) : each;
    return typeof written === 'bigint' ? `${MARK}${written}` : written;
  };
  return JSON.stringify(value, marking, indent).replace(MARKED, '$1');
}
