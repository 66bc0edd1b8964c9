import { spend } from '../../base/budget/index.ts';
import { type JsonObject, setOwn } from '../schema/index.ts';

/** Result for a text outside of the supported subset. The text may still be valid YAML. */
export const NOT_PLAIN = Symbol('not plain');

/** Returns the value of a plain scalar: a string, number, boolean or null. */
export type ScalarMeaning = (text: string) => unknown;

export const DOUBLE = 0x22;
export const SINGLE = 0x27;
export const BRACE = 0x7b;
export const BRACKET = 0x5b;
/** Maximum length of a key on one line. */
const MAX_KEY = 1_000;
export const MAX_DEPTH = 100;
/** Double-quoted scalars on one line, with the escapes that YAML 1.1 and JSON share. */
const DOUBLE_QUOTED =
  /"(?:[^"\\\t\n]|\\(?:["\\bfnrt]|u(?:[0-9a-ce-fA-CE-F][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2})))*"/y;
const SINGLE_QUOTED = /'(?:[^'\t\n]|'')*'/y;
const DOUBLE_OVER_LINES =
  /"(?:[^"\\\t]|\\(?:["\\bfnrt]|u(?:[0-9a-ce-fA-CE-F][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2})))*"/y;
const SINGLE_OVER_LINES = /'(?:[^'\t]|'')*'/y;
/** Work units for a value. */
const VALUE = 0.4;
const FLOW_PLAIN = /[A-Za-z0-9_./+-][\w./+=@-]*(?: [\w./+=@-]+)*(?=[ \n,\]}])/y;
const FLOW_KEY = /(?:[\w/][\w./-]*(?: [\w./-]+)*:[ \n]|"[^"\\\t\n]*":)/y;
const SPACES = /[ \n]*/y;
const ENTRY = /^-(?: |$)/;
/** Matches numeric keys that are written the same in JSON. */
const WHOLE = /^(?:0|[1-9]\d{0,14})$/;

export const isQuote = (code: number): boolean => code === DOUBLE || code === SINGLE;

/** Returns a key as a string; undefined for a key of another type and for a key that is too long. */
export function keyOf(written: string, meaning: ScalarMeaning): string | undefined {
  if (written.length > MAX_KEY) return undefined;
  if (isQuote(written.charCodeAt(0))) return written.slice(1, -1);
  return typeof meaning(written) === 'string' || WHOLE.test(written) ? written : undefined;
}

/** Parser of quoted scalars and flow collections. */
export class FlowReader {
  readonly #text: string;
  readonly #meaning: ScalarMeaning;
  at = 0;

  constructor(text: string, meaning: ScalarMeaning) {
    this.#text = text;
    this.#meaning = meaning;
  }

  /** The text after the position. */
  get rest(): string {
    return this.#text.slice(this.at);
  }

  /** Reads a quoted scalar whose lines are already folded. Each remaining line feed is part of the value. */
  quotedText(): unknown {
    if (this.#text.charCodeAt(0) === SINGLE)
      return this.#take(SINGLE_OVER_LINES)?.slice(1, -1).replaceAll("''", "'") ?? NOT_PLAIN;
    const quoted = this.#take(DOUBLE_OVER_LINES);
    return quoted === undefined ? NOT_PLAIN : (JSON.parse(quoted.replaceAll('\n', '\\n')) as unknown);
  }

  value(depth: number): unknown {
    spend(VALUE);
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
        return plain === undefined || ENTRY.test(plain) ? NOT_PLAIN : this.#meaning(plain);
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
    for (;;) {
      this.#take(SPACES);
      const value = this.value(depth + 1);
      if (value === NOT_PLAIN) return NOT_PLAIN;
      list.push(value);
      const isOver = !this.#takes(',');
      if (this.#takes(']')) return list;
      if (isOver) return NOT_PLAIN;
    }
  }

  #mapping(depth: number): unknown {
    this.at += 1;
    const object: JsonObject = {};
    if (this.#takes('}')) return object;
    for (;;) {
      this.#take(SPACES);
      const written = this.#take(FLOW_KEY)?.trimEnd().slice(0, -1);
      this.#take(SPACES);
      const key = written === undefined ? undefined : keyOf(written, this.#meaning);
      if (key === undefined || Object.hasOwn(object, key)) return NOT_PLAIN;
      const value = this.value(depth + 1);
      if (value === NOT_PLAIN) return NOT_PLAIN;
      setOwn(object, key, value);
      const isOver = !this.#takes(',');
      if (this.#takes('}')) return object;
      if (isOver) return NOT_PLAIN;
    }
  }
}
