import { END, YamlCursor, isBlank, isBreak, isBreakOrEnd, isHex, isSpaceOrEnd, isWord } from './cursor.ts';
import { skipBlockScalar, skipPlainScalar, skipQuotedScalar } from './scalars.ts';

/** Type of a token. */
export type TokenType =
  | 'stream-end'
  | 'directive'
  | 'document-start'
  | 'document-end'
  | 'sequence-start'
  | 'mapping-start'
  | 'block-end'
  | '['
  | ']'
  | '{'
  | '}'
  | ','
  | '-'
  | '?'
  | ':'
  | 'alias'
  | 'anchor'
  | 'tag'
  | 'scalar';

/** A token with its type and zero-based line. */
export interface Token {
  readonly type: TokenType;
  readonly line: number;
  /** Name of an anchor or alias, or handle of a tag or `%TAG` directive. */
  readonly name?: string;
}

/** A position at which a key may start. */
interface Key {
  readonly required: boolean;
  readonly number: number;
  readonly line: number;
  readonly column: number;
  readonly index: number;
}

/** Characters that cannot start a plain scalar. */
const INDICATORS = '-?:,[]{}#&*!|>\'"%@`';
const URI = ";/?:@&=+$,.!~*'()[]%";
/** Maximum length of a key on one line. */
const MAX_KEY = 1024;
const MAX_DEPTH = 10_000;

/**
 * Tokenizer of YAML 1.1 that follows libyaml and Go's port of it
 * (https://github.com/yaml/libyaml/blob/0.2.5/src/scanner.c), so that errors have the same message and line.
 * Tokens have a type and a line, but no values. Throws `YamlComplaint`.
 */
export class YamlScanner {
  readonly #cursor: YamlCursor;
  readonly #tokens: Token[] = [];
  #taken = 0;
  #indent = -1;
  readonly #indents: number[] = [];
  #keyAllowed = true;
  /** Possible key of each open flow collection. The first item is the possible key of the enclosing block. */
  readonly #keys: (Key | undefined)[] = [undefined];
  readonly #keysByToken = new Map<number, Key>();

  constructor(text: string) {
    this.#cursor = new YamlCursor(text);
  }

  /** Returns the next token without consuming it. */
  peek(): Token {
    for (;;) {
      const [first] = this.#tokens;
      if (first && !this.#mayBeKey()) return first;
      this.#fetch();
    }
  }

  /** Number of consumed tokens and lines. */
  get size(): number {
    return this.#taken + this.#cursor.line;
  }

  skip(): void {
    this.#tokens.shift();
    this.#taken += 1;
  }

  /** True if the next token may be the start of a key. */
  #mayBeKey(): boolean {
    const key = this.#keysByToken.get(this.#taken);
    return key !== undefined && this.#isValid(key);
  }

  #isValid(key: Key): boolean {
    if (key.line === this.#cursor.line && key.index + MAX_KEY >= this.#cursor.index) return true;
    if (key.required) this.#cursor.complain("could not find expected ':'");
    return false;
  }

