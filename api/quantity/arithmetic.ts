import { spend } from '../../base/budget/index.ts';
import { CodedError } from '../../base/errors/index.ts';

const MESSAGES = {
  format: "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  numeric: 'unable to parse numeric part of quantity',
  suffix: "unable to parse quantity's suffix",
} as const;

/** Error for a string that is not a quantity. The messages are those of upstream. */
export class QuantityError extends CodedError<keyof typeof MESSAGES> {
  constructor(code: keyof typeof MESSAGES) {
    super(code, MESSAGES[code]);
  }
}

/** Maximum number of digits for which arithmetic is as cheap as any other step of a request. */
const CHEAP_DIGITS = 64;
/**
 * Number of squared digits that cost one work unit: of a power of ten, and of a number that is converted to a
 * string.
 */
const POWER_RATE = 200_000;
const TEXT_RATE = 20_000;

/** Returns ten to a power. Charges large exponents to the work budget, because their cost is quadratic. */
export function pow10(exponent: number): bigint {
  if (exponent > CHEAP_DIGITS) spend(exponent ** 2 / POWER_RATE);
  return 10n ** BigInt(exponent);
}

/** Returns the decimal digits of an integer without its sign. Charges long integers to the work budget. */
export function digitsOf(value: bigint): string {
  const magnitude = value < 0n ? -value : value;
  if (magnitude > MAX_CHEAP) spend((magnitude.toString(16).length * 1.2) ** 2 / TEXT_RATE);
  return magnitude.toString();
}

const MAX_CHEAP = 10n ** BigInt(CHEAP_DIGITS);

/** True if the integer fits into 64 bits. */
export const fitsInt64 = (value: bigint): boolean => value >= -(2n ** 63n) && value < 2n ** 63n;

/** Returns the low 64 bits of an integer, as Go's arithmetic does. */
export const wrapInt64 = (value: bigint): bigint => BigInt.asIntN(64, value);

/** Divides and rounds away from zero; `divisor` is positive. */
export function divideUp(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  if (value % divisor === 0n) return quotient;
  return value < 0n ? quotient - 1n : quotient + 1n;
}

/** Divides a non-zero value by `factor` as often as it is divisible, at most `most` times. */
export function removeFactors(
  value: bigint,
  factor: bigint,
  most: number,
): { readonly rest: bigint; readonly times: number } {
  let rest = value;
  let times = 0;
  while (times < most && rest % factor === 0n) {
    rest /= factor;
    times += 1;
  }
  return { rest, times };
}

/**
 * Removes the trailing decimal zeros of a non-zero value. Counts the zeros in the string, which is cheaper
 * than repeated long division.
 */
export function stripTens(value: bigint): { readonly rest: bigint; readonly times: number } {
  const text = `${value < 0n ? '-' : ''}${digitsOf(value)}`;
  let end = text.length;
  while (text.charCodeAt(end - 1) === 0x30) end -= 1;
  return { rest: BigInt(text.slice(0, end)), times: text.length - end };
}
