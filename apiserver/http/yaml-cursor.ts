/** Why a text is no YAML, in the words of Go's reader. */
export class YamlComplaint extends Error {
  /** `line` counts from zero; a complaint about the first line names none. */
  constructor(problem: string, line: number) {
    super(line > 0 ? `line ${line}: ${problem}` : problem);
  }
}

/** What stands for the end of the text. */
export const END = '';
export const isBreak = (char: string): boolean =>
  char === '\n' || char === '\r' || char === '\u0085' || char === '\u2028' || char === '\u2029';
export const isBlank = (char: string): boolean => char === ' ' || char === '\t';
export const isBreakOrEnd = (char: string): boolean => char === END || isBreak(char);
export const isSpaceOrEnd = (char: string): boolean => isBlank(char) || isBreakOrEnd(char);
export const isWord = (char: string): boolean => /^[0-9A-Za-z_-]$/.test(char);
export const isHex = (char: string): boolean => /^[0-9A-Fa-f]$/.test(char);

/** A place in a text, by lines and columns that count from zero. */
export class YamlCursor {
  readonly #text: string;
  index = 0;
  line = 0;
  column = 0;

  constructor(text: string) {
    this.#text = text.startsWith('\uFEFF') ? text.slice(1) : text;
  }

  /** The character so far ahead; `END` behind the last. */
  at(offset = 0): string {
    return this.#text[this.index + offset] ?? END;
  }

  /** The next `length` characters, or fewer at the end. */
  ahead(length: number): string {
    return this.#text.slice(this.index, this.index + length);
  }

  /** What has been passed since an index. */
  since(index: number): string {
    return this.#text.slice(index, this.index);
  }

  advance(count = 1): void {
    this.index += count;
    this.column += count;
  }

  /** Passes what `is` says yes to. */
  skipWhile(is: (char: string) => boolean): void {
    while (is(this.at())) this.advance();
  }

  breakLine(): void {
    this.index += this.at() === '\r' && this.at(1) === '\n' ? 2 : 1;
    this.line += 1;
    this.column = 0;
  }

  /** Whether a document is marked to begin or end here. */
  get isDocumentMark(): boolean {
    const mark = this.ahead(3);
    return this.column === 0 && (mark === '---' || mark === '...') && isSpaceOrEnd(this.at(3));
  }

  complain(problem: string): never {
    throw new YamlComplaint(problem, this.line === 0 ? 0 : this.line + 1);
  }
}
