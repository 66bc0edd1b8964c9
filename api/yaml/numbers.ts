import { type Int64, integerOf } from '../schema/index.ts';

/** Matches plain scalars that Go tries to read as numbers. Nearly all of them are numbers. */
export const LIKE_A_NUMBER =
  /^(?=[-+.\d])[-+]?(?:_*0_*(?:[xX][\da-fA-F_]+|[oO][0-7_]+|[bB][01_]+)|[\d_]+(?:\.[\d_]*)?(?:[eE][-+]?[\d_]+)?|\.[\d_]+(?:[eE][-+]?[\d_]+)?|\.(?:inf|Inf|INF))$|^\.(?:nan|NaN|NAN)$/;

/** Fast path for nearly all numbers. */
const PLAIN_WHOLE = /^(?:0|[1-9]\d{0,14})$/;
const WHOLE = /^([-+]?)(0[xX][\da-fA-F]+|0[oO]?[0-7]+|0[bB][01]+|0|[1-9]\d*)$/;
const FRACTION = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
const OCTAL = /^0[oO]?(?=\d)/;
/** Maximum number of digits: enough for 64 bits in any base, with leading zeros. */
const MAX_DIGITS = 1_000;
/** Matches an underscore that is not between digits. Go rejects such an underscore after a leading point. */
const LOOSE_UNDERSCORE = /_(?!\d)|(?<!\d)_/;
const INFINITE = /^([-+]?)\.(?:inf|Inf|INF)$/;

/**
 * Returns the value of a plain scalar that matches `LIKE_A_NUMBER`, as Go's YAML 1.1 parser reads it.
 * Underscores are ignored. A number out of range is read as a string, such as the hash `12e4567`.
 */
export function numberOf(text: string): Int64 | string {
  if (PLAIN_WHOLE.test(text)) return Number(text);
  const infinite = INFINITE.exec(text);
  if (infinite) return infinite[1] === '-' ? -Infinity : Infinity;
  if (/^\.n/i.test(text)) return Number.NaN;
  if (text.startsWith('.') && LOOSE_UNDERSCORE.test(text)) return text;
  const digits = text.replaceAll('_', '');
  const whole = wholeOf(digits);
  if (whole !== undefined) return whole;
  const fraction = FRACTION.test(digits) ? Number(digits) : Number.NaN;
  return Number.isFinite(fraction) ? fraction : text;
}

/** Returns an integer; undefined if it does not fit into 64 bits. */
function wholeOf(digits: string): Int64 | undefined {
  const [, sign, unsigned = ''] = WHOLE.exec(digits) ?? [];
  // The conversion to BigInt takes quadratic time.
  if (sign === undefined || unsigned.length > MAX_DIGITS) return undefined;
  const size = BigInt(unsigned.replace(OCTAL, '0o'));
  const value = sign === '-' ? -size : size;
  if (value < -(2n ** 63n) || value >= (sign === '' ? 2n ** 64n : 2n ** 63n)) return undefined;
  return integerOf(String(value));
}
