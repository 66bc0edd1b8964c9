import { int64Of } from '../schema/exact-json.ts';
import { type Bound, GoNumber, type JsonPath, type JsonPathList, type JsonPathNode } from './json-path.ts';

const MAX_LENGTH = 4_096;

/** Parses a path. Returns undefined for a string that client-go cannot parse. */
export function parseJsonPath(text: string): JsonPath | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  try {
    return new Parser(`{${text}}`).actions();
  } catch (thrown) {
    if (thrown instanceof JsonPathSyntax) return undefined;
    throw thrown;
  }
}

/**
 * Parses a template, as `kubectl -o jsonpath` does. Throws `JsonPathSyntax` with the reason of client-go.
 */
export const parseJsonPathTemplate = (text: string): JsonPath => new Parser(text).actions();

/** Error of a text that client-go cannot parse. */
export class JsonPathSyntax extends Error {}

/** Returns the actions in the first braces. Text after the first braces must be valid, but is ignored. */
function parseAction(text: string): JsonPathList {
  const [first = []] = new Parser(`{${text}}`).actions();
  return first;
}

const IDENTIFIER_START = /^[_\p{L}\p{Nd}]/u;
const TERMINATOR = /[ \t\r\n.,[\]$@{}]/;
const DICT_KEY = /^'([^']*)'$/;
const SLICE = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/;
const COMPARISON = /^([^!<>=]+)([!<>=]+)([^\n]+)$/;
const NUMBER = /^[+-]?[\p{Nd}.]*/u;

class Parser {
  readonly #input: string;
  #at = 0;

  constructor(input: string) {
    this.#input = input;
  }

