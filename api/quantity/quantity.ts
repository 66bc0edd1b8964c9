import { spend } from '../../base/budget/index.ts';
import {
  type ParsedNumber,
  type QuantityFormat,
  interpretSuffix,
  scanNumber,
  suffixFor,
} from './notation.ts';
import {
  digitsOf,
  divideUp,
  fitsInt64,
  pow10,
  removeFactors,
  stripTens,
  wrapInt64,
  QuantityError,
} from './arithmetic.ts';

export { QuantityError } from './arithmetic.ts';
export type { QuantityFormat } from './notation.ts';

/**
 * Immutable fixed-point number with its notation, like `resource.Quantity` of release 1.24. The number is
 * `unscaled` times ten to the power `exponent`.
 */
export interface Quantity {
  readonly unscaled: bigint;
  readonly exponent: number;
  readonly format: QuantityFormat;
  /**
   * True if upstream holds the quantity in 64 bits. This determines how `value` and `milliValue` overflow.
   */
  readonly small: boolean;
  /** The source string if upstream writes it instead of the canonical form, as for `1.` and `5E6`. */
  readonly text: string | undefined;
}

const NANO = -9;
const MAX_INT64 = 2n ** 63n - 1n;
/** Largest power of ten that fits into 64 bits. */
const INT64_DIGITS = 18;
/**
 * Limits that upstream does not have. With longer strings and larger exponents, one field could cost
 * milliseconds.
 */
const MAX_EXPONENT = 10_000;
const MAX_LENGTH = 1_000;
/** Work units for parsing a quantity. */
const PARSE_WORK = 0.5;

/** Parses a quantity such as `100m`, `1.5Gi` or `12e6`. Throws `QuantityError` with upstream's messages. */
export function parseQuantity(text: string): Quantity {
  if (text === '') throw new QuantityError('format');
  spend(PARSE_WORK);
  if (text === '0') return { unscaled: 0n, exponent: 0, format: 'DecimalSI', small: true, text };
  if (text.length > MAX_LENGTH) throw new QuantityError('numeric');
  const number = scanNumber(text);
  const suffix = interpretSuffix(number.suffix);
  if (suffix.base === 10 && Math.abs(suffix.exponent) > MAX_EXPONENT) throw new QuantityError('numeric');
  return parseSmall(text, number, suffix) ?? parseLarge(number, suffix);
}

type Suffix = ReturnType<typeof interpretSuffix>;

/** Returns the number of decimal digits that remain in 64 bits; negative if the value may not fit. */
function precisionOf({ whole, fraction }: ParsedNumber, { base, exponent }: Suffix): number {
  if (base === 10) return INT64_DIGITS - whole.length - fraction.length;
  return fraction === '' ? 15 - whole.length - Math.trunc((exponent * 3) / 10) - 1 : -1;
}

function parseSmall(text: string, number: ParsedNumber, suffix: Suffix): Quantity | undefined {
  if (precisionOf(number, suffix) < 0) return undefined;
  const exponent = (suffix.base === 10 ? suffix.exponent : 0) - number.fraction.length;
  if (exponent < NANO) return undefined;
  const digits = number.whole + number.fraction;
  const written = BigInt(digits);
  const magnitude = suffix.base === 2 ? written << BigInt(suffix.exponent) : written;
  if (magnitude > MAX_INT64) return undefined;
  const keepsText =
    suffix.base === 2
      ? (written & 7n) !== 0n
      : exponent % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
  return {
    unscaled: number.negative ? -magnitude : magnitude,
    exponent,
    format: suffix.format,
    small: true,
    text: keepsText ? text : undefined,
  };
}

function parseLarge(
  { whole, fraction, negative }: ParsedNumber,
  { base, exponent, format }: Suffix,
): Quantity {
  const digits = BigInt(whole + fraction);
  const scaled = base === 2 ? digits << BigInt(exponent) : digits;
  const at = (base === 10 ? exponent : 0) - fraction.length;
  let magnitude = scaled === 0n ? 0n : rescaleUp(scaled, at, NANO);
  let scale = scaled === 0n ? at : NANO;
  if (base === 2 && magnitude > MAX_INT64 * pow10(-NANO)) {
    magnitude = MAX_INT64;
    scale = 0;
  }
  const belowOne = base === 2 && magnitude > 0n && magnitude < pow10(-NANO) && scale === NANO;
  return {
    unscaled: negative ? -magnitude : magnitude,
    exponent: scale,
    format: belowOne ? 'DecimalSI' : format,
    small: false,
    text: undefined,
  };
}

/** Returns `unscaled · 10^from` as a multiple of `10^to`, rounded away from zero. */
function rescaleUp(unscaled: bigint, from: number, to: number): bigint {
  if (from >= to) return unscaled * pow10(from - to);
  if (digitsOf(unscaled).length <= to - from) return unscaled === 0n ? 0n : unscaled < 0n ? -1n : 1n;
  return divideUp(unscaled, pow10(to - from));
}

/** Returns the string that upstream writes: full precision, no fraction, the largest suffix that fits. */
export function canonicalQuantity(quantity: Quantity): string {
  return quantity.text ?? canonicalize(quantity);
}

