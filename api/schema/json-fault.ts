import { goQuote } from '../status/go-quote.ts';

/** State of the JSON reader, named by the token that it expects next. */
type State =
  'value' | 'value or ]' | 'key' | 'key or }' | 'after key' | 'after pair' | 'after element' | 'after all';

const LOOKING_FOR: { readonly [S in State]: string } = {
  value: 'looking for beginning of value',
  'value or ]': 'looking for beginning of value',
  key: 'looking for beginning of object key string',
  'key or }': 'looking for beginning of object key string',
  'after key': 'after object key',
  'after pair': 'after object key:value pair',
  'after element': 'after array element',
  'after all': 'after top-level value',
};

const END = 'unexpected end of JSON input';
const LITERALS: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };

/** Error that ends the reading and carries the message to return. */
class Fault extends Error {}

/**
 * Returns the reason why a text is not JSON, in the words of Go's reader: `invalid character 'b' looking for
 * beginning of value`. The message quotes at most one character, because a request body may hold a secret.
 * `JSON.parse` must have rejected the text.
 */
export function jsonFault(text: string): string {
  try {
    read(text);
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown.message;
    throw thrown;
  }
  return END;
}

function read(text: string): void {
  /** Expected state after the closing bracket of each open list or object, the outermost first. */
  const open: ('after element' | 'after pair')[] = [];
  let state: State = 'value';
  let at = 0;
  const ended = (): State => open.at(-1) ?? 'after all';
  while (at < text.length) {
    const character = text[at] ?? '';
    if (character === ' ' || character === '\n' || character === '\r' || character === '\t') at += 1;
    else if (state === 'after key') {
      if (character !== ':') throw wrong(text, at, LOOKING_FOR[state]);
      state = 'value';
      at += 1;
    } else if (state === 'after pair' || state === 'after element') {
      if (character === ',') state = state === 'after pair' ? 'key' : 'value';
      else if (character === (state === 'after pair' ? '}' : ']')) {
        open.pop();
        state = ended();
      } else throw wrong(text, at, LOOKING_FOR[state]);
      at += 1;
    } else if (character === (state === 'key or }' ? '}' : state === 'value or ]' ? ']' : '')) {
      open.pop();
      state = ended();
      at += 1;
    } else if (state === 'key' || state === 'key or }') {
      if (character !== '"') throw wrong(text, at, LOOKING_FOR[state]);
      at = endOfString(text, at);
      state = 'after key';
    } else if (state === 'value' || state === 'value or ]') {
      if (character === '{' || character === '[') {
        open.push(character === '{' ? 'after pair' : 'after element');
        state = character === '{' ? 'key or }' : 'value or ]';
        at += 1;
      } else {
        at = endOfScalar(text, at);
        state = ended();
      }
    } else throw wrong(text, at, LOOKING_FOR[state]);
  }
}

function endOfScalar(text: string, from: number): number {
  const first = text[from] ?? '';
  if (first === '"') return endOfString(text, from);
  if (first === '-' || isDigit(first)) return endOfNumber(text, from);
  const literal = Object.hasOwn(LITERALS, first) ? LITERALS[first] : undefined;
  if (literal === undefined) throw wrong(text, from, LOOKING_FOR.value);
  for (let at = 1; at < literal.length; at += 1) {
    if (text[from + at] === literal[at]) continue;
    throw wrong(text, from + at, `in literal ${literal} (expecting '${literal[at] ?? ''}')`);
  }
  return from + literal.length;
}

function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character === '"') return at + 1;
    if (character < ' ') throw wrong(text, at, 'in string literal');
    if (character !== '\\') continue;
    at += 1;
    if (text[at] === 'u') {
      for (const end = at + 4; at < end; at += 1)
        if (!isHexDigit(text[at + 1])) throw wrong(text, at + 1, 'in \\u hexadecimal character escape');
    } else if (!'bfnrt\\/"'.includes(text[at] ?? ' ')) throw wrong(text, at, 'in string escape code');
  }
  throw new Fault(END);
}

function endOfNumber(text: string, from: number): number {
  let at = text[from] === '-' ? from + 1 : from;
  if (!isDigit(text[at])) throw wrong(text, at, 'in numeric literal');
  at = text[at] === '0' ? at + 1 : endOfDigits(text, at);
  if (text[at] === '.') {
    if (!isDigit(text[at + 1])) throw wrong(text, at + 1, 'after decimal point in numeric literal');
    at = endOfDigits(text, at + 1);
  }
  if (text[at] === 'e' || text[at] === 'E') {
    at += text[at + 1] === '+' || text[at + 1] === '-' ? 2 : 1;
    if (!isDigit(text[at])) throw wrong(text, at, 'in exponent of numeric literal');
    at = endOfDigits(text, at);
  }
  return at;
}

function endOfDigits(text: string, from: number): number {
  let at = from;
  while (isDigit(text[at])) at += 1;
  return at;
}

const isDigit = (character: string | undefined): boolean =>
  character !== undefined && character >= '0' && character <= '9';

const isHexDigit = (character: string | undefined): boolean =>
  isDigit(character) ||
  (character !== undefined &&
    ((character >= 'a' && character <= 'f') || (character >= 'A' && character <= 'F')));

function wrong(text: string, at: number, where: string): Fault {
  const character = text[at];
  return new Fault(character === undefined ? END : `invalid character ${quoted(character)} ${where}`);
}

/** Quotes one character. Go reads bytes, and prints the first of a character's bytes as Latin-1. */
function quoted(character: string): string {
  if (character === "'") return String.raw`'\''`;
  if (character === '"') return `'"'`;
  const [byte = 0] = Buffer.from(character);
  return `'${goQuote(String.fromCharCode(byte)).slice(1, -1)}'`;
}
