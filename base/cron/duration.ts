import { spend } from '../budget/work-budget.ts';

const UNITS_NS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);

const PART = /(\d*)(?:\.(\d*))?([^\d.]*)/y;
/** Bound of Go's durations in nanoseconds. Only a negative duration may reach this bound. */
const LIMIT = 2n ** 63n;
const LIMIT_DIGITS = LIMIT.toString().length;

/**
 * Parses a duration such as `1h30m`, `1.5s` or `-2m` to milliseconds, like Go's `time.ParseDuration`. Throws
 * Go's message.
 */
export const parseGoDuration = (text: string): number => Number(parseGoNanoseconds(text)) / 1_000_000;

/** Parses a duration to nanoseconds, like `parseGoDuration`. */
export function parseGoNanoseconds(text: string): bigint {
  const isNegative = text.startsWith('-');
  const from = /^[+-]/.test(text) ? 1 : 0;
  if (text.slice(from) === '0') return 0n;
  let total = 0n;
  for (let at = from; at < text.length || at === from; at = PART.lastIndex) {
    spend(0.5);
    PART.lastIndex = at;
    total += partOf(text, PART.exec(text) ?? []);
    if (total > LIMIT) throw invalid(text);
  }
  if (isNegative) return -total;
  if (total === LIMIT) throw invalid(text);
  return total;
}

/** Parses one number and its unit. Reports the first error, like Go. */
function partOf(
  text: string,
  [, whole = '', fraction = '', unit = '']: readonly (string | undefined)[],
): bigint {
  if (whole === '' && fraction === '') throw invalid(text);
  const significant = whole.replace(/^0+/, '');
  if (significant.length > LIMIT_DIGITS || BigInt(significant) > LIMIT) throw invalid(text);
  if (unit === '') throw new Error(`time: missing unit in duration ${quoted(text)}`);
  const scale = UNITS_NS.get(unit);
  if (scale === undefined) throw new Error(`time: unknown unit ${quoted(unit)} in duration ${quoted(text)}`);
  const decimals = fraction.slice(0, LIMIT_DIGITS);
  return BigInt(significant) * scale + (BigInt(decimals) * scale) / 10n ** BigInt(decimals.length);
}

const invalid = (text: string): Error => new Error(`time: invalid duration ${quoted(text)}`);

/** Quotes a text like Go's duration parser: bytes other than printable ASCII are hexadecimal. */
const quoted = (text: string): string =>
  `"${text.replace(/["\\]/g, '\\$&').replace(/[^ -\u007f]+/g, (odd) => hexOf(odd))}"`;

const hexOf = (text: string): string =>
  Array.from(Buffer.from(text), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
