import {
  type LabelOperator,
  type LabelRequirement,
  LabelSelectorError,
  defineRequirement,
  keyMessages,
} from './label-requirement.ts';

/**
 * Kind of a token. A `word` is a key, a value, `in` or `notin`; all other kinds are the symbols themselves.
 */
type TokenKind = 'word' | 'end' | '(' | ')' | ',' | '!' | '=' | '==' | '!=' | '<' | '>';

interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** Offset of the first character after the token. */
  readonly end: number;
}

const SYMBOLS: ReadonlySet<string> = new Set(['(', ')', ',', '!', '=', '==', '!=', '<', '>']);
const isSymbol = (text: string): text is Exclude<TokenKind, 'word' | 'end'> => SYMBOLS.has(text);

/** Parses a string in the grammar of `labels.Parse` of release 1.24. Throws `LabelSelectorError`. */
export function parseRequirements(text: string): LabelRequirement[] {
  const tokens = createTokens(text);
  const requirements: LabelRequirement[] = [];
  for (;;) {
    const { kind, text: found } = tokens.peek();
    if (kind === 'end') return requirements;
    if (kind !== 'word' && kind !== '!')
      fail(`found '${found}', expected: !, identifier, or 'end of string'`);
    requirements.push(parseRequirement(tokens));
    const after = tokens.next();
    if (after.kind === 'end') return requirements;
    if (after.kind !== ',') fail(`found '${after.text}', expected: ',' or 'end of string'`);
    const { kind: following, text: met } = tokens.peek();
    if (following !== 'word' && following !== '!') fail(`found '${met}', expected: identifier after ','`);
  }
}

function fail(message: string): never {
  throw new LabelSelectorError(message);
}

interface Tokens {
  peek(): Token;
  next(): Token;
}

function createTokens(text: string): Tokens {
  let at = 0;
  let ahead: Token | undefined;
  const read = (): Token => {
    const token = tokenAt(text, at);
    at = token.end;
    return token;
  };
  return {
    peek: () => (ahead ??= read()),
    next: () => {
      const token = ahead ?? read();
      ahead = undefined;
      return token;
    },
  };
}

const BLANK = /[ \t\r\n]*/y;
const WORD = /[^=!(),<> \t\r\n\0]+/y;

function tokenAt(text: string, from: number): Token {
  BLANK.lastIndex = from;
  BLANK.test(text);
  const start = BLANK.lastIndex;
  WORD.lastIndex = start;
  const word = WORD.exec(text)?.[0];
  if (word !== undefined) return { kind: 'word', text: word, end: start + word.length };
  const symbol = [text.slice(start, start + 2), text.slice(start, start + 1)].find(isSymbol);
  return symbol === undefined
    ? { kind: 'end', text: '', end: text.length }
    : { kind: symbol, text: symbol, end: start + symbol.length };
}

function parseRequirement(tokens: Tokens): LabelRequirement {
  try {
    return readRequirement(tokens);
  } catch (error) {
    if (!(error instanceof LabelSelectorError)) throw error;
    throw new LabelSelectorError(`unable to parse requirement: ${error.message}`);
  }
}

function readRequirement(tokens: Tokens): LabelRequirement {
  let token = tokens.next();
  const negated = token.kind === '!';
  if (negated) token = tokens.next();
  if (token.kind !== 'word') fail(`found '${token.text}', expected: identifier`);
  const key = token.text;
  const [refusal] = keyMessages(key, '<nil>');
  if (refusal !== undefined) fail(refusal);
  if (negated) return defineRequirement(key, '!', []);
  const { kind } = tokens.peek();
  if (kind === 'end' || kind === ',') return defineRequirement(key, 'exists', []);
  const operator = readOperator(tokens);
  const values = operator === 'in' || operator === 'notin' ? readValues(tokens) : readExactValue(tokens);
  return defineRequirement(key, operator, [...values].sort());
}

function readOperator(tokens: Tokens): LabelOperator {
  const { kind, text } = tokens.next();
  if (kind === '>') return 'gt';
  if (kind === '<') return 'lt';
  if (kind === '=' || kind === '==' || kind === '!=') return kind;
  if (kind === 'word' && (text === 'in' || text === 'notin')) return text;
  return fail(`found '${text}', expected: in, notin, =, ==, !=, gt, lt`);
}

/** Reads a set in parentheses. The set `()` contains the empty string. */
function readValues(tokens: Tokens): Set<string> {
  const opening = tokens.next();
  if (opening.kind !== '(') fail(`found '${opening.text}' expected: '('`);
  const { kind, text } = tokens.peek();
  if (kind === ')') {
    tokens.next();
    return new Set(['']);
  }
  if (kind !== 'word' && kind !== ',') fail(`found '${text}', expected: ',', ')' or identifier`);
  const values = readList(tokens);
  if (tokens.next().kind !== ')') fail(`found '${text}', expected: ')'`);
  return values;
}

/** Reads comma-separated values, which may be empty. Stops before any other token. */
function readList(tokens: Tokens): Set<string> {
  const values = new Set<string>();
  for (;;) {
    const { kind, text } = tokens.next();
    if (kind === 'word') {
      values.add(text);
      const { kind: following, text: met } = tokens.peek();
      if (following === ')') return values;
      if (following !== ',') fail(`found '${met}', expected: ',' or ')'`);
    } else if (kind === ',') {
      if (values.size === 0) values.add('');
      const following = tokens.peek().kind;
      if (following === ')' || following === ',') values.add('');
      if (following === ')') return values;
      if (following === ',') tokens.next();
    } else fail(`found '${text}', expected: ',', or identifier`);
  }
}

function readExactValue(tokens: Tokens): Set<string> {
  const { kind } = tokens.peek();
  if (kind === 'end' || kind === ',') return new Set(['']);
  const { kind: found, text } = tokens.next();
  if (found !== 'word') fail(`found '${text}', expected: identifier`);
  return new Set([text]);
}