  get #inFlow(): boolean {
    return this.#keys.length > 1;
  }

  #push(type: TokenType): void {
    this.#tokens.push({ type, line: this.#cursor.line });
  }

  #fetch(): void {
    this.#skipToToken();
    this.#unroll(this.#cursor.column);
    const char = this.#cursor.at();
    if (char === END) return this.#fetchEnd();
    if (this.#cursor.column === 0 && char === '%') return this.#fetchDirective();
    if (this.#cursor.isDocumentMark) return this.#fetchDocument();
    const blankFollows = isSpaceOrEnd(this.#cursor.at(1));
    if (char === '[' || char === '{') return this.#fetchFlowStart(char);
    if (char === ']' || char === '}') return this.#fetchFlowEnd(char);
    if (char === ',') return this.#fetchComma();
    if (char === '-' && blankFollows) return this.#fetchEntry();
    if (char === '?' && (this.#inFlow || blankFollows)) return this.#fetchKey();
    if (char === ':' && (this.#inFlow || blankFollows)) return this.#fetchValue();
    if (char === '*' || char === '&') return this.#fetchAnchor(char === '*' ? 'alias' : 'anchor');
    if (char === '!') return this.#fetchTag();
    if ((char === '|' || char === '>') && !this.#inFlow) return this.#fetchBlockScalar();
    if (char === "'" || char === '"') return this.#fetchQuoted();
    if (this.#beginsPlain(char)) return this.#fetchPlain();
    this.#cursor.complain('found character that cannot start any token');
  }

  #beginsPlain(char: string): boolean {
    if (!isSpaceOrEnd(char) && !INDICATORS.includes(char)) return true;
    if (char === '-') return !isBlank(this.#cursor.at(1));
    return !this.#inFlow && (char === '?' || char === ':') && !isSpaceOrEnd(this.#cursor.at(1));
  }

  #skipToToken(): void {
    for (;;) {
      const tabs = this.#inFlow || !this.#keyAllowed;
      while (this.#cursor.at() === ' ' || (tabs && this.#cursor.at() === '\t')) this.#cursor.advance();
      if (this.#cursor.at() === '#') this.#cursor.skipWhile((char) => !isBreakOrEnd(char));
      if (!isBreak(this.#cursor.at())) return;
      this.#cursor.breakLine();
      if (!this.#inFlow) this.#keyAllowed = true;
    }
  }

  #saveKey(): void {
    if (!this.#keyAllowed) return;
    this.#forgetKey();
    const key = {
      required: !this.#inFlow && this.#indent === this.#cursor.column,
      number: this.#taken + this.#tokens.length,
      line: this.#cursor.line,
      column: this.#cursor.column,
      index: this.#cursor.index,
    };
    this.#keys[this.#keys.length - 1] = key;
    this.#keysByToken.set(key.number, key);
  }

  #forgetKey(): void {
    if (this.#keys.at(-1)?.required) this.#cursor.complain("could not find expected ':'");
    this.#dropKey();
  }

  #dropKey(): void {
    const key = this.#keys.at(-1);
    if (key) this.#keysByToken.delete(key.number);
    this.#keys[this.#keys.length - 1] = undefined;
  }

  /** Opens a block collection if the column is deeper than the indentation of the current collection. */
  #roll(column: number, type: TokenType, place: { readonly number?: number; readonly line: number }): void {
    if (this.#inFlow || this.#indent >= column) return;
    this.#indents.push(this.#indent);
    if (this.#indents.length > MAX_DEPTH) this.#cursor.complain(`exceeded max depth of ${MAX_DEPTH}`);
    this.#indent = column;
    const at = place.number === undefined ? this.#tokens.length : place.number - this.#taken;
    this.#tokens.splice(at, 0, { type, line: place.line });
  }

  #unroll(column: number): void {
    if (this.#inFlow) return;
    while (this.#indent > column) {
      this.#push('block-end');
      this.#indent = this.#indents.pop() ?? -1;
    }
  }

  #fetchEnd(): void {
    if (this.#cursor.column !== 0) {
      this.#cursor.column = 0;
      this.#cursor.line += 1;
    }
    this.#unroll(-1);
    this.#forgetKey();
    this.#keyAllowed = false;
    this.#push('stream-end');
  }

  #fetchDirective(): void {
    this.#unroll(-1);
    this.#forgetKey();
    this.#keyAllowed = false;
    const begin = this.#cursor.ahead(MAX_KEY).slice(1);
    const name = /^[\w-]*/.exec(begin)?.[0] ?? '';
    if (name === '') this.#cursor.complain('could not find expected directive name');
    if (!isSpaceOrEnd(begin.charAt(name.length)))
      this.#cursor.complain('found unexpected non-alphabetical character');
    if (name !== 'YAML' && name !== 'TAG') this.#cursor.complain('found unknown directive name');
    const handle = /^TAG[ \t]+(![\w-]*!)/.exec(begin)?.[1];
    this.#tokens.push({
      type: 'directive',
      line: this.#cursor.line,
      ...(handle === undefined ? {} : { name: handle }),
    });
    this.#cursor.skipWhile((char) => !isBreakOrEnd(char));
  }

  #fetchDocument(): void {
    this.#unroll(-1);
    this.#forgetKey();
    this.#keyAllowed = false;
    this.#push(this.#cursor.at() === '-' ? 'document-start' : 'document-end');
    this.#cursor.advance(3);
  }

  #fetchFlowStart(char: '[' | '{'): void {
    this.#saveKey();
    this.#keys.push(undefined);
    if (this.#keys.length > MAX_DEPTH + 1) this.#cursor.complain(`exceeded max depth of ${MAX_DEPTH}`);
    this.#keyAllowed = true;
    this.#push(char);
    this.#cursor.advance();
  }

  #fetchFlowEnd(char: ']' | '}'): void {
    this.#forgetKey();
    if (this.#inFlow) this.#keys.pop();
    this.#keyAllowed = false;
    this.#push(char);
    this.#cursor.advance();
  }

  #fetchComma(): void {
    this.#forgetKey();
    this.#keyAllowed = true;
    this.#push(',');
    this.#cursor.advance();
  }

  #fetchEntry(): void {
    if (!this.#inFlow) {
      if (!this.#keyAllowed) this.#cursor.complain('block sequence entries are not allowed in this context');
      this.#roll(this.#cursor.column, 'sequence-start', { line: this.#cursor.line });
    }
    this.#forgetKey();
    this.#keyAllowed = true;
    this.#push('-');
    this.#cursor.advance();
  }

  #fetchKey(): void {
    if (!this.#inFlow) {
      if (!this.#keyAllowed) this.#cursor.complain('mapping keys are not allowed in this context');
      this.#roll(this.#cursor.column, 'mapping-start', { line: this.#cursor.line });
    }
    this.#forgetKey();
    this.#keyAllowed = !this.#inFlow;
    this.#push('?');
    this.#cursor.advance();
  }

  #fetchValue(): void {
    const key = this.#keys.at(-1);
    if (key && this.#isValid(key)) {
      this.#tokens.splice(key.number - this.#taken, 0, { type: '?', line: key.line });
      this.#roll(key.column, 'mapping-start', key);
      this.#dropKey();
      this.#keyAllowed = false;
    } else {
      if (!this.#inFlow) {
        if (!this.#keyAllowed) this.#cursor.complain('mapping values are not allowed in this context');
        this.#roll(this.#cursor.column, 'mapping-start', { line: this.#cursor.line });
      }
      this.#keyAllowed = !this.#inFlow;
    }
    this.#push(':');
    this.#cursor.advance();
  }

  #fetchAnchor(type: 'alias' | 'anchor'): void {
    this.#saveKey();
    this.#keyAllowed = false;
    this.#cursor.advance();
    const begin = this.#cursor.index;
    this.#cursor.skipWhile(isWord);
    this.#tokens.push({ type, line: this.#cursor.line, name: this.#cursor.since(begin) });
    const ends = isSpaceOrEnd(this.#cursor.at()) || '?:,]}%@`'.includes(this.#cursor.at());
    if (this.#cursor.index === begin || !ends)
      this.#cursor.complain('did not find expected alphabetic or numeric character');
  }

  #fetchTag(): void {
    this.#saveKey();
    this.#keyAllowed = false;
    if (this.#cursor.at(1) === '<') {
      this.#push('tag');
      this.#cursor.advance(2);
      this.#scanUri(false);
      if (this.#cursor.at() !== '>') this.#cursor.complain("did not find the expected '>'");
      this.#cursor.advance();
    } else {
      const handle = /^!([\w-]*!)?/.exec(this.#cursor.ahead(MAX_KEY))?.[0] ?? '!';
      this.#cursor.advance(handle.length);
      this.#scanUri(handle.length === 1);
      this.#tokens.push({ type: 'tag', line: this.#cursor.line, name: handle });
    }
    if (!isSpaceOrEnd(this.#cursor.at()))
      this.#cursor.complain('did not find expected whitespace or line break');
  }

  #scanUri(mayBeEmpty: boolean): void {
    const begin = this.#cursor.index;
    while (isWord(this.#cursor.at()) || (this.#cursor.at() !== END && URI.includes(this.#cursor.at()))) {
      if (this.#cursor.at() === '%' && !(isHex(this.#cursor.at(1)) && isHex(this.#cursor.at(2))))
        this.#cursor.complain('did not find URI escaped octet');
      this.#cursor.advance();
    }
    if (this.#cursor.index === begin && !mayBeEmpty) this.#cursor.complain('did not find expected tag URI');
  }

  #fetchBlockScalar(): void {
    this.#forgetKey();
    this.#keyAllowed = true;
    this.#push('scalar');
    skipBlockScalar(this.#cursor, this.#indent);
  }

  #fetchQuoted(): void {
    this.#saveKey();
    this.#keyAllowed = false;
    this.#push('scalar');
    skipQuotedScalar(this.#cursor);
  }

  #fetchPlain(): void {
    this.#saveKey();
    this.#push('scalar');
    this.#keyAllowed = skipPlainScalar(this.#cursor, this.#indent, this.#inFlow);
  }
}
