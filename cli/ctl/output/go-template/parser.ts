import { type Piece, piecesOf } from './tokens.ts';
import { type Block, type Node, type Operand, type Pipe, type Template, TemplateError } from './tree.ts';

/** Parses a template. Throws `TemplateError` with the line. */
export function parseGoTemplate(source: string): Template {
  const parser = new Parser(piecesOf(source));
  const { block, end } = parser.block();
  if (end !== undefined) throw parser.unexpected(`{{${end.join(' ')}}}`);
  return { main: block, defined: parser.defined };
}

/** Deepest nesting of blocks and parentheses. */
const MAX_DEPTH = 200;

class Parser {
  readonly defined = new Map<string, Block>();
  readonly #pieces: readonly Piece[];
  #at = 0;
  #line = 1;
  #depth = 0;

  constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces;
  }

  unexpected(what: string): TemplateError {
    return new TemplateError(`template: output:${this.#line}: unexpected ${what}`);
  }

  /** Parses up to `{{end}}` or `{{else}}`, which is returned as its tokens, or to the end of the template. */
  block(): { readonly block: Block; readonly end: readonly string[] | undefined } {
    if (++this.#depth > MAX_DEPTH) throw this.unexpected('depth of nesting');
    const block: Node[] = [];
    for (;;) {
      const piece = this.#pieces[this.#at];
      this.#at += 1;
      if (piece === undefined || ('tokens' in piece && ['end', 'else'].includes(piece.tokens[0] ?? ''))) {
        this.#depth -= 1;
        return { block, end: piece && 'tokens' in piece ? piece.tokens : undefined };
      }
      if ('text' in piece) block.push({ node: 'text', text: piece.text });
      else {
        this.#line = piece.line;
        const node = this.#action(piece.tokens);
        if (node !== undefined) block.push(node);
      }
    }
  }

  #action(tokens: readonly string[]): Node | undefined {
    const [word = '', ...rest] = tokens;
    switch (word) {
      case 'if':
      case 'with':
      case 'range':
        return this.#branch(word, rest);
      case 'break':
      case 'continue':
        return { node: word };
      case 'define':
        this.defined.set(this.#name(rest), this.#body());
        return undefined;
      case 'block': {
        const name = this.#name(rest);
        this.defined.set(name, this.#body());
        return { node: 'template', name, pipe: this.#pipe(rest.slice(1)) };
      }
      case 'template':
        return {
          node: 'template',
          name: this.#name(rest),
          pipe: rest.length > 1 ? this.#pipe(rest.slice(1)) : undefined,
        };
      case '':
        throw new TemplateError(`template: output:${this.#line}: missing value for command`);
      default:
        return { node: 'action', pipe: this.#pipe(tokens) };
    }
  }

  #branch(node: 'if' | 'with' | 'range', tokens: readonly string[]): Node {
    const pipe = this.#pipe(tokens);
    const { block: then, end } = this.block();
    return { node, pipe, then, otherwise: this.#otherwise(end) };
  }

  #otherwise(end: readonly string[] | undefined): Block {
    if (end === undefined) throw this.unexpected('EOF');
    const [word, next, ...rest] = end;
    if (word === 'end') return [];
    if (next === 'if' || next === 'with') return [this.#branch(next, rest)];
    if (next !== undefined) throw this.unexpected(`${JSON.stringify(next)} in else`);
    const { block, end: last } = this.block();
    if (last?.[0] !== 'end') throw this.unexpected(last === undefined ? 'EOF' : '{{else}}');
    return block;
  }

  #body(): Block {
    const { block, end } = this.block();
    if (end?.[0] !== 'end') throw this.unexpected(end === undefined ? 'EOF' : '{{else}}');
    return block;
  }

  #name([token = '']: readonly string[]): string {
    if (!/^["`]/.test(token))
      throw this.unexpected(`${JSON.stringify(token)}: expected the name of a template`);
    return unquoted(token);
  }

  #pipe(tokens: readonly string[]): Pipe {
    const assign = tokens.findIndex((token) => token === ':=' || token === '=');
    const isDeclaration =
      assign > 0 && tokens.slice(0, assign).every((token) => /^(\$[\p{L}\p{Nd}_]+|,)$/u.test(token));
    const variables = isDeclaration ? tokens.slice(0, assign).filter((token) => token !== ',') : [];
    const reader = new CommandReader(isDeclaration ? tokens.slice(assign + 1) : tokens, (what) =>
      this.unexpected(what),
    );
    const commands = reader.commands();
    if (!reader.isAtEnd) throw this.unexpected('")"');
    return { variables, declares: tokens[assign] === ':=', commands };
  }
}

class CommandReader {
  readonly #tokens: readonly string[];
  readonly #unexpected: (what: string) => TemplateError;
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly string[], unexpected: (what: string) => TemplateError) {
    this.#tokens = tokens;
    this.#unexpected = unexpected;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  commands(): Pipe['commands'] {
    const commands: Operand[][] = [[]];
    for (
      let token = this.#tokens[this.#at];
      token !== undefined && !token.startsWith(')');
      token = this.#tokens[this.#at]
    ) {
      this.#at += 1;
      if (token === '|') commands.push([]);
      else commands.at(-1)?.push(this.#operand(token));
    }
    if (commands.some((command) => command.length === 0))
      throw this.#unexpected('end of the command: missing value');
    return commands;
  }

  #operand(token: string): Operand {
    if (token === '(') return this.#parenthesized();
    if (token === '.') return { base: { kind: 'dot' }, fields: [] };
    if (token.startsWith('.') && !/^\.\d/.test(token))
      return { base: { kind: 'dot' }, fields: token.slice(1).split('.') };
    if (token.startsWith('$')) {
      const [name = '', ...fields] = token.split('.');
      return { base: { kind: 'variable', name }, fields };
    }
    return { base: this.#literal(token), fields: [] };
  }

  #parenthesized(): Operand {
    if (++this.#depth > MAX_DEPTH) throw this.#unexpected('depth of nesting');
    const commands = this.commands();
    const close = this.#tokens[this.#at];
    if (close === undefined) throw this.#unexpected('end of the action: unclosed left paren');
    this.#at += 1;
    this.#depth -= 1;
    return {
      base: { kind: 'pipe', pipe: { variables: [], declares: false, commands } },
      fields: close.split('.').slice(1),
    };
  }

  #literal(token: string): Operand['base'] {
    if (token === 'nil') return { kind: 'nil' };
    if (token === 'true' || token === 'false')
      return { kind: 'constant', value: token === 'true', isInteger: false };
    if (/^["`]/.test(token)) return { kind: 'constant', value: unquoted(token), isInteger: false };
    if (token.startsWith("'"))
      return {
        kind: 'constant',
        value: unquoted(`"${token.slice(1, -1)}"`).codePointAt(0) ?? 0,
        isInteger: true,
      };
    if (/^[+-]?\.?\d/.test(token)) {
      const value = Number(token.replaceAll('_', ''));
      if (!Number.isFinite(value)) throw this.#unexpected(`bad number syntax: ${JSON.stringify(token)}`);
      return { kind: 'constant', value, isInteger: !/[.eE]/.test(token) || /^0x/i.test(token) };
    }
    if (/^[\p{L}_]/u.test(token)) return { kind: 'function', name: token };
    throw this.#unexpected(JSON.stringify(token));
  }
}

/** Returns the text of a string in Go's quotes. */
function unquoted(token: string): string {
  if (token.startsWith('`')) return token.slice(1, -1);
  const json = token.replace(/\\(x[\da-fA-F]{2}|[0-7]{3}|['av])/g, (_, escape: string) => {
    const code = escape.startsWith('x')
      ? Number.parseInt(escape.slice(1), 16)
      : (OWN_ESCAPES[escape] ?? Number.parseInt(escape, 8));
    return `\\u${code.toString(16).padStart(4, '0')}`;
  });
  try {
    return JSON.parse(json) as string;
  } catch {
    throw new TemplateError(`template: output: invalid string ${token}`);
  }
}

const OWN_ESCAPES: { readonly [escape: string]: number } = { a: 7, v: 11, "'": 39 };
