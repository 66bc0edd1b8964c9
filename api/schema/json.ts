import { CodedError } from '../../base/errors/coded.ts';
import { endOfString, int64Of, numberAt, readJson } from './exact-json.ts';
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
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const POINT = 0x2e;
const UPPER_E = 0x45;
const LOWER_E = 0x65;
const ZERO = 0x30;
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
  const text = textOf(source);
  const value = parseText(text, options);
  if (isPlain(text, value)) return { value, duplicates: NONE, floats: undefined };
  const { duplicates, floats } = follow(text);
  return { value, duplicates, floats };
}

/** The same without looking for duplicates. Throws `JsonSyntaxError`. */
export const parseJsonLoose = (source: Uint8Array | string, options: JsonOptions = {}): unknown =>
  parseText(textOf(source), options);

const textOf = (source: Uint8Array | string): string =>
  wellFormed(
    typeof source === 'string'
      ? source
      : Buffer.from(source.buffer, source.byteOffset, source.byteLength).toString(),
  );

/** An escaped pair, half of one, or any other escape. */
const ESCAPE =
  /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[dD][89a-fA-F][\da-fA-F]{2}|\\[\s\S]/g;
const HALF_LENGTH = '\\ud800'.length;

/** Half a surrogate pair is no character: what no store key and no answer can hold is read as U+FFFD, as upstream does. */
const wellFormed = (text: string): string =>
  text.includes('\\u') && /\\u[dD][89a-fA-F]/.test(text)
    ? text.replace(ESCAPE, (escape) => (escape.length === HALF_LENGTH ? '\\ufffd' : escape))
    : text;

function parseText(text: string, { maxDepth = MAX_DEPTH }: JsonOptions): unknown {
  checkDepth(text, maxDepth);
  try {
    return readJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // V8 quotes the source in its message: a body may hold a secret.
    throw new JsonSyntaxError('syntax', jsonFault(text));
  }
}

/** Brackets outside strings are counted before parsing; a text too short to nest so deep is not looked at. */
function checkDepth(text: string, maxDepth: number): void {
  if (text.length <= maxDepth * 2) return;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth += 1;
      if (depth > maxDepth) {
        throw new JsonSyntaxError('depth', `invalid JSON: nested deeper than ${maxDepth} levels`);
      }
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
  }
}

const NONE: readonly string[] = [];

/**
 * Whether a text says nothing besides its value, as most do: all numbers of it are integers of 64 bits, written as such, and
 * its value has as many members as the text has, so that none stood there twice.
 */
function isPlain(text: string, value: unknown): boolean {
  let members = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COLON) members += 1;
    else if (code === POINT || ((code === LOWER_E || code === UPPER_E) && isExponent(text, at))) return false;
  }
  return members === membersOf(value);
}

/** Of all objects in it; not a number where one in it was rounded. */
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
        if (level.keys.has(level.at) && duplicates.size < MAX_DUPLICATES) duplicates.add(pathOf(levels));
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
        (floats ??= new Map()).set(pathOf(levels), number);
      at += number.length - 1;
    }
  }
  return { duplicates: [...duplicates], floats };
}

/** `true` and `false` have the letter, too. */
const isExponent = (text: string, at: number): boolean => /\d/.test(text.charAt(at - 1));

function unquote(text: string, from: number, end: number): string {
  const raw = text.slice(from + 1, end);
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
}

const pathOf = (levels: readonly Level[]): string => formatPath(levels.map((level) => level.at));

/** `['spec', 'containers', 0, 'name']` as `spec.containers[0].name`. */
export const formatPath = (segments: readonly (string | number)[]): string =>
  segments
    .map((segment, index) =>
      typeof segment === 'number' ? `[${segment}]` : index === 0 ? segment : `.${segment}`,
    )
    .join('');
