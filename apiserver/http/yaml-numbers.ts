import { type Int64, integerOf } from '../../api/schema/index.ts';

/** What Go's reader looks at as a number; most of it is one. */
export const LIKE_A_NUMBER =
  /^(?=[-+.\d])[-+]?(?:_*0_*(?:[xX][\da-fA-F_]+|[oO][0-7_]+|[bB][01_]+)|[\d_]+(?:\.[\d_]*)?(?:[eE][-+]?[\d_]+)?|\.[\d_]+(?:[eE][-+]?[\d_]+)?|\.(?:inf|Inf|INF))$|^\.(?:nan|NaN|NAN)$/;

/** Nearly every number there is. */
const PLAIN_WHOLE = /^(?:0|[1-9]\d{0,14})$/;
const WHOLE = /^([-+]?)(0[xX][\da-fA-F]+|0[oO]?[0-7]+|0[bB][01]+|0|[1-9]\d*)$/;
const FRACTION = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
const OCTAL = /^0[oO]?(?=\d)/;
/** Enough for 64 bits in any base, with zeros before them. */
const MOST_FIGURES = 1_000;
/** Behind a point underscores stand between figures alone. */
const LOOSE_UNDERSCORE = /_(?!\d)|(?<!\d)_/;
const INFINITE = /^([-+]?)\.(?:inf|Inf|INF)$/;

/**
 * A plain scalar that is `LIKE_A_NUMBER` as Go's reader of YAML 1.1 has it: underscores count for nothing, and what is too
 * large for a number is a text, such as the hash `12e4567`.
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

/** Undefined for what has no 64 bits' room. */
function wholeOf(digits: string): Int64 | undefined {
  const [, sign, figures = ''] = WHOLE.exec(digits) ?? [];
  // The time of BigInt grows with the square of the digits.
  if (sign === undefined || figures.length > MOST_FIGURES) return undefined;
  const size = BigInt(figures.replace(OCTAL, '0o'));
  const value = sign === '-' ? -size : size;
  if (value < -(2n ** 63n) || value >= (sign === '' ? 2n ** 64n : 2n ** 63n)) return undefined;
  return integerOf(String(value));
}
