import { spend } from '../../base/budget/index.ts';

/** Counts of one JSON text, taken before it is parsed. Of bytes that are no JSON they are any numbers. */
export interface JsonShape {
  /** Deepest nesting of objects and lists; counting ends one level beyond the limit. */
  readonly depth: number;
  /** Objects, lists, and members and items after the first of each. */
  readonly values: number;
  /** Members of all objects, keys given twice included. */
  readonly members: number;
  /** Members of objects with more than `WIDE` of them, which the parser keeps in hash tables. */
  readonly wideMembers: number;
  /** True if a number has a fraction or an exponent. */
  readonly fractions: boolean;
}

const WIDE = 256;
/** More of them no request can pay for: counting ends. */
const MOST_VALUES = 500_000;
/** Bytes of a string that are looked at one by one, before the search for its end is handed to the C library. */
const SHORT = 48;

const QUOTE = 0x22;
const COMMA = 0x2c;
const POINT = 0x2e;
const COLON = 0x3a;
const UPPER_E = 0x45;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const LOWER_E = 0x65;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** 1 for the bytes that say something outside of strings: looked up, they cost less than the comparisons. */
const TELLING = new Uint8Array(256);
for (const byte of [
  QUOTE,
  COMMA,
  POINT,
  COLON,
  UPPER_E,
  LOWER_E,
  OPEN_LIST,
  CLOSE_LIST,
  OPEN_OBJECT,
  CLOSE_OBJECT,
])
  TELLING[byte] = 1;

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

/** Counts what a text will cost to parse, in one pass over its bytes (about 3 ns each). */
export function scanJson(bytes: Uint8Array, maxDepth: number): JsonShape {
  const outer: number[] = [];
  let [depth, values, members, wideMembers] = [0, 0, 0, 0];
  let here = 0;
  let fractions = false;
  const { length } = bytes;
  for (let at = 0; at < length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (TELLING[byte] === 0) continue;
    if (byte === QUOTE) at = endOfString(bytes, at + 1);
    else if (byte === COMMA) {
      values += 1;
      if (values > MOST_VALUES) break;
    } else if (byte === COLON) here += 1;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      values += 1;
      outer.push(here);
      here = 0;
      if (outer.length > depth) depth = outer.length;
      if (depth > maxDepth || values > MOST_VALUES) break;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      members += here;
      if (here > WIDE) wideMembers += here;
      here = outer.pop() ?? 0;
    } else if (byte === POINT) fractions = true;
    // `true` and `false` have the letter, too.
    else if ((byte === LOWER_E || byte === UPPER_E) && isDigit(bytes[at - 1])) fractions = true;
  }
  return { depth, values, members, wideMembers, fractions };
}

/** Offset of the quote that closes a string, `from` being the first byte within it; the length where none does. */
function endOfString(bytes: Uint8Array, from: number): number {
  const near = Math.min(bytes.length, from + SHORT);
  let at = from;
  for (; at < near; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) return endOfEscaped(bytes, at);
  }
  const end = bytes.indexOf(QUOTE, at);
  if (end < 0) return bytes.length;
  const escape = bytes.subarray(at, end).indexOf(BACKSLASH);
  return escape < 0 ? end : endOfEscaped(bytes, at + escape);
}

function endOfEscaped(bytes: Uint8Array, from: number): number {
  const { length } = bytes;
  for (let at = from; at < length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at += 1;
  }
  return length;
}

/** Bytes of a text whose values are worth counting, and units of work for a byte of a shorter one. */
const COUNTED = 32 * 1024;
const SHORT_BYTE = 0.01;

/** Charges the parsing of a text that is known to be JSON. */
export function chargeStored(bytes: Uint8Array): void {
  if (bytes.length <= COUNTED) spend(bytes.length * SHORT_BYTE);
  else chargeJson(bytes.length, scanJson(bytes, Number.POSITIVE_INFINITY));
}

/**
 * Charges what a text costs to parse, before it is. Nanoseconds on the reference machine: 3 a byte (decoding UTF-8,
 * looking for structure, strings), 50 a value, 100 a member, and 600 more for one of a wide object.
 */
export function chargeJson(length: number, { values, members, wideMembers }: JsonShape): void {
  spend(length * 0.003 + values * 0.05 + members * 0.1 + wideMembers * 0.6);
}
