/** A syntax error with the message of Go's YAML parser (https://github.com/go-yaml/yaml/tree/v2.4.0). */
export class YamlComplaint extends Error {
  /** @param line zero-based; as in Go, an error on the first line names no line */
  constructor(problem: string, line: number) {
    super(line > 0 ? `line ${line}: ${problem}` : problem);
  }
}

/** Result of `at` past the end of the text. */
export const END = '';
export const isBreak = (char: string): boolean =>
  char === '\n' || char === '\r' || char === '\u0085' || char === '\u2028' || char === '\u2029';
export const isBlank = (char: string): boolean => char === ' ' || char === '\t';
export const isBreakOrEnd = (char: string): boolean => char === END || isBreak(char);
export const isSpaceOrEnd = (char: string): boolean => isBlank(char) || isBreakOrEnd(char);
export const isWord = (char: string): boolean => /^[0-9A-Za-z_-]$/.test(char);
export const isHex = (char: string): boolean => /^[0-9A-Fa-f]$/.test(char);

/** A position in a text with zero-based line and column. */
export class YamlCursor {
  readonly #text: string;
  index = 0;
  line = 0;
  column = 0;

  constructor(text: string) {
    this.#text = text.startsWith('\uFEFF') ? text.slice(1) : text;
  }

  /** Returns the character at an offset from the position; `END` past the last character. */
  at(offset = 0): string {
    return this.#text[this.index + offset] ?? END;
  }

  /** Returns the next `length` characters, or fewer at the end. */
  ahead(length: number): string {
    return this.#text.slice(this.index, this.index + length);
  }

  /** Returns the text from an index to the position. */
  since(index: number): string {
    return this.#text.slice(index, this.index);
  }

  advance(count = 1): void {
    this.index += count;
    this.column += count;
  }

  /** Advances while `is` returns true. */
  skipWhile(is: (char: string) => boolean): void {
    while (is(this.at())) this.advance();
  }

  breakLine(): void {
    this.index += this.at() === '\r' && this.at(1) === '\n' ? 2 : 1;
    this.line += 1;
    this.column = 0;
  }

  /** True at a document marker, `---` or `...`. */
  get isDocumentMark(): boolean {
    const mark = this.ahead(3);
    return this.column === 0 && (mark === '---' || mark === '...') && isSpaceOrEnd(this.at(3));
  }

  complain(problem: string): never {
    throw new YamlComplaint(problem, this.line === 0 ? 0 : this.line + 1);
  }
}
