import { type JsonObject, setOwn } from '../../api/schema/own.ts';

/** The text is not, or not only, what this reader knows. It may still be YAML. */
export const NOT_PLAIN = Symbol('not plain');

/** What a plain scalar means: a text, a number, a truth value or null. */
export type ScalarMeaning = (text: string) => unknown;

/** Line ends and characters that only the whole grammar has rules for; tabs are looked at where they stand. */
// eslint-disable-next-line no-control-regex
const RARE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]|^(?:---|\.\.\.|%)/m;
const KEY = /^([A-Za-z_/][\w./-]*|"[^"\\\t]*"|'[^'\t]*'):(?: +|$)/;
const HASH = 0x23;
const TAB = 0x09;
const DOUBLE = 0x22;
const SINGLE = 0x27;
const BRACE = 0x7b;
const BRACKET = 0x5b;
/** A key on one line is no longer than this. */
const MAX_KEY = 1_000;
const MAX_DEPTH = 100;
/** The escapes that YAML 1.1 and JSON have in common. */
const DOUBLE_QUOTED =
  /"(?:[^"\\\t\n]|\\(?:["\\bfnrt]|u(?:[0-9a-ce-fA-CE-F][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2})))*"/y;
const SINGLE_QUOTED = /'(?:[^'\t\n]|'')*'/y;
const FLOW_PLAIN = /[A-Za-z0-9_./+-][\w./+=@-]*(?=[ \n,\]}])/y;
const FLOW_KEY = /(?:[A-Za-z_/][\w./-]*:[ \n]|"[^"\\\t\n]*":)/y;
const SPACES = /[ \n]*/y;
/** What may stand behind a value. */
const NOTHING_MORE = /^(?: *| +#.*)$/;
const LITERAL = /^\|([-+]?)$/;

/**
 * Reads YAML as people and programs mostly write it, line by line, several times as fast as a reader of the whole grammar:
 * block collections, flow collections on one line, scalars on one line, literals. It knows nothing of anchors, tags,
 * documents, folding and keys given twice. Whatever it is not sure of is `NOT_PLAIN`: what it reads, the whole grammar reads the same way.
 */
export function readPlainYaml(text: string, meaning: ScalarMeaning): unknown {
  if (RARE.test(text)) return NOT_PLAIN;
  if (text.charCodeAt(0) !== BRACE) return new PlainReader(text, meaning).read();
  // JSON, above all, which is flow collections over any number of lines.
  const flow = new FlowReader(text, meaning);
  const value = flow.value(0);
  return flow.isAtEnd ? value : NOT_PLAIN;
}

class PlainReader {
  readonly #lines: readonly string[];
  readonly #meaning: ScalarMeaning;
  #depth = 0;
  /** The line after the one that is read. */
  #after = 0;
  /** Of what is left of the line; -1 behind the last. */
  #indent = 0;
  #text = '';

  constructor(text: string, meaning: ScalarMeaning) {
    this.#lines = text.split('\n');
    this.#meaning = meaning;
  }

  read(): unknown {
    this.#advance();
    const value = this.#isCollection() ? this.#node() : NOT_PLAIN;
    return this.#indent === -1 ? value : NOT_PLAIN;
  }

  /** Goes to the next line that is neither empty nor a comment. */
  #advance(): void {
    for (;;) {
      const line = this.#lines[this.#after];
      if (line === undefined) {
        this.#indent = -1;
        this.#text = '';
        return;
      }
      this.#after += 1;
      const indent = indentOf(line);
      if (indent === line.length || line.charCodeAt(indent) === HASH) continue;
      this.#indent = indent;
      this.#text = withoutEnd(line.slice(indent), ' ');
      return;
    }
  }

  #isCollection(): boolean {
    return isEntry(this.#text) || KEY.test(this.#text);
  }

  /** The collection that begins here. */
  #node(): unknown {
    if (this.#depth >= MAX_DEPTH) return NOT_PLAIN;
    this.#depth += 1;
    const value = isEntry(this.#text) ? this.#sequence(this.#indent, false) : this.#mapping(this.#indent);
    this.#depth -= 1;
    return value;
  }

  #mapping(indent: number): unknown {
    const object: JsonObject = {};
    while (this.#indent === indent) {
      const found = KEY.exec(this.#text);
      if (found === null) return NOT_PLAIN;
      const [matched, written = ''] = found;
      const key = this.#key(written);
      if (key === undefined || Object.hasOwn(object, key)) return NOT_PLAIN;
      const rest = this.#text.slice(matched.length);
      const value =
        rest === '' || rest.charCodeAt(0) === HASH ? this.#below(indent, true) : this.#value(rest, indent);
      if (value === NOT_PLAIN) return NOT_PLAIN;
      setOwn(object, key, value);
    }
    return this.#indent > indent ? NOT_PLAIN : object;
  }

  /** Undefined for one that would be something else than a text. */
  #key(written: string): string | undefined {
    if (written.length > MAX_KEY) return undefined;
    if (isQuote(written.charCodeAt(0))) return written.slice(1, -1);
    return typeof this.#meaning(written) === 'string' ? written : undefined;
  }

  /** A list in a mapping may stand no deeper than its key. */
  #sequence(indent: number, isIndentless: boolean): unknown {
    const list: unknown[] = [];
    while (this.#indent === indent && isEntry(this.#text)) {
      const rest = this.#text.slice(1);
      const begin = indentOf(rest);
      this.#text = rest.slice(begin);
      if (this.#text.charCodeAt(0) === HASH) return NOT_PLAIN;
      const value = this.#text === '' ? this.#below(indent, false) : this.#entry(indent, begin + 1);
      if (value === NOT_PLAIN) return NOT_PLAIN;
      list.push(value);
    }
    const isOver = this.#indent < indent || (isIndentless && this.#indent === indent);
    return isOver ? list : NOT_PLAIN;
  }

  #entry(indent: number, width: number): unknown {
    if (!this.#isCollection()) return this.#value(this.#text, indent);
    this.#indent = indent + width;
    return this.#node();
  }

  /** What stands on the lines below a key or a dash. */
  #below(indent: number, isOfKey: boolean): unknown {
    this.#advance();
    if (this.#indent > indent) return this.#isCollection() ? this.#node() : NOT_PLAIN;
    if (isOfKey && this.#indent === indent && isEntry(this.#text)) return this.#sequence(indent, true);
    return null;
  }

  /** What stands on the line of its key or dash. */
  #value(text: string, indent: number): unknown {
    const literal = LITERAL.exec(text);
    if (literal !== null) return this.#literal(indent, literal[1] ?? '');
    const value = this.#inline(text);
    this.#advance();
    // A line that stands deeper continues the value, or is wrong.
    return this.#indent > indent ? NOT_PLAIN : value;
  }

  /** The lines of a text as they are, from the first one's indentation on. */
  #literal(indent: number, chomping: string): unknown {
    let own = 0;
    let end = this.#after;
    for (; end < this.#lines.length; end++) {
      const line = this.#lines[end] ?? '';
      const depth = indentOf(line);
      if (depth === line.length) {
        // Before the first line it may not stand deeper than that one.
        if (own === 0 && depth > indent) return NOT_PLAIN;
        continue;
      }
      if (own === 0) own = depth;
      if (depth < own || own <= indent) break;
      if (depth === own && line.charCodeAt(depth) === TAB) return NOT_PLAIN;
    }
    const isLast = end === this.#lines.length;
    // There are rules of their own for no text, and for one whose last line does not end.
    if (own <= indent || (isLast && this.#lines[end - 1] !== '')) return NOT_PLAIN;
    return this.#chomped(isLast ? end - 1 : end, own, chomping);
  }

  #chomped(end: number, own: number, chomping: string): string {
    let text = '';
    for (let at = this.#after; at < end; at++) text += `${(this.#lines[at] ?? '').slice(own)}\n`;
    this.#after = end;
    this.#advance();
    if (chomping === '+') return text;
    const stripped = withoutEnd(text, '\n');
    return chomping === '-' ? stripped : `${stripped}\n`;
  }

  #inline(text: string): unknown {
    const first = text.charCodeAt(0);
    if (first === DOUBLE || first === SINGLE || first === BRACE || first === BRACKET) {
      const flow = new FlowReader(text, this.#meaning);
      const value = flow.value(0);
      return NOTHING_MORE.test(text.slice(flow.at)) ? value : NOT_PLAIN;
    }
    const comment = text.indexOf(' #');
    const plain = comment === -1 ? text : withoutEnd(text.slice(0, comment), ' ');
    return isPlainScalar(plain) ? this.#meaning(plain) : NOT_PLAIN;
  }
}

const isQuote = (code: number): boolean => code === DOUBLE || code === SINGLE;

function indentOf(line: string): number {
  let indent = 0;
  while (line.charCodeAt(indent) === 0x20) indent += 1;
  return indent;
}

function withoutEnd(text: string, char: ' ' | '\n'): string {
  let end = text.length;
  while (text[end - 1] === char) end -= 1;
  return text.slice(0, end);
}

const isEntry = (text: string): boolean =>
  text.charCodeAt(0) === 0x2d && (text.length === 1 || text.charCodeAt(1) === 0x20);

/** Beginnings that mean something, and what would end a scalar in the middle of a line. */
const MEANT = /^(?:[?:,[\]{}#&*!|>'"%@`]|-(?: |$))|: |:$|\t/;
const isPlainScalar = (text: string): boolean => text !== '' && !MEANT.test(text);

/** Reads quoted scalars and flow collections. */
class FlowReader {
  readonly #text: string;
  readonly #meaning: ScalarMeaning;
  at = 0;

  constructor(text: string, meaning: ScalarMeaning) {
    this.#text = text;
    this.#meaning = meaning;
  }

  value(depth: number): unknown {
    if (depth > MAX_DEPTH) return NOT_PLAIN;
    switch (this.#text.charCodeAt(this.at)) {
      case BRACE:
        return this.#mapping(depth);
      case BRACKET:
        return this.#sequence(depth);
      case DOUBLE: {
        const quoted = this.#take(DOUBLE_QUOTED);
        if (quoted === undefined) return NOT_PLAIN;
        return quoted.includes('\\') ? (JSON.parse(quoted) as unknown) : quoted.slice(1, -1);
      }
      case SINGLE:
        return this.#take(SINGLE_QUOTED)?.slice(1, -1).replaceAll("''", "'") ?? NOT_PLAIN;
      default: {
        const plain = depth === 0 ? undefined : this.#take(FLOW_PLAIN);
        return plain === undefined || plain === '-' ? NOT_PLAIN : this.#meaning(plain);
      }
    }
  }

  get isAtEnd(): boolean {
    this.#take(SPACES);
    return this.at === this.#text.length;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  #takes(char: string): boolean {
    this.#take(SPACES);
    if (this.#text[this.at] !== char) return false;
    this.at += 1;
    return true;
  }

  #sequence(depth: number): unknown {
    this.at += 1;
    const list: unknown[] = [];
    if (this.#takes(']')) return list;
    do {
      this.#take(SPACES);
      const value = this.value(depth + 1);
      if (value === NOT_PLAIN) return NOT_PLAIN;
      list.push(value);
    } while (this.#takes(','));
    return this.#takes(']') ? list : NOT_PLAIN;
  }

  #mapping(depth: number): unknown {
    this.at += 1;
    const object: JsonObject = {};
    if (this.#takes('}')) return object;
    do {
      this.#take(SPACES);
      const written = this.#take(FLOW_KEY)?.trimEnd().slice(0, -1);
      this.#take(SPACES);
      if (written === undefined || written.length > MAX_KEY) return NOT_PLAIN;
      const key = isQuote(written.charCodeAt(0)) ? written.slice(1, -1) : this.#meaning(written);
      const value = this.value(depth + 1);
      if (typeof key !== 'string' || value === NOT_PLAIN || Object.hasOwn(object, key)) return NOT_PLAIN;
      setOwn(object, key, value);
    } while (this.#takes(','));
    return this.#takes('}') ? object : NOT_PLAIN;
  }
}
