import { spend } from '../../base/budget/index.ts';
import { YamlComplaint } from './cursor.ts';
import { type TokenType, YamlScanner } from './scanner.ts';

/** Parser states. Those ending in `first` precede the opening token of a collection. */
type State =
  | 'end'
  | 'block-node'
  | 'content'
  | 'sequence-first'
  | 'sequence'
  | 'indentless'
  | 'mapping-first'
  | 'mapping-key'
  | 'mapping-value'
  | 'flow-sequence-first'
  | 'flow-sequence'
  | 'flow-pair-key'
  | 'flow-pair-value'
  | 'flow-mapping-first'
  | 'flow-mapping-key'
  | 'flow-mapping-value'
  | 'flow-mapping-no-value';

/**
 * Returns Go's error for the first document of a text, without the prefix `yaml: `; undefined if the document
 * is valid. The grammar and its messages are those of libyaml
 * (https://github.com/yaml/libyaml/blob/0.2.5/src/parser.c).
 */
export function complaintOf(text: string): string | undefined {
  try {
    new YamlGrammar(text).check();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof YamlComplaint) return thrown.message;
    throw thrown;
  }
}

/**
 * Maximum nesting depth. Go allows 10,000, but the `yaml` package recurses for each level. Near the end of
 * the stack, compiling a regular expression would crash the process.
 */
const MAX_DEPTH = 250;
/**
 * Maximum number of tokens and lines. The `yaml` package takes up to 10 µs for each and cannot yield. Stored
 * objects are smaller, and `readPlainYaml`, which is faster, parses most YAML.
 */
const MAX_SIZE = 200_000;

/** Measured work units for a token or line, and for each node visited to resolve an alias. */
const TOKEN = 4;
const VISITED_NODE = 0.02;

class YamlGrammar {
  readonly #scanner: YamlScanner;
  readonly #states: State[] = [];
  readonly #anchors = new Set<string>();
  /** Tokens and lines charged so far. */
  #paid = 0;
  /** Tag handles. Two are predefined, and directives add others. */
  readonly #handles = new Set(['!', '!!']);

  constructor(text: string) {
    this.#scanner = new YamlScanner(text);
  }

