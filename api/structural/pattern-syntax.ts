import { spend } from '../../base/budget/index.ts';
import {
  type CharacterTest,
  NEWLINE,
  PLACES,
  POSIX_SETS,
  SETS,
  casesOf,
  foldOf,
  lineEnd,
  lineStart,
  propertyTest,
  textEnd,
  textStart,
} from './pattern-characters.ts';

/**
 * Syntax tree of an RE2 pattern (https://github.com/google/re2/wiki/Syntax). Groups do not capture, because
 * only a test for a match is needed.
 */
export type PatternNode =
  | { readonly type: 'one'; readonly fits: CharacterTest }
  | { readonly type: 'at'; readonly holds: (before: number, after: number) => boolean }
  | { readonly type: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly type: 'choice'; readonly parts: readonly PatternNode[] }
  | { readonly type: 'repeat'; readonly part: PatternNode; readonly least: number; readonly most: number };

/** Error for a string that is not a regular expression. The message is that of Go's parser. */
export class PatternError extends Error {
  constructor(why: string) {
    super(`error parsing regexp: ${why}`);
    this.name = 'PatternError';
  }
}

/** Returns the error for a pattern whose size RE2 rejects. */
export const tooLarge = (source: string): PatternError =>
  new PatternError(`expression nests too deeply or is too large: \`${source}\``);

const MAX_DEPTH = 1_000;
const MAX_REPEAT = 1_000;
/**
 * Maximum number of atoms and alternatives. It equals the maximum number of instructions, because each atom
 * or alternative is compiled to at least one instruction.
 */
const MAX_NODES = 10_000;
/** Work units for an atom, and for a Unicode property. */
const NODE_WORK = 2;
const PROPERTY_WORK = 20;
/**
 * Number of parts of a character class that one work unit pays to test. Classes of at most `FEW_PARTS` parts
 * are free.
 */
const PARTS_RATE = 50;
const FEW_PARTS = 16;

interface Flags {
  readonly ignoreCase: boolean;
  readonly multiLine: boolean;
  readonly dotAll: boolean;
}

/** Parses a pattern. Throws `PatternError`. */
export function parsePattern(source: string): PatternNode {
  const parser = new Parser(source);
  return parser.whole();
}

class Parser {
  readonly #source: string;
  #at = 0;
  #depth = 0;
  #nodes = 0;
  #flags: Flags = { ignoreCase: false, multiLine: false, dotAll: false };

  constructor(source: string) {
    this.#source = source;
  }

  whole(): PatternNode {
    const node = this.#choice();
    if (this.#at < this.#source.length) throw new PatternError(`unexpected ): \`${this.#source}\``);
    return node;
  }

  #choice(): PatternNode {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new PatternError(`expression nests too deeply: \`${this.#source}\``);
    const flags = this.#flags;
    const parts = [this.#sequence()];
    while (this.#takes('|')) {
      this.#count();
      parts.push(this.#sequence());
    }
    this.#flags = flags;
    this.#depth -= 1;
    return parts.length === 1 && parts[0] ? parts[0] : { type: 'choice', parts };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at] ?? '')) {
      this.#count();
      const from = this.#at;
      const atom = this.#atom();
      if (atom !== undefined) parts.push(this.#repeated(atom, from));
    }
    return { type: 'sequence', parts };
  }