  actions(): JsonPath {
    const lists: JsonPathList[] = [];
    while (this.#at < this.#input.length) {
      const open = this.#input.indexOf('{', this.#at);
      const text = this.#input.slice(this.#at, open < 0 ? undefined : open);
      if (text !== '') lists.push([{ node: 'literal', value: text }]);
      if (open < 0) break;
      this.#at = open + 1;
      lists.push(this.#action());
    }
    return lists;
  }

  /** Parses an action up to and including its closing brace. */
  #action(): JsonPathList {
    const nodes: JsonPathNode[] = [];
    for (;;) {
      if (this.#takes('}')) return nodes;
      if (this.#takes('[?(')) nodes.push(this.#filter());
      else if (this.#takes('..')) this.#recursive(nodes);
      else if (this.#takes('[')) nodes.push(...arrayNodes(this.#until(']')));
      else if (this.#takes('.')) nodes.push(this.#field());
      else if (!this.#takes(' ') && !this.#takes('@') && !this.#takes('$')) nodes.push(this.#literal());
    }
  }

  #recursive(nodes: JsonPathNode[]): void {
    if (nodes.at(-1)?.node === 'recursive') throw new JsonPathSyntax('invalid multiple recursive descent');
    nodes.push({ node: 'recursive' });
    if (IDENTIFIER_START.test(this.#rest())) nodes.push(this.#field());
  }

  #literal(): JsonPathNode {
    const rest = this.#rest();
    if (this.#takes('"') || this.#takes("'")) return { node: 'literal', value: this.#quoted(rest.charAt(0)) };
    if (/^[+\-\p{Nd}]/u.test(rest)) {
      const text = NUMBER.exec(rest)?.[0] ?? '';
      this.#at += text.length;
      return { node: 'literal', value: numberOf(text) };
    }
    if (rest === '') throw new JsonPathSyntax('unclosed action');
    if (!IDENTIFIER_START.test(rest))
      throw new JsonPathSyntax(`unrecognized character in action: ${goCharacter(rest)}`);
    const word = this.#while((character) => !TERMINATOR.test(character));
    return word === 'true' || word === 'false'
      ? { node: 'literal', value: word === 'true' }
      : { node: 'identifier', name: word };
  }

  #field(): JsonPathNode {
    let escapes = false;
    const name = this.#while((character) => {
      const ends = !escapes && TERMINATOR.test(character);
      escapes = !escapes && character === '\\';
      return !ends;
    });
    return name === '*' ? { node: 'wildcard' } : { node: 'field', name: name.replaceAll('\\', '') };
  }

  /** Returns the string in quotes. The opening quote has already been consumed. */
  #quoted(quote: string): string {
    const from = this.#at;
    for (;;) {
      this.#until(quote);
      if (this.#input[this.#at - 2] !== '\\') return unescaped(this.#input.slice(from, this.#at - 1), quote);
    }
  }

  #filter(): JsonPathNode {
    const text = this.#filterText();
    const [, left, operator, right] = COMPARISON.exec(text) ?? [];
    if (left === undefined || operator === undefined || right === undefined)
      return { node: 'filter', left: parseAction(text), right: [], operator: 'exists' };
    return { node: 'filter', left: parseAction(left), right: parseAction(right), operator };
  }

  /**
   * Returns the text of a filter. It ends at the first `)` outside of quotes, or after the first pair of
   * quotes. `]` must follow.
   */
  #filterText(): string {
    const from = this.#at;
    let pair: string | undefined;
    let ended = false;
    for (;;) {
      const character = this.#input[this.#at];
      if (character === undefined || character === '\n') throw new JsonPathSyntax('unterminated filter');
      this.#at += 1;
      if (character === '"' || character === "'") {
        if (pair === undefined) pair = character;
        else if (this.#input[this.#at - 2] !== '\\' && character === pair) ended = true;
      } else if (character === ')' && (pair !== undefined) === ended) break;
    }
    const text = this.#input.slice(from, this.#at - 1);
    if (!this.#takes(']')) throw new JsonPathSyntax('unclosed array expect ]');
    return text;
  }

  #rest(): string {
    return this.#input.slice(this.#at);
  }

  #takes(text: string): boolean {
    if (!this.#input.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  /** Returns the text before `end`. Consumes this text and `end`. */
  #until(end: string): string {
    const from = this.#at;
    const to = this.#input.indexOf(end, from);
    const text = this.#input.slice(from, to);
    if (to < 0 || text.includes('\n'))
      throw new JsonPathSyntax(end === ']' ? 'unterminated array' : 'unterminated quoted string');
    this.#at = to + end.length;
    return text;
  }

  #while(accepts: (character: string) => boolean): string {
    const from = this.#at;
    while (this.#at < this.#input.length && accepts(this.#input.charAt(this.#at))) this.#at += 1;
    return this.#input.slice(from, this.#at);
  }
}

/** Formats the first character of a text as Go's `%#U` does. */
function goCharacter(text: string): string {
  const code = text.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')} '${String.fromCodePoint(code)}'`;
}

function arrayNodes(inside: string): JsonPathList {
  const parts = inside.split(',');
  if (parts.length > 1)
    return [{ node: 'union', lists: parts.map((part) => parseAction(`[${trimmed(part)}]`)) }];
  const [, name] = DICT_KEY.exec(inside) ?? [];
  if (name !== undefined) return parseAction(`.${name}`);
  const slice = SLICE.exec(inside === '*' ? ':' : inside);
  if (slice === null) throw new JsonPathSyntax(`invalid array index ${inside}`);
  const [, from = '', to, step] = slice;
  return [{ node: 'array', from: indexOf(from), to: boundOf(to), step: indexOf(step?.slice(1) ?? '') }];
}

const trimmed = (text: string): string => text.replace(/^ +| +$/g, '');

const boundOf = (text: string | undefined): Bound => (text === undefined ? 'one' : indexOf(text.slice(1)));

/**
 * Parses an index; undefined if it is omitted. Go's `Atoi` reads 64 bits, but no list is so long that a
 * double would be inexact.
 */
function indexOf(text: string): number | undefined {
  if (text === '') return undefined;
  const index = text === '-' ? undefined : int64Of(text);
  if (index === undefined) throw new JsonPathSyntax(`invalid array index ${text}`);
  return Number(index);
}

function numberOf(text: string): GoNumber {
  if (/^[+-]?\d+$/.test(text)) {
    const integer = int64Of(text.replace('+', ''));
    return integer === undefined ? new GoNumber('float', Number(text)) : new GoNumber('int', integer);
  }
  if (!/^[+-]?(?:\d+\.\d*|\.\d+)$/.test(text)) throw new JsonPathSyntax(`cannot parse number ${text}`);
  return new GoNumber('float', Number(text));
}

const SIMPLE_ESCAPES: { readonly [letter: string]: string } = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};

/** Unescapes the text between quotes like `strconv.UnquoteChar`. */
function unescaped(text: string, quote: string): string {
  return text.replace(ESCAPE, (...found) => {
    const [whole, hex, unicode, octal, letter] = found as (string | undefined)[];
    // Like in client-go, a quote after an escaped backslash does not end the string. It is not escaped
    // either, so Go's unquoting rejects it.
    if (whole === '"' || whole === "'") return whole === quote ? refused() : whole;
    const code = hex ?? unicode;
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
    if (letter === quote) return quote;
    const simple = letter === undefined ? undefined : SIMPLE_ESCAPES[letter];
    return simple ?? refused();
  });
}

const ESCAPE = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|([0-7]{3})|([^])|$)|['"]/g;

function refused(): never {
  throw new JsonPathSyntax('invalid quoted string');
}