  check(): void {
    this.#begin();
    for (let state = this.#states.pop(); state !== undefined; state = this.#states.pop()) {
      this.#expect(state);
      if (this.#states.length > MAX_DEPTH) this.#complain(`exceeded max depth of ${MAX_DEPTH}`);
      this.#checkSize();
    }
    this.#checkSize();
  }

  #checkSize(): void {
    const { size } = this.#scanner;
    spend((size - this.#paid) * TOKEN);
    this.#paid = size;
    if (size > MAX_SIZE) this.#complain(`exceeded max size of ${MAX_SIZE} tokens and lines`);
  }

  #begin(): void {
    const first = this.#scanner.peek().type;
    if (first === 'stream-end') return;
    this.#states.push('end');
    if (first !== 'directive' && first !== 'document-start') {
      this.#states.push('block-node');
      return;
    }
    while (this.#is('directive')) {
      const { name } = this.#scanner.peek();
      if (name !== undefined) this.#handles.add(name);
      this.#scanner.skip();
    }
    if (!this.#is('document-start')) this.#complain('did not find expected <document start>');
    this.#scanner.skip();
    this.#states.push('content');
  }

  #is(...types: readonly TokenType[]): boolean {
    return types.includes(this.#scanner.peek().type);
  }

  /** Consumes the next token if it has the given type. Returns true if it was consumed. */
  #takes(type: TokenType): boolean {
    const is = this.#is(type);
    if (is) this.#scanner.skip();
    return is;
  }

  #complain(problem: string): never {
    throw new YamlComplaint(problem, this.#scanner.peek().line);
  }

  #expect(state: State): void {
    switch (state) {
      case 'end':
        this.#scanner.peek();
        return;
      case 'block-node':
        return this.#node(true, false);
      case 'content':
        if (!this.#is('directive', 'document-start', 'document-end', 'stream-end')) this.#node(true, false);
        return;
      case 'sequence-first':
        this.#scanner.skip();
        return this.#sequence();
      case 'sequence':
        return this.#sequence();
      case 'indentless':
        return this.#indentless();
      case 'mapping-first':
        this.#scanner.skip();
        return this.#mappingKey();
      case 'mapping-key':
        return this.#mappingKey();
      case 'mapping-value':
        return this.#mappingValue();
      default:
        return this.#expectInFlow(state);
    }
  }

  #expectInFlow(state: State): void {
    switch (state) {
      case 'flow-sequence-first':
      case 'flow-sequence':
        return this.#flowSequence(state === 'flow-sequence-first');
      case 'flow-pair-key':
        this.#states.push('flow-pair-value');
        // A missing key consumes the next token, as in libyaml.
        if (this.#is(':', ',', ']')) this.#scanner.skip();
        else this.#node(false, false);
        return;
      case 'flow-pair-value':
        this.#states.push('flow-sequence');
        if (this.#takes(':') && !this.#is(',', ']')) this.#node(false, false);
        return;
      case 'flow-mapping-first':
      case 'flow-mapping-key':
        return this.#flowMapping(state === 'flow-mapping-first');
      case 'flow-mapping-value':
        this.#states.push('flow-mapping-key');
        if (this.#takes(':') && !this.#is(',', '}')) this.#node(false, false);
        return;
      default:
        this.#states.push('flow-mapping-key');
    }
  }

  #node(inBlock: boolean, mayBeIndentless: boolean): void {
    if (this.#is('alias')) return this.#alias();
    const hasProperties = this.#properties();
    if (mayBeIndentless && this.#is('-')) return void this.#states.push('indentless');
    if (this.#takes('scalar')) return;
    if (this.#is('[')) return void this.#states.push('flow-sequence-first');
    if (this.#is('{')) return void this.#states.push('flow-mapping-first');
    if (inBlock && this.#is('sequence-start')) return void this.#states.push('sequence-first');
    if (inBlock && this.#is('mapping-start')) return void this.#states.push('mapping-first');
    if (!hasProperties) this.#complain('did not find expected node content');
  }

  #alias(): void {
    const { name = '' } = this.#scanner.peek();
    if (!this.#anchors.has(name)) throw new YamlComplaint(`unknown anchor '${name}' referenced`, 0);
    // The `yaml` package visits all preceding nodes to resolve an alias.
    spend(this.#scanner.size * VISITED_NODE);
    this.#scanner.skip();
  }

  /** Consumes an anchor and a tag, in either order. */
  #properties(): boolean {
    const { line } = this.#scanner.peek();
    const isAnchored = this.#anchor();
    if (!this.#is('tag')) return isAnchored;
    const { name = '!' } = this.#scanner.peek();
    if (!this.#handles.has(name)) throw new YamlComplaint('found undefined tag handle', line);
    this.#scanner.skip();
    if (!isAnchored) this.#anchor();
    return true;
  }

  #anchor(): boolean {
    const { type, name = '' } = this.#scanner.peek();
    if (type !== 'anchor') return false;
    this.#anchors.add(name);
    this.#scanner.skip();
    return true;
  }

  #sequence(): void {
    if (this.#takes('block-end')) return;
    if (!this.#takes('-')) this.#complain("did not find expected '-' indicator");
    this.#states.push('sequence');
    if (!this.#is('-', 'block-end')) this.#node(true, false);
  }

  /** Parses a sequence with the same indentation as its key. */
  #indentless(): void {
    if (!this.#takes('-')) return;
    this.#states.push('indentless');
    if (!this.#is('-', '?', ':', 'block-end')) this.#node(true, false);
  }

  #mappingKey(): void {
    if (this.#takes('block-end')) return;
    if (!this.#takes('?')) this.#complain('did not find expected key');
    this.#states.push('mapping-value');
    if (!this.#is('?', ':', 'block-end')) this.#node(true, true);
  }

  #mappingValue(): void {
    this.#states.push('mapping-key');
    if (this.#takes(':') && !this.#is('?', ':', 'block-end')) this.#node(true, true);
  }

  #flowSequence(isFirst: boolean): void {
    if (isFirst) this.#scanner.skip();
    if (this.#takes(']')) return;
    if (!isFirst && !this.#takes(',')) this.#complain("did not find expected ',' or ']'");
    if (this.#takes('?')) return void this.#states.push('flow-pair-key');
    if (this.#takes(']')) return;
    this.#states.push('flow-sequence');
    this.#node(false, false);
  }

  #flowMapping(isFirst: boolean): void {
    if (isFirst) this.#scanner.skip();
    if (this.#takes('}')) return;
    if (!isFirst && !this.#takes(',')) this.#complain("did not find expected ',' or '}'");
    if (this.#takes('?')) {
      this.#states.push('flow-mapping-value');
      if (!this.#is(':', ',', '}')) this.#node(false, false);
      return;
    }
    if (this.#takes('}')) return;
    this.#states.push('flow-mapping-no-value');
    this.#node(false, false);
  }
}