  /** Charges one node. Throws as soon as the pattern has too many nodes to be compiled. */
  #count(): void {
    spend(NODE_WORK);
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES) throw tooLarge(this.#source);
  }

  #takes(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #repeated(part: PatternNode, from: number): PatternNode {
    const first = this.#quantifier();
    if (first === undefined) return part;
    this.#takes('?');
    const again = this.#at;
    if (this.#quantifier() !== undefined) {
      const nested = this.#source.slice(again - 1, this.#at);
      throw new PatternError(`invalid nested repetition operator: \`${nested}\``);
    }
    const { least, most } = first;
    if (least > MAX_REPEAT || (most !== Infinity && most > MAX_REPEAT) || most < least)
      throw new PatternError(
        `invalid repeat count: \`${/\{[^}]*\}/.exec(this.#source.slice(from))?.[0] ?? ''}\``,
      );
    return { type: 'repeat', part, least, most };
  }

  #quantifier(): { readonly least: number; readonly most: number } | undefined {
    if (this.#takes('*')) return { least: 0, most: Infinity };
    if (this.#takes('+')) return { least: 1, most: Infinity };
    if (this.#takes('?')) return { least: 0, most: 1 };
    COUNTED.lastIndex = this.#at;
    const counted = COUNTED.exec(this.#source);
    if (counted === null) return undefined;
    this.#at += counted[0].length;
    const least = Number(counted[1]);
    const most = counted[2] === undefined ? least : counted[3] === '' ? Infinity : Number(counted[3]);
    return { least, most };
  }

  /** Parses an atom. Returns undefined for a group that only sets flags. */
  #atom(): PatternNode | undefined {
    const character = this.#next();
    switch (character) {
      case '(':
        return this.#group();
      case '[':
        return this.#class();
      case '.':
        return one(this.#flags.dotAll ? () => true : (code) => code !== NEWLINE);
      case '^':
        return { type: 'at', holds: this.#flags.multiLine ? lineStart : textStart };
      case '$':
        return { type: 'at', holds: this.#flags.multiLine ? lineEnd : textEnd };
      case '*':
      case '+':
      case '?':
        throw new PatternError(`missing argument to repetition operator: \`${character}\``);
      case '\\':
        return this.#escape();
      default:
        return this.#literal(character);
    }
  }

  #next(): string {
    const character = String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0);
    this.#at += character.length;
    return character;
  }

  #literal(character: string): PatternNode {
    const wanted = character.codePointAt(0) ?? 0;
    if (!this.#flags.ignoreCase) return one((code) => code === wanted);
    const folded = foldOf(wanted);
    return one((code) => code === wanted || foldOf(code) === folded);
  }

  #group(): PatternNode | undefined {
    if (this.#takes('?')) {
      NAME.lastIndex = this.#at;
      const named = NAME.exec(this.#source);
      if (named) this.#at += named[0].length;
      else return this.#flagged();
    }
    return this.#closed();
  }

  #closed(): PatternNode {
    const inner = this.#choice();
    if (!this.#takes(')')) throw new PatternError(`missing closing ): \`${this.#source}\``);
    return inner;
  }

  #flagged(): PatternNode | undefined {
    FLAGS.lastIndex = this.#at;
    const flags = FLAGS.exec(this.#source);
    if (flags === null) {
      const shown = this.#source.slice(this.#at - 2, this.#at + 1);
      throw new PatternError(`invalid or unsupported Perl syntax: \`${shown}\``);
    }
    this.#at += flags[0].length;
    const before = this.#flags;
    const [, on = '', off = '', end] = flags;
    this.#flags = {
      ignoreCase: (before.ignoreCase || on.includes('i')) && !off.includes('i'),
      multiLine: (before.multiLine || on.includes('m')) && !off.includes('m'),
      dotAll: (before.dotAll || on.includes('s')) && !off.includes('s'),
    };
    // A flag group such as `(?i)` applies up to the end of the enclosing group.
    if (end === ')') return undefined;
    const inner = this.#closed();
    this.#flags = before;
    return inner;
  }

  #escape(): PatternNode {
    if (this.#at >= this.#source.length)
      throw new PatternError('trailing backslash at end of expression: ``');
    if (this.#takes('Q')) return this.#quoted();
    const letter = this.#source[this.#at] ?? '';
    const place = PLACES[letter];
    if (place) {
      this.#at += 1;
      return { type: 'at', holds: place };
    }
    const set = this.#classEscape();
    if (set) return one(set);
    return this.#literal(String.fromCodePoint(this.#escapedCode()));
  }

  #quoted(): PatternNode {
    const end = this.#source.indexOf('\\E', this.#at);
    const text = this.#source.slice(this.#at, end < 0 ? undefined : end);
    this.#at = end < 0 ? this.#source.length : end + 2;
    return { type: 'sequence', parts: Array.from(text, (character) => this.#literal(character)) };
  }

  /**
   * Parses a character set after a backslash (`d`, `W`, `pL`, `P{Greek}`). Returns undefined if none follows.
   */
  #classEscape(): CharacterTest | undefined {
    const letter = this.#source[this.#at] ?? '';
    const set = SETS[letter.toLowerCase()];
    if (set) {
      this.#at += 1;
      return letter === letter.toLowerCase() ? set : (code) => !set(code);
    }
    if (letter !== 'p' && letter !== 'P') return undefined;
    spend(PROPERTY_WORK);
    PROPERTY.lastIndex = this.#at + 1;
    const property = PROPERTY.exec(this.#source);
    const negated = (property?.[1] === '^') !== (letter === 'P');
    const name = property?.[2] ?? property?.[3] ?? '';
    const test = propertyTest(name);
    if (property === null || test === undefined)
      throw new PatternError(`invalid character class range: \`\\${letter}${property?.[0] ?? ''}\``);
    this.#at += 1 + property[0].length;
    return negated ? (code) => !test(code) : test;
  }

  /** Returns the code point of a single escaped character. */
  #escapedCode(): number {
    CODE.lastIndex = this.#at;
    const code = CODE.exec(this.#source);
    if (code === null) {
      const shown = String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0);
      throw new PatternError(`invalid escape sequence: \`\\${shown}\``);
    }
    this.#at += code[0].length;
    const [, long, short, octal, control, plain] = code;
    const hex = long ?? short;
    if (hex !== undefined && parseInt(hex, 16) > 0x10ffff)
      throw new PatternError(`invalid escape sequence: \`\\${code[0]}\``);
    if (hex !== undefined) return parseInt(hex, 16);
    if (octal !== undefined) return parseInt(octal, 8);
    return control === undefined ? (plain?.codePointAt(0) ?? 0) : (CONTROLS[control] ?? 0);
  }

  #class(): PatternNode {
    const from = this.#at - 1;
    const negated = this.#takes('^');
    const sets: CharacterTest[] = [];
    for (let first = true; first || this.#source[this.#at] !== ']'; first = false) {
      if (this.#at >= this.#source.length)
        throw new PatternError(`missing closing ]: \`${this.#source.slice(from)}\``);
      spend(NODE_WORK);
      sets.push(this.#classPart(from));
    }
    this.#at += 1;
    const { ignoreCase } = this.#flags;
    const work = sets.length > FEW_PARTS ? sets.length / PARTS_RATE : 0;
    const has = (code: number): boolean => {
      if (work > 0) spend(work);
      return (
        sets.some((set) => set(code)) ||
        (ignoreCase && casesOf(code).some((each) => sets.some((set) => set(each))))
      );
    };
    return one(negated ? (code) => !has(code) : has);
  }

  #classPart(from: number): CharacterTest {
    POSIX.lastIndex = this.#at;
    const posix = POSIX.exec(this.#source);
    if (posix) {
      const set = POSIX_SETS[posix[2] ?? ''];
      if (!set) throw new PatternError(`invalid character class range: \`${posix[0]}\``);
      this.#at += posix[0].length;
      return posix[1] === '^' ? (code) => !set(code) : set;
    }
    const start = this.#at;
    if (this.#source[this.#at] === '\\') {
      this.#at += 1;
      const set = this.#classEscape();
      if (set) return set;
      this.#at -= 1;
    }
    const low = this.#classCode(from);
    if (this.#source[this.#at] !== '-' || this.#source[this.#at + 1] === ']') return (code) => code === low;
    this.#at += 1;
    const high = this.#classCode(from);
    if (high < low)
      throw new PatternError(`invalid character class range: \`${this.#source.slice(start, this.#at)}\``);
    return (code) => code >= low && code <= high;
  }

  #classCode(from: number): number {
    if (this.#at >= this.#source.length)
      throw new PatternError(`missing closing ]: \`${this.#source.slice(from)}\``);
    if (this.#takes('\\')) return this.#escapedCode();
    return this.#next().codePointAt(0) ?? 0;
  }
}

const COUNTED = /\{(\d{1,9})(,(\d{0,9}))?\}/y;
const NAME = /P?<[A-Za-z_]\w*>/y;
const FLAGS = /([imsU]*)(?:-([imsU]+))?([:)])/y;
const PROPERTY = /\{(\^?)([A-Za-z_]+)\}|([A-Za-z])/y;
const CODE =
  /x\{([0-9A-Fa-f]{1,8})\}|x([0-9A-Fa-f]{2})|(0[0-7]{0,2}|[1-7][0-7]{1,2})|([aftnrv])|([^\w\s]|_)/uy;
const POSIX = /\[:(\^?)([a-z]+):\]/y;

const one = (fits: CharacterTest): PatternNode => ({ type: 'one', fits });

const CONTROLS: { readonly [letter: string]: number } = { a: 7, f: 12, t: 9, n: 10, r: 13, v: 11 };
