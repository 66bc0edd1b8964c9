import { parseJsonQuietly } from '../../base/errors/index.ts';
import { spend } from '../../base/budget/index.ts';

/**
 * JSON as Go's reader of untyped values has it: integers of 64 bits are kept to the last digit. One that a double cannot be
 * trusted with, 2^53 and beyond, is a bigint; every other number is a number, so that equal values are `===`.
 */

/** An integer of 64 bits as it was read: a bigint only where it is no safe integer. */
export type Int64 = number | bigint;

const LEAST = -(2n ** 63n);
const MOST = 2n ** 63n - 1n;

/** The integer of 64 bits that decimal digits with a sign or none say; undefined where they have no room. */
export function int64Of(digits: string): Int64 | undefined {
  const number = Number(digits);
  if (Number.isSafeInteger(number)) return number;
  // The time of BigInt grows with the square of the digits.
  if (!(Math.abs(number) <= 2 ** 63)) return undefined;
  const exact = BigInt(digits);
  return exact >= LEAST && exact <= MOST ? exact : undefined;
}

/** An integer as the value that stands for it; the nearest double where it has no room in 64 bits. */
export const integerOf = (digits: string): Int64 => int64Of(digits) ?? Number(digits);

/** Digits of the least integer that is not safe, 2^53. */
const LONG = 16;

/**
 * `JSON.parse` that rounds no integer of 64 bits. A text without sixteen figures in a row, nearly every one, costs no
 * more than a look at each sixteenth of its characters. Throws `SyntaxError`,
 * which quotes nothing of the text.
 */
export const readJson = (text: string): unknown =>
  hasLongDigits(text) ? readLong(text) : parseJsonQuietly(text);

/** A run that is long enough stands over at least one of every sixteen places. */
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
/** Half a surrogate pair: no text that was read begins with one, for it is no character. */
const MARK = '\ud800';
const WRITTEN_MARK = JSON.stringify(MARK).slice(1, -1);
const MARKED = new RegExp(String.raw`"${WRITTEN_MARK.replace('\\', '\\\\')}(-?\d+)"`, 'g');
const READ_MARK = new RegExp(`^${MARK}-?\\d+$`);
const INTEGER = /^-?\d{16,}$/;
/** Units of work, as measured: a number that is marked, and a character of a text that may have one. */
const MARKED_NUMBER = 2;
const MARKED_CHARACTER = 0.01;
const REST_OF_NUMBER = /[-+.\deE]*/y;

/** Integers are marked as texts and made what they are behind the parser. */
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

/** Undefined where no number is that long. `text` is known to be JSON. */
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

/** The number that begins at `at`. */
export function numberAt(text: string, at: number): string {
  REST_OF_NUMBER.lastIndex = at;
  return REST_OF_NUMBER.exec(text)?.[0] ?? '';
}

/** Offset of the closing quote of the string that opens at `from`; the text's length where none closes it. */
export function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

/** Whether the character at `at`, in a string, has an odd number of backslashes before it. */
function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text.charCodeAt(from - 1) === BACKSLASH) from -= 1;
  return (at - from) % 2 === 1;
}

/** How a member is replaced on the way into a text, as `JSON.stringify` is told. */
export type Replacer = (key: string, value: unknown) => unknown;

/** `JSON.stringify` of what `readJson` has read: bigints are written as the numbers they are. */
export function writeJson(value: unknown, replace?: Replacer, indent?: number): string {
  try {
    return JSON.stringify(value, replace, indent);
  } catch (thrown) {
    // Of a bigint, nearly always: whoever writes none pays nothing for them.
    if (!(thrown instanceof TypeError)) throw thrown;
  }
  const marking: Replacer = (key, each) => {
    const written = replace ? replace(key, each) : each;
    return typeof written === 'bigint' ? `${MARK}${written}` : written;
  };
  return JSON.stringify(value, marking, indent).replace(MARKED, '$1');
}
