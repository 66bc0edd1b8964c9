import { spend } from '../../base/budget/index.ts';
import { CodedError } from '../../base/errors/index.ts';
import { endOfString, int64Of, numberAt, readJson } from './exact-json.ts';
import { type JsonShape, chargeJson, scanJson } from './json-scan.ts';
import { jsonFault } from './json-fault.ts';

/** Code of a `JsonSyntaxError`. */
export type JsonSyntaxErrorCode = 'syntax' | 'depth';

/** Error for bytes that are not JSON, or that are nested deeper than allowed. */
export class JsonSyntaxError extends CodedError<JsonSyntaxErrorCode> {}

/** Options of the JSON parsers. */
export interface JsonOptions {
  /**
   * Maximum nesting of objects and lists. The default, 1,000, is far below the depth at which V8's serializer
   * overflows the stack.
   */
  readonly maxDepth?: number;
}

/** Result of parsing a JSON text. */
export interface ParsedJson {
  readonly value: unknown;
  /**
   * Paths of duplicate keys (`spec.replicas`, `list[0].name`) in the order of the text, each path once, at
   * most 100.
   */
  readonly duplicates: readonly string[];
  /**
   * Source text, by path, of numbers such as `3.0` or `1e400` that are no 64-bit integers; undefined if the
   * text has none.
   */
  readonly floats?: Floats | undefined;
}

/** Source text, by path, of numbers that Go does not read as 64-bit integers. */
export type Floats = ReadonlyMap<string, string>;

/**
 * Returns Go's error for the first number that exceeds float64, such as `1e400`; undefined if all numbers
 * fit.
 */
export function overflowIn(floats: Floats | undefined): string | undefined {
  for (const written of floats?.values() ?? [])
    if (!Number.isFinite(Number(written)))
      return `json: cannot unmarshal number ${written} into Go value of type float64`;
  return undefined;
}

const MAX_DEPTH = 1_000;
/** Maximum number of reported duplicate keys, as in upstream. */
const MAX_DUPLICATES = 100;
/** Measured work units for each character that is scanned for duplicates and floats. */
const FOLLOWED_CHARACTER = 0.008;
/** Work units for each character of invalid JSON, which is read again to find the error. */
const FAULT_CHARACTER = 0.01;
/** Work units for each character of a text in which lone surrogates are replaced. */
const REPLACED_CHARACTER = 0.03;
const PATH = 0.6;
const PATH_LEVEL = 0.15;
const PATH_CHARACTER = 0.002;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const LOWER_A = 0x61;
const LOWER_B = 0x62;
const LOWER_D = 0x64;
const LOWER_F = 0x66;
const LOWER_U = 0x75;
/** Bit that is set in lower-case letters and unset in upper-case letters. It is set in digits. */
const LOWER = 0x20;
const ZERO = 0x30;
const EIGHT = 0x38;
const NINE = 0x39;
const MINUS = 0x2d;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Parses JSON (RFC 8259) and reports duplicate keys. The last value of a duplicate key wins. `__proto__` is
 * an ordinary key. Invalid UTF-8 and lone surrogates are read as U+FFFD. Throws `JsonSyntaxError`.
 */
export function parseJson(source: Uint8Array | string, options: JsonOptions = {}): ParsedJson {
  const { text, shape } = readable(source, options);
  const value = parseText(text);
  // Fast path for most strings: all numbers are 64-bit integers and no object has a duplicate key.
  if (!shape.fractions && shape.members === membersOf(value))
    return { value, duplicates: NONE, floats: undefined };
  const { duplicates, floats } = follow(text);
  return { value, duplicates, floats };
}

/** Parses JSON like `parseJson` but does not report duplicate keys. Throws `JsonSyntaxError`. */
export const parseJsonLoose = (source: Uint8Array | string, options: JsonOptions = {}): unknown =>
  parseText(readable(source, options).text);

/** Returns the text and its counts. Checks the depth of the text and charges its cost first. */
function readable(
  source: Uint8Array | string,
  { maxDepth = MAX_DEPTH }: JsonOptions,
): { readonly text: string; readonly shape: JsonShape } {
  const bytes =
    typeof source === 'string'
      ? Buffer.from(source)
      : Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  const shape = scanJson(bytes, maxDepth);
  if (shape.depth > maxDepth)
    throw new JsonSyntaxError('depth', `invalid JSON: nested deeper than ${maxDepth} levels`);
  chargeJson(bytes.length, shape);
  return { text: wellFormed(typeof source === 'string' ? source : bytes.toString()), shape };
}

const SURROGATE = /\\u[dD][89a-fA-F]/;
/** Matches an escaped surrogate pair, an escaped half of a pair, or any other escape. */
const ESCAPE =
  /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[dD][89a-fA-F][\da-fA-F]{2}|\\[\s\S]/g;