function canonicalize({ unscaled, exponent, format }: Quantity): string {
  if (unscaled === 0n) return '0';
  if (format === 'BinarySI') {
    const whole = wholeOf(unscaled, exponent);
    if (whole !== undefined && (whole >= 1024n || whole <= -1024n)) {
      const { rest, times } = removeFactors(whole, 1024n, 6);
      return `${rest}${suffixFor('BinarySI', times * 10)}`;
    }
  }
  const { rest, times } = stripTens(unscaled);
  const at = exponent + times;
  const third = Math.floor(at / 3) * 3;
  const decimal = format === 'BinarySI' ? 'DecimalSI' : format;
  return `${rest * pow10(at - third)}${suffixFor(decimal, third)}`;
}

/** Returns the value as an integer; undefined if it has a fraction. */
function wholeOf(unscaled: bigint, exponent: number): bigint | undefined {
  if (exponent >= 0) return unscaled * pow10(exponent);
  const divisor = pow10(-exponent);
  return unscaled % divisor === 0n ? unscaled / divisor : undefined;
}

/** Returns -1, 0 or 1 if `left` is less than, equal to or greater than `right`. */
export function compareQuantities(left: Quantity, right: Quantity): -1 | 0 | 1 {
  const order = signOf(left.unscaled) - signOf(right.unscaled) || magnitudeOrder(left, right);
  if (order !== 0) return order < 0 ? -1 : 1;
  const [a, b] = align(left, right);
  return a < b ? -1 : a > b ? 1 : 0;
}

const signOf = (value: bigint): number => (value < 0n ? -1 : value > 0n ? 1 : 0);

/** Compares quantities of the same sign by their order of magnitude. Returns 0 if only the digits decide. */
function magnitudeOrder(left: Quantity, right: Quantity): number {
  if (left.exponent === right.exponent || left.unscaled === 0n) return 0;
  const difference = magnitudeOf(left) - magnitudeOf(right);
  return left.unscaled < 0n ? -difference : difference;
}

const magnitudeOf = ({ unscaled, exponent }: Quantity): number => digitsOf(unscaled).length + exponent;

/** True if the quantity is zero. */
export const isZeroQuantity = (quantity: Quantity): boolean => quantity.unscaled === 0n;

/** Returns the sum in the notation of `left`, or of `right` if `left` is zero. */
export const addQuantities = (left: Quantity, right: Quantity): Quantity =>
  combine(left, right, (a, b) => a + b);

/** Returns the difference in the notation of `left`, or of `right` if `left` is zero. */
export const subtractQuantities = (left: Quantity, right: Quantity): Quantity =>
  combine(left, right, (a, b) => a - b);

/** Returns the negated quantity. */
export const negateQuantity = (quantity: Quantity): Quantity => ({
  ...quantity,
  unscaled: -quantity.unscaled,
  text: undefined,
});

function combine(left: Quantity, right: Quantity, operation: (a: bigint, b: bigint) => bigint): Quantity {
  const [a, b, exponent] = align(left, right);
  const unscaled = operation(a, b);
  return {
    unscaled,
    exponent,
    format: left.unscaled === 0n ? right.format : left.format,
    small: left.small && right.small && fitsInt64(a) && fitsInt64(b) && fitsInt64(unscaled),
    text: undefined,
  };
}

/**
 * Scales two quantities to one exponent. If one is zero, the exponent of the other is used, so that nothing
 * is scaled.
 */
function align(left: Quantity, right: Quantity): [bigint, bigint, number] {
  if (left.unscaled === 0n) return [0n, right.unscaled, right.exponent];
  if (right.unscaled === 0n) return [left.unscaled, 0n, left.exponent];
  const exponent = Math.min(left.exponent, right.exponent);
  return [
    left.unscaled * pow10(left.exponent - exponent),
    right.unscaled * pow10(right.exponent - exponent),
    exponent,
  ];
}

/**
 * Returns the quantity in whole units, rounded away from zero. Overflows of 64 bits wrap around as in
 * upstream.
 */
export const quantityValue = (quantity: Quantity): bigint => scaledValue(quantity, 0);

/**
 * Returns the quantity in thousandths, rounded away from zero. Overflows of 64 bits wrap around as in
 * upstream.
 */
export const quantityMilliValue = (quantity: Quantity): bigint => scaledValue(quantity, -3);

function scaledValue({ unscaled, exponent, small }: Quantity, to: number): bigint {
  if (small) {
    if (unscaled !== 0n && exponent - to > INT64_DIGITS) return 0n;
    const exact = rescaleUp(unscaled, exponent, to);
    return fitsInt64(exact) ? exact : 0n;
  }
  // Ten to the power 64 is a multiple of two to the power 64, so the low 64 bits are zero.
  if (exponent - to >= 64) return 0n;
  if (exponent >= to) return wrapInt64(wrapInt64(unscaled) * wrapInt64(pow10(exponent - to)));
  const drop = to - exponent;
  const divisor = pow10(drop);
  if (unscaled < MAX_INT64 && drop <= INT64_DIGITS) {
    // Upstream adds one for any remainder here, even if the value is negative.
    const low = wrapInt64(unscaled);
    return low / divisor + (low % divisor === 0n ? 0n : 1n);
  }
  return wrapInt64(unscaled / divisor + (unscaled % divisor === 0n ? 0n : 1n));
}

/** Returns the quantity of a number of whole units. */
export const quantityOf = (value: bigint | number, format: QuantityFormat = 'DecimalSI'): Quantity => ({
  unscaled: BigInt(value),
  exponent: 0,
  format,
  small: true,
  text: undefined,
});
