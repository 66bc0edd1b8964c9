import { spend } from '../../base/budget/index.ts';
import { CodedError } from '../../base/errors/index.ts';
import { endOfString, int64Of, numberAt, readJson } from './exact-json.ts';
import { type JsonShape, chargeJson, scanJson } from './json-scan.ts';
import { jsonFault } from './json-fault.ts';

export type JsonSyntaxErrorCode = 'syntax' | 'depth';

/** Bytes that are not JSON, or nested deeper than allowed. */
export class JsonSyntaxError extends CodedError<JsonSyntaxErrorCode> {}

export interface JsonOptions {
  /** Deepest nesting of objects and lists; 1,000 by default, far from where V8's own serializer gives up. */
  readonly maxDepth?: number;
}

export interface ParsedJson {
  readonly value: unknown;
  /** Paths of keys given more than once, each named once and no more than a hundred, in the order met: `spec.replicas`, `list[0].name`. */
  readonly duplicates: readonly string[];
  /** Numbers that are no integers of 64 bits as they are written, `3.0` or `1e400`, by their paths; undefined where there are none. */
  readonly floats?: Floats | undefined;
}

/** How numbers that are no integers of 64 bits to Go were written, by their paths. */
export type Floats = ReadonlyMap<string, string>;

/** Why Go refuses a number that is larger than any, such as `1e400`, and has no JSON form here; undefined where there is none. */
export function overflowIn(floats: Floats | undefined): string | undefined {
  for (const written of floats?.values() ?? [])
    if (!Number.isFinite(Number(written)))
      return `json: cannot unmarshal number ${written} into Go value of type float64`;
  return undefined;
}

const MAX_DEPTH = 1_000;
/** As many as upstream reports. */
const MAX_DUPLICATES = 100;
/** Units of work, as measured. */
const FOLLOWED_CHARACTER = 0.008;
/** Work units for a text that is not JSON and is read again to find the fault. */
const FAULT_CHARACTER = 0.01;
/** Work units for a text in which lone surrogates are replaced. */
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
/** The bit by which letters in lower case differ from those in upper case, and which figures have. */
const LOWER = 0x20;
const ZERO = 0x30;
const EIGHT = 0x38;
const NINE = 0x39;
const MINUS = 0x2d;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Reads JSON (RFC 8259) and finds keys given twice; the last one counts. `__proto__` is an ordinary key.
 * Invalid UTF-8 and escaped halves of surrogate pairs are read as U+FFFD. Throws `JsonSyntaxError`.
 */
export function parseJson(source: Uint8Array | string, options: JsonOptions = {}): ParsedJson {
  const { text, shape } = readable(source, options);
  const value = parseText(text);
  // Most texts say nothing besides their value: all numbers are integers of 64 bits, and no key stands there twice.
  if (!shape.fractions && shape.members === membersOf(value))
    return { value, duplicates: NONE, floats: undefined };
  const { duplicates, floats } = follow(text);
  return { value, duplicates, floats };
}

/** The same without looking for duplicates. Throws `JsonSyntaxError`. */
export const parseJsonLoose = (source: Uint8Array | string, options: JsonOptions = {}): unknown =>
  parseText(readable(source, options).text);

/** A text that is worth parsing: not nested too deep, and paid for. */
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
/** An escaped pair, half of one, or any other escape. */
const ESCAPE =
  /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[dD][89a-fA-F][\da-fA-F]{2}|\\[\s\S]/g;
const HALF_LENGTH = '\\ud800'.length;

/** Half a surrogate pair is no character: what no store key and no answer can hold is read as U+FFFD, as upstream does. */
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

/** True if `\\ud8…` to `\\udf…`, in either case, begins at `at`. */
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
    // V8 quotes the source in its message: a body may hold a secret.
    spend(text.length * FAULT_CHARACTER);
    throw new JsonSyntaxError('syntax', jsonFault(text));
  }
}

const NONE: readonly string[] = [];

/** Members of all objects in a value; not a number where a number in it was rounded. */
function membersOf(value: unknown): number {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 0 : Number.NaN;
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) for (const item of value) members += membersOf(item);
  else
    // Parsed JSON inherits nothing that could be listed.
    for (const key in value) members += 1 + membersOf((value as { readonly [key: string]: unknown })[key]);
  return members;
}

interface Level {
  /** Keys met so far; undefined in a list. */
  readonly keys: Set<string> | undefined;
  /** The key or index being read. */
  at: string | number;
}

interface Peculiarities {
  readonly duplicates: readonly string[];
  readonly floats: Floats | undefined;
}

/** `text` is known to be JSON: only its structure is followed. */
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

/** A path is as long as the keys in it, and there may be one for every number. */
function paidPathOf(levels: readonly Level[]): string {
  const path = formatPath(levels.map((level) => level.at));
  spend(PATH + levels.length * PATH_LEVEL + path.length * PATH_CHARACTER);
  return path;
}

/** `['spec', 'containers', 0, 'name']` as `spec.containers[0].name`. */
export const formatPath = (segments: readonly (string | number)[]): string =>
  segments
    .map((segment, index) =>
      typeof segment === 'number' ? `[${segment}]` : index === 0 ? segment : `.${segment}`,
    )
    .join('');
