import { spend } from '../../base/budget/index.ts';

/**
 * Counts of one JSON text, made before the text is parsed. The counts are meaningless for bytes that are not
 * JSON.
 */
export interface JsonShape {
  /** Maximum nesting of objects and lists; counting ends one level beyond the limit. */
  readonly depth: number;
  /** Number of objects and lists, plus the members and items after the first of each. */
  readonly values: number;
  /** Number of members of all objects, including duplicate keys. */
  readonly members: number;
  /** Number of members of objects with more than `WIDE` members, which V8 stores in hash tables. */
  readonly wideMembers: number;
  /** True if a number has a fraction or an exponent. */
  readonly fractions: boolean;
}

const WIDE = 256;
/** Maximum number of values that are counted. No request's work budget allows more. */
const MOST_VALUES = 500_000;
/**
 * Number of bytes of a string that are read one by one. After them, `indexOf` searches for the end of the
 * string, because it is faster for long strings.
 */
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

/**
 * Table with 1 for each byte that has a meaning outside strings. A table look-up costs less than several
 * comparisons.
 */
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

/**
 * Counts the values of a JSON text in one scan of its bytes, to predict the cost of parsing. The scan takes
 * about 3 ns per byte.
 */
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
    // The letter `e` also occurs in `true` and `false`, so only an `e` after a digit is an exponent.
    else if ((byte === LOWER_E || byte === UPPER_E) && isDigit(bytes[at - 1])) fractions = true;
  }
  return { depth, values, members, wideMembers, fractions };
}

/**
 * Returns the offset of the closing quote of the string whose first byte is at `from`; the number of bytes if
 * no closing quote follows.
 */
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

/**
 * Minimum size in bytes of a JSON text whose values are counted, and work units per byte of a smaller one.
 * Counting the values of a small text costs more than it saves.
 */
const COUNTED = 32 * 1024;
const SHORT_BYTE = 0.01;

/** Charges the parsing of stored bytes, which are known to be JSON. */
export function chargeStored(bytes: Uint8Array): void {
  if (bytes.length <= COUNTED) spend(bytes.length * SHORT_BYTE);
  else chargeJson(bytes.length, scanJson(bytes, Number.POSITIVE_INFINITY));
}

/**
 * Charges the parsing of a JSON text, before it is parsed. One work unit is 1,000 ns on the reference
 * machine. Costs in ns: 3 per byte (decoding UTF-8, finding structure and strings), 50 per value, 100 per
 * member, and 600 more per member of a wide object.
 */
export function chargeJson(length: number, { values, members, wideMembers }: JsonShape): void {
  spend(length * 0.003 + values * 0.05 + members * 0.1 + wideMembers * 0.6);
}
