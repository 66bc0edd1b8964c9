import { writeJson } from './exact-json.ts';
import { isObject } from './own.ts';

const LIMIT = 2 ** 63;

/**
 * True if Go reads this number as int64 when it reads untyped JSON; Go reads all other numbers as float64.
 */
export const isGoInteger = (value: unknown): value is number | bigint =>
  typeof value === 'bigint' || (Number.isInteger(value) && Math.abs(value as number) < LIMIT);

/**
 * Formats a float64 as Go's `%v` does: the shortest digits, with an exponent (`1e+06`) from 1e6 up and below
 * 1e-4.
 */
export function goFloat(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  const [digits = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return Object.is(value, -0) ? '-0' : String(value);
  const sign = exponent < 0 ? '-' : '+';
  return `${digits}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** Formats a JSON number as Go's `%v` does. */
export const goNumber = (value: number | bigint): string =>
  isGoInteger(value) ? String(value) : goFloat(value);

/**
 * Writes JSON as Go's `json.Marshal` writes an untyped value: with sorted keys and escaped HTML characters.
 */
export const goJson = (value: unknown): string =>
  writeJson(value, sortedKeys).replace(ESCAPED, (found) => ESCAPES.get(found) ?? escaped(found));

/**
 * Matches the characters to escape. `\\.` matches every other escape as a whole, so that an escaped backslash
 * followed by a `b` is not read as a backspace.
 */
const ESCAPED = /\\[bf]|\\.|[<>&\u2028\u2029]/g;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  [String.raw`\b`, String.raw`\u0008`],
  [String.raw`\f`, String.raw`\u000c`],
]);

const escaped = (found: string): string =>
  found.startsWith('\\') ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Replacer function that sorts the keys of objects, as Go writes maps. */
export const sortedKeys = (_key: string, value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(
        Object.keys(value)
          .sort()
          .map((key) => [key, value[key]]),
      )
    : value;
