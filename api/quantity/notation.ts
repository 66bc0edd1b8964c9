import { QuantityError } from './arithmetic.ts';

/** Notation of a quantity: `12e6`, `12Mi`, `12M`. */
export type QuantityFormat = 'DecimalExponent' | 'BinarySI' | 'DecimalSI';

/** Parts of a quantity's string: `-01.50Ki` has the whole part `1`, the fraction `50` and the suffix `Ki`. */
export interface ParsedNumber {
  readonly negative: boolean;
  /** Integer digits without leading zeros; `0` if no digit remains. */
  readonly whole: string;
  readonly fraction: string;
  readonly suffix: string;
}

/**
 * Pattern of a quantity. It matches without backtracking, because no part can give characters to its
 * neighbour. A long invalid string is therefore rejected in linear time.
 */
const SHAPE = /^([+-]?)0*([1-9][0-9]*)?(?:\.([0-9]*))?((?:[eEinumkKMGTP]+[-+]?|[-+])[0-9]*)?$/;

/** Splits the string of a quantity into its parts. Throws `QuantityError`. */
export function scanNumber(text: string): ParsedNumber {
  const match = SHAPE.exec(text);
  if (!match) throw new QuantityError('format');
  const [, sign = '', whole = '0', fraction = '', suffix = ''] = match;
  return { negative: sign === '-', whole, fraction, suffix };
}

const DECIMAL: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const BINARY: ReadonlyMap<string, number> = new Map([
  ['Ki', 10],
  ['Mi', 20],
  ['Gi', 30],
  ['Ti', 40],
  ['Pi', 50],
  ['Ei', 60],
]);

const inverse = (table: ReadonlyMap<string, number>): ReadonlyMap<number, string> =>
  new Map([...table].map(([suffix, exponent]) => [exponent, suffix]));
const DECIMAL_SUFFIX = inverse(DECIMAL);
const BINARY_SUFFIX = inverse(BINARY);

/** Returns the factor that a suffix stands for, `base` to the power `exponent`. Throws `QuantityError`. */
export function interpretSuffix(suffix: string): {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
} {
  const decimal = DECIMAL.get(suffix);
  if (decimal !== undefined) return { base: 10, exponent: decimal, format: 'DecimalSI' };
  const binary = BINARY.get(suffix);
  if (binary !== undefined) return { base: 2, exponent: binary, format: 'BinarySI' };
  if (!/^[eE][-+]?[0-9]+$/.test(suffix)) throw new QuantityError('suffix');
  return { base: 10, exponent: Number(suffix.slice(1)), format: 'DecimalExponent' };
}

/**
 * Returns the suffix of an exponent that is a multiple of three (of ten in binary notation). There are no
 * decimal suffixes beyond `E`; an exponent is written instead. Release 1.24 writes nothing there, which
 * changes the number.
 */
export function suffixFor(format: QuantityFormat, exponent: number): string {
  const table = format === 'BinarySI' ? BINARY_SUFFIX : DECIMAL_SUFFIX;
  const suffix = format === 'DecimalExponent' ? undefined : table.get(exponent);
  return suffix ?? (exponent === 0 ? '' : `e${exponent}`);
}
