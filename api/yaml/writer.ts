import { nextSlice } from '../../base/budget/index.ts';
import { isObject } from '../schema/index.ts';

/** Matches characters that are line ends or unprintable in YAML 1.1 but ordinary in JSON. */
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/;
const EVERY_UNPRINTABLE = new RegExp(UNPRINTABLE, 'g');
const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Matches strings that must be quoted, because they would otherwise change their meaning or lose characters.
 */
const QUOTED =
  /^[\n\t ,[\]{}#&*!|>'"%@`]|^[?-]$|^[?-][ \t]|^---|^\.\.\.|[\n:][ \t]|[ \t]\n|[\n\t ]#|[\n\t :-]$|[\n\r]|^$/;
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b-\u001f]/;
/** Matches the first character of a string that is neither a number nor a time. */
const LETTER = /^[A-Za-z_/]/;
/** Matches words that are read as null or booleans unless they are quoted: `null`, `yes`, `n`. */
const RESERVED = /^(?:[yn]|yes|no|on|off|true|false|null|nan|inf)$/i;
/**
 * Matches strings that a literal block preserves: the first line is not indented, and the last line has at
 * most one line feed.
 */
const LITERAL = /^[^\s][^]*[^\s]\n?$/;
const isLiteral = (text: string): boolean =>
  text.includes('\n') && LITERAL.test(text) && !UNPRINTABLE.test(text) && !CONTROL.test(text);
const MAX_KEY = 1_000;
/**
 * Number of characters after which other requests may run. Writing them takes about 5 ms of processor time,
 * and more for strings that need closer inspection.
 */
const SLICE_CHARACTERS = 64 * 1024;
/**
 * Number of levels at which the writer can yield between members, such as the `data` of an object or the
 * `items` of a list.
 */
const SLICED_LEVELS = 3;

/**
 * Writer of JSON values as YAML with sorted keys. Strings are quoted so that a YAML 1.1 parser reads the same
 * values. Writing takes about one microsecond per value.
 */
export class YamlWriter {
  readonly #isOther: (text: string) => boolean;
  #text = '';

  /**
   * @param isOther returns true for a string that is read as a number, a time or another value unless it is
   * quoted
   */
  constructor(isOther: (text: string) => boolean) {
    this.#isOther = isOther;
  }

  /** Returns a value as a YAML document. */
  write(value: unknown): string {
    this.#text = '';
    if (isFilled(value)) this.#collection(value, '');
    else this.#text = `${this.#scalar(value, '')}\n`;
    return this.#text;
  }

  /**
   * Returns a value as a YAML document, like `write`. Lets other requests run between slices of a large
   * value.
   */
  async writeInSlices(value: unknown): Promise<string> {
    if (!isFilled(value)) return this.write(value);
    this.#text = '';
    await this.#large(value, '', SLICED_LEVELS);
    return this.#text;
  }

  /** Writes a collection in slices. `#collection` writes the parts that are nested deeper than `levels`. */
  async #large(value: object, indent: string, levels: number): Promise<void> {
    let paused = this.#text.length;
    let at = 0;
    for (const key of Array.isArray(value) ? value.keys() : Object.keys(value).sort()) {
      if (at++ > 0) this.#text += indent;
      const held = (value as { readonly [key: string | number]: unknown })[key];
      const isItem = typeof key === 'number';
      this.#text += isItem ? '- ' : `${this.#key(key, indent)}:`;
      if (levels === 0 || !isFilled(held)) {
        if (isItem) this.#inside(held, `${indent}  `);
        else this.#below(held, indent);
      } else {
        const deeper = !isItem && Array.isArray(held) ? indent : `${indent}  `;
        if (!isItem) this.#text += `\n${deeper}`;
        await this.#large(held, deeper, levels - 1);
      }
      if (this.#text.length - paused < SLICE_CHARACTERS) continue;
      await nextSlice();
      paused = this.#text.length;
    }
  }

  /** Writes a collection that starts on the current line. Its first key or dash is not indented. */
  #collection(value: object, indent: string): void {
    let isFirst = true;
    const begin = (): void => {
      if (!isFirst) this.#text += indent;
      isFirst = false;
    };
    if (Array.isArray(value)) {
      for (const item of value as unknown[]) {
        begin();
        this.#text += '- ';
        this.#inside(item, `${indent}  `);
      }
      return;
    }
    for (const key of Object.keys(value).sort()) {
      begin();
      this.#text += `${this.#key(key, indent)}:`;
      this.#below((value as { readonly [key: string]: unknown })[key], indent);
    }
  }

  /** Writes an item after its dash. */
  #inside(item: unknown, indent: string): void {
    if (isFilled(item)) this.#collection(item, indent);
    else this.#text += `${this.#scalar(item, indent)}\n`;
  }

  /** Writes a value after its key. A list has the indentation of its key. */
  #below(value: unknown, indent: string): void {
    if (!isFilled(value)) {
      this.#text += ` ${this.#scalar(value, `${indent}  `)}\n`;
      return;
    }
    const deeper = Array.isArray(value) ? indent : `${indent}  `;
    this.#text += `\n${deeper}`;
    this.#collection(value, deeper);
  }

  /** Returns a key on one line. A key longer than `MAX_KEY` follows a `?`. */
  #key(key: string, indent: string): string {
    const written = this.#line(key);
    return written.length > MAX_KEY ? `? ${written}\n${indent}` : written;
  }

  #scalar(value: unknown, indent: string): string {
    if (typeof value === 'string') return isLiteral(value) ? literal(value, indent) : this.#line(value);
    if (value === null || value === undefined) return 'null';
    if (typeof value === 'object') return Array.isArray(value) ? '[]' : '{}';
    return String(value);
  }

  /** Returns a string on one line, quoted if necessary. */
  #line(text: string): string {
    if (UNPRINTABLE.test(text) || CONTROL.test(text)) return quoted(text);
    const isOther = LETTER.test(text) ? text.length < 6 && RESERVED.test(text) : this.#isOther(text);
    if (!isOther && !QUOTED.test(text)) return text;
    const isSingle = text.includes('"') && !/['\n\r\t]/.test(text);
    return isSingle ? `'${text}'` : quoted(text);
  }
}

const isFilled = (value: unknown): value is object =>
  Array.isArray(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0;

/** Returns a string in double quotes. All escapes of JSON are valid in YAML. */
const quoted = (text: string): string => JSON.stringify(text).replace(EVERY_UNPRINTABLE, escaped);

function literal(text: string, indent: string): string {
  const ends = text.endsWith('\n');
  const body = ends ? text.slice(0, -1) : text;
  return `${ends ? '|' : '|-'}\n${indent}${body.replace(/\n+/g, (breaks) => breaks + indent)}`;
}
