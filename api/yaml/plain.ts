import { spend } from '../../base/budget/index.ts';
import { type JsonObject, setOwn } from '../schema/index.ts';
import {
  BRACE,
  BRACKET,
  DOUBLE,
  FlowReader,
  MAX_DEPTH,
  NOT_PLAIN,
  SINGLE,
  isQuote,
  type ScalarMeaning,
  keyOf,
} from './flow.ts';

export { NOT_PLAIN, type ScalarMeaning };

// Matches characters and markers that require the complete grammar. Tabs are checked where they occur.
const RARE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]|^(?:---(?! *$)|\.\.\.|%)/m;
const KEY = /^([\w/][\w./-]*(?: [\w./-]+)*|"[^"\\\t]*"|'[^'\t]*'):(?: +|$)/;
/** Matches comments, empty lines and the document marker at the start. */
const BEFORE = /^(?: *(?:#.*)?\n)*--- *(?:\n|$)/;
const MARK = /^--- *$/m;
const HASH = 0x23;
const TAB = 0x09;
/** Matches the text that is allowed after a value. */
const NOTHING_MORE = /^(?: *| +#.*)$/;
const BLOCK_TEXT = /^([|>])([-+]?)$/;
/** Matches a line that is not folded because it starts or ends with white space. */
const UNFOLDED = /^[ \t]|[ \t]$/m;
/** Measured work units for a line and for a character. */
const LINE = 0.6;
const CHARACTER = 0.008;

/**
 * Parses the subset of YAML that people and programs commonly write, several times as fast as a parser of the
 * complete grammar. It reads the first document: block and flow collections, scalars, and literal and folded
 * blocks. It returns `NOT_PLAIN` for anchors, tags, directives, repeated keys and any text that it does not
 * recognize. A text that it accepts has the same value in the complete grammar.
 */
export function readPlainYaml(text: string, meaning: ScalarMeaning): unknown {
  const lines = text.includes('\r') ? text.replaceAll('\r\n', '\n') : text;
  spend(lines.length * CHARACTER);
  if (RARE.test(lines)) return NOT_PLAIN;
  const document = firstDocument(lines);
  if (document.charCodeAt(0) !== BRACE) return new PlainReader(document, meaning).read();
  // The document is usually JSON: a flow collection that spans any number of lines.
  const flow = new FlowReader(document, meaning);
  const value = flow.value(0);
  return flow.isAtEnd ? value : NOT_PLAIN;
}

function firstDocument(text: string): string {
  const begin = BEFORE.exec(text)?.[0].length ?? 0;
  const rest = begin === 0 ? text : text.slice(begin);
  const end = rest.search(MARK);
  return end === -1 ? rest : rest.slice(0, end);
}

class PlainReader {
  readonly #lines: readonly string[];
  readonly #meaning: ScalarMeaning;
  #depth = 0;
  /** Index of the line after the current line. */
  #after = 0;
  /** Indentation of the remaining text of the line; -1 after the last line. */
  #indent = 0;
  #text = '';

  constructor(text: string, meaning: ScalarMeaning) {
    this.#lines = text.split('\n');
    spend(this.#lines.length * LINE);
    this.#meaning = meaning;
  }

  read(): unknown {
    this.#advance();
    if (this.#indent === -1) return null;
    const value = this.#isCollection() ? this.#node() : NOT_PLAIN;
    return this.#indent === -1 ? value : NOT_PLAIN;
  }

  /** Moves to the next line that is neither empty nor a comment. */
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

  /** Reads the collection that starts at the position. */
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
      const key = keyOf(written, this.#meaning);
      if (key === undefined || Object.hasOwn(object, key)) return NOT_PLAIN;
      const rest = this.#text.slice(matched.length);
      const value =
        rest === '' || rest.charCodeAt(0) === HASH ? this.#below(indent, true) : this.#value(rest, indent);
      if (value === NOT_PLAIN) return NOT_PLAIN;
      setOwn(object, key, value);
    }
    return this.#indent > indent ? NOT_PLAIN : object;
  }

  /** Reads a sequence. Within a mapping, it may have the indentation of its key. */
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

  /** Reads the value on the lines after a key or dash. */
  #below(indent: number, isOfKey: boolean): unknown {
    this.#advance();
    if (this.#indent > indent) return this.#isCollection() ? this.#node() : NOT_PLAIN;
    if (isOfKey && this.#indent === indent && isEntry(this.#text)) return this.#sequence(indent, true);
    return null;
  }

  /** Reads the value on the line of its key or dash. */
  #value(text: string, indent: number): unknown {
    const block = BLOCK_TEXT.exec(text);
    if (block !== null) return this.#blockText(indent, block[1] === '>', block[2] ?? '');
    const value = this.#inline(text);
    if (value === NOT_PLAIN)
      return isQuote(text.charCodeAt(0))
        ? this.#quotedOverLines(text, indent)
        : this.#flowOverLines(text, indent);
    // A line with deeper indentation continues the value, or is an error.
    const next = this.#lines[this.#after];
    const words = next !== undefined && isWithin(next, indent) ? this.#wordsBelow(text, indent) : undefined;
    if (words !== undefined) return words;
    this.#advance();
    return this.#indent > indent ? NOT_PLAIN : value;
  }

  /**
   * Reads a plain scalar that continues on lines with deeper indentation; undefined if there are no such
   * lines.
   */
  #wordsBelow(first: string, indent: number): unknown {
    let words = first;
    let empty = 0;
    let end = this.#after;
    for (let at = end; at < this.#lines.length; at++) {
      const line = this.#lines[at] ?? '';
      const depth = indentOf(line);
      if (depth === line.length) {
        empty += 1;
        continue;
      }
      if (depth <= indent || line.charCodeAt(depth) === HASH) break;
      const more = withoutEnd(line.slice(depth), ' ');
      if (!isPlainLine(more)) return NOT_PLAIN;
      words += (empty === 0 ? ' ' : '\n'.repeat(empty)) + more;
      empty = 0;
      end = at + 1;
    }
    if (end === this.#after) return undefined;
    if (!isPlainLine(first)) return NOT_PLAIN;
    this.#after = end;
    this.#advance();
    return this.#indent > indent ? NOT_PLAIN : this.#meaning(words);
  }

  /** Reads a flow collection that continues on lines with deeper indentation. */
  #flowOverLines(text: string, indent: number): unknown {
    const first = text.charCodeAt(0);
    if (first !== BRACE && first !== BRACKET) return NOT_PLAIN;
    let end = this.#after;
    while (end < this.#lines.length && isWithin(this.#lines[end] ?? '', indent)) end += 1;
    const flow = new FlowReader([text, ...this.#lines.slice(this.#after, end)].join('\n'), this.#meaning);
    const value = flow.value(0);
    if (value === NOT_PLAIN || !flow.isAtEnd) return NOT_PLAIN;
    this.#after = end;
    this.#advance();
    return value;
  }

  /** Reads a quoted scalar that continues on lines with deeper indentation. */
  #quotedOverLines(text: string, indent: number): unknown {
    const quote = text.charCodeAt(0);
    if (closesQuote(text.slice(1), quote)) return NOT_PLAIN;
    let words = withoutEnd(text, ' ');
    let empty = 0;
    for (let at = this.#after; at < this.#lines.length; at += 1) {
      const line = this.#lines[at] ?? '';
      const depth = indentOf(line);
      if (depth === line.length) {
        empty += 1;
        continue;
      }
      if (depth <= indent) return NOT_PLAIN;
      words += empty === 0 ? ' ' : '\n'.repeat(empty);
      empty = 0;
      if (!closesQuote(line, quote)) {
        words += withoutEnd(line.slice(depth), ' ');
        continue;
      }
      const flow = new FlowReader(words + line.slice(depth), this.#meaning);
      const value = flow.quotedText();
      if (value === NOT_PLAIN || !NOTHING_MORE.test(flow.rest)) return NOT_PLAIN;
      this.#after = at + 1;
      this.#advance();
      return this.#indent > indent ? NOT_PLAIN : value;
    }
    return NOT_PLAIN;
  }

  /** Reads a literal or folded block. Its first line determines the indentation. */
  #blockText(indent: number, isFolded: boolean, chomping: string): unknown {
    let own = 0;
    let end = this.#after;
    for (; end < this.#lines.length; end++) {
      const line = this.#lines[end] ?? '';
      const depth = indentOf(line);
      if (depth === line.length) {
        // The lines before the first line with text may not be indented deeper than the enclosing block.
        if (own === 0 && depth > indent) return NOT_PLAIN;
        continue;
      }
      if (own === 0) own = depth;
      if (depth < own || own <= indent) break;
      if (depth === own && line.charCodeAt(depth) === TAB) return NOT_PLAIN;
    }
    const isLast = end === this.#lines.length;
    // Only the complete grammar has the special rules for an empty block and for a block whose last line has no
    // line feed.
    if (own <= indent || (isLast && this.#lines[end - 1] !== '')) return NOT_PLAIN;
    return this.#chomped(isLast ? end - 1 : end, own, isFolded, chomping);
  }

  #chomped(end: number, own: number, isFolded: boolean, chomping: string): unknown {
    let written = '';
    for (let at = this.#after; at < end; at++) written += `${(this.#lines[at] ?? '').slice(own)}\n`;
    const stripped = withoutEnd(written, '\n');
    if (isFolded && (stripped === '' || stripped.startsWith('\n') || UNFOLDED.test(stripped)))
      return NOT_PLAIN;
    this.#after = end;
    this.#advance();
    const text = isFolded ? stripped.replace(/\n+/g, folded) : stripped;
    if (chomping === '-') return text;
    return text + (chomping === '+' ? written.slice(stripped.length) : '\n');
  }

  #inline(text: string): unknown {
    const first = text.charCodeAt(0);
    if (first === DOUBLE || first === SINGLE || first === BRACE || first === BRACKET) {
      const flow = new FlowReader(text, this.#meaning);
      const value = flow.value(0);
      return NOTHING_MORE.test(flow.rest) ? value : NOT_PLAIN;
    }
    const comment = text.indexOf(' #');
    const plain = comment === -1 ? text : withoutEnd(text.slice(0, comment), ' ');
    return isPlainScalar(plain) ? this.#meaning(plain) : NOT_PLAIN;
  }
}

/** Replaces a single line break by a space. Of several line breaks, all but the first become line feeds. */
const folded = (breaks: string): string => breaks.slice(1) || ' ';

/** True if a line contains the closing quote. */
const closesQuote = (line: string, quote: number): boolean =>
  quote === SINGLE ? line.replaceAll("''", '').includes("'") : line.replace(/\\./g, '').includes('"');

function indentOf(line: string): number {
  let indent = 0;
  while (line.charCodeAt(indent) === 0x20) indent += 1;
  return indent;
}

/** True if a line is empty or is indented deeper than `indent`. */
function isWithin(line: string, indent: number): boolean {
  const depth = indentOf(line);
  return depth > indent || depth === line.length;
}

function withoutEnd(text: string, char: ' ' | '\n'): string {
  let end = text.length;
  while (text[end - 1] === char) end -= 1;
  return text.slice(0, end);
}

const isEntry = (text: string): boolean =>
  text.charCodeAt(0) === 0x2d && (text.length === 1 || text.charCodeAt(1) === 0x20);

/** Matches prefixes with a meaning, and characters that end a scalar in the middle of a line. */
const SIGNIFICANT = /^(?:[?:,[\]{}#&*!|>'"%@`]|-(?: |$))|: |:$|\t/;
const isPlainLine = (text: string): boolean => isPlainScalar(text) && !text.includes(' #');
const isPlainScalar = (text: string): boolean => text !== '' && !SIGNIFICANT.test(text);