const HALF_LENGTH = '\\ud800'.length;

/**
 * Replaces lone surrogates by U+FFFD, as upstream does, because no store key and no response can contain a
 * lone surrogate.
 */
function wellFormed(text: string): string {
  if (!SURROGATE.test(text) || !hasHalf(text)) return text;
  spend(text.length * REPLACED_CHARACTER);
  return text.replace(ESCAPE, (escape) => (escape.length === HALF_LENGTH ? '\\ufffd' : escape));
}

/** True if an escaped half of a surrogate pair stands alone. */
function hasHalf(text: string): boolean {
  for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', at)) {
    if (!isSurrogateAt(text, at)) at += 2;
    else if (
      isLeading(text, at) &&
      isSurrogateAt(text, at + HALF_LENGTH) &&
      !isLeading(text, at + HALF_LENGTH)
    )
      at += 2 * HALF_LENGTH;
    else return true;
  }
  return false;
}

/** True if an escape from `\\ud800` to `\\udfff`, in either case, begins at `at`. */
function isSurrogateAt(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== BACKSLASH || text.charCodeAt(at + 1) !== LOWER_U) return false;
  const [first, second] = [text.charCodeAt(at + 2) | LOWER, text.charCodeAt(at + 3) | LOWER];
  return first === LOWER_D && second >= EIGHT && (second <= NINE || (second >= LOWER_A && second <= LOWER_F));
}

/** True if the surrogate at `at` is the first half of a pair. */
const isLeading = (text: string, at: number): boolean => (text.charCodeAt(at + 3) | LOWER) <= LOWER_B;

function parseText(text: string): unknown {
  try {
    return readJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // V8's message quotes the source, and a request body may hold a secret.
    spend(text.length * FAULT_CHARACTER);
    throw new JsonSyntaxError('syntax', jsonFault(text));
  }
}

const NONE: readonly string[] = [];

/** Counts the members of all objects in a value; NaN if a number may have been rounded. */
function membersOf(value: unknown): number {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 0 : Number.NaN;
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) for (const item of value) members += membersOf(item);
  else
    // Parsed JSON inherits no enumerable members.
    for (const key in value) members += 1 + membersOf((value as { readonly [key: string]: unknown })[key]);
  return members;
}

interface Level {
  /** Keys read so far; undefined for a list. */
  readonly keys: Set<string> | undefined;
  /** The key or index that is being read. */
  at: string | number;
}

interface Peculiarities {
  readonly duplicates: readonly string[];
  readonly floats: Floats | undefined;
}

/** Scans a text that is known to be JSON for duplicate keys and for numbers that are no integers. */
function follow(text: string): Peculiarities {
  spend(text.length * FOLLOWED_CHARACTER);
  const duplicates = new Set<string>();
  let floats: Map<string, string> | undefined;
  const levels: Level[] = [];
  let expectKey = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const level = levels.at(-1);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      if (expectKey && level?.keys) {
        level.at = unquote(text, at, end);
        if (level.keys.has(level.at) && duplicates.size < MAX_DUPLICATES) duplicates.add(paidPathOf(levels));
        level.keys.add(level.at);
      }
      at = end;
    } else if (code === OPEN_OBJECT) {
      levels.push({ keys: new Set(), at: '' });
      expectKey = true;
    } else if (code === OPEN_LIST) {
      levels.push({ keys: undefined, at: 0 });
      expectKey = false;
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      levels.pop();
      expectKey = false;
    } else if (code === COLON) expectKey = false;
    else if (code === COMMA && level) {
      if (typeof level.at === 'number') level.at += 1;
      expectKey = level.keys !== undefined;
    } else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      const number = numberAt(text, at);
      if (/[.eE]/.test(number) || int64Of(number) === undefined)
        (floats ??= new Map()).set(paidPathOf(levels), number);
      at += number.length - 1;
    }
  }
  return { duplicates: [...duplicates], floats };
}

function unquote(text: string, from: number, end: number): string {
  const raw = text.slice(from + 1, end);
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
}

/**
 * Formats a path and charges it to the work budget, because each number may need a path that is as long as
 * the keys above it.
 */
function paidPathOf(levels: readonly Level[]): string {
  const path = formatPath(levels.map((level) => level.at));
  spend(PATH + levels.length * PATH_LEVEL + path.length * PATH_CHARACTER);
  return path;
}

/** Formats `['spec', 'containers', 0, 'name']` as `spec.containers[0].name`. */
export const formatPath = (segments: readonly (string | number)[]): string =>
  segments
    .map((segment, index) =>
      typeof segment === 'number' ? `[${segment}]` : index === 0 ? segment : `.${segment}`,
    )
    .join('');
