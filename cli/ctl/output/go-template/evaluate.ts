import { isRecord } from '../../../../base/collections/index.ts';
import { isTrue, templateFunctions } from './functions.ts';
import { Int, goType, goValue, withIntegers } from './printf.ts';
import { type Block, type Node, type Operand, type Pipe, type Template, TemplateError } from './tree.ts';

/** Maximum number of characters in the output, and of evaluated nodes. */
const MAX_OUTPUT = 256 * 1024 * 1024;
const MAX_STEPS = 50_000_000;
/** Deepest nesting of templates that call each other. */
const MAX_CALLS = 1_000;

/**
 * Evaluates a template for a JSON value, as `kubectl -o go-template` does. Throws `TemplateError`.
 */
export function evaluateGoTemplate(template: Template, root: unknown): string {
  const evaluation = new Evaluation(template);
  const dot = withIntegers(root);
  evaluation.block(template.main, { dot, variables: [{ name: '$', value: dot }], calls: 0 });
  return evaluation.output.join('');
}

interface Variable {
  readonly name: string;
  value: unknown;
}

interface Scope {
  readonly dot: unknown;
  /** Innermost variable last. */
  readonly variables: Variable[];
  readonly calls: number;
}

/** How a block ended: at its end, or at a `break` or `continue`. */
type Ending = 'end' | 'break' | 'continue';

const inner = (scope: Scope, dot: unknown): Scope => ({ ...scope, dot, variables: [...scope.variables] });

class Evaluation {
  readonly output: string[] = [];
  readonly #template: Template;
  #characters = 0;
  #steps = 0;

  constructor(template: Template) {
    this.#template = template;
  }

  block(block: Block, scope: Scope): Ending {
    for (const node of block) {
      if (++this.#steps > MAX_STEPS) throw new TemplateError('the template evaluates too many nodes');
      const ending = this.#node(node, scope);
      if (ending !== 'end') return ending;
    }
    return 'end';
  }

  #node(node: Node, scope: Scope): Ending {
    switch (node.node) {
      case 'text':
        this.#write(node.text);
        return 'end';
      case 'action': {
        const value = this.#pipe(node.pipe, scope);
        if (node.pipe.variables.length === 0) this.#write(printed(value));
        return 'end';
      }
      case 'if':
      case 'with': {
        const own = inner(scope, scope.dot);
        const value = this.#pipe(node.pipe, own);
        if (!isTrue(value)) return this.block(node.otherwise, inner(scope, scope.dot));
        return this.block(node.then, node.node === 'with' ? { ...own, dot: value } : own);
      }
      case 'range':
        return this.#range(node, scope);
      case 'template':
        return this.#call(node, scope);
      case 'break':
      case 'continue':
        return node.node;
    }
  }

  #range(node: Extract<Node, { readonly pipe: Pipe; readonly then: Block }>, scope: Scope): Ending {
    const value = this.#pipe({ ...node.pipe, variables: [] }, scope);
    const entries = entriesOf(value);
    if (entries.length === 0) return this.block(node.otherwise, inner(scope, scope.dot));
    const { variables: names } = node.pipe;
    for (const [key, item] of entries) {
      const own = inner(scope, item);
      const [first, second] = names;
      if (second !== undefined)
        own.variables.push({ name: first ?? '', value: key }, { name: second, value: item });
      else if (first !== undefined) own.variables.push({ name: first, value: item });
      if (this.block(node.then, own) === 'break') break;
    }
    return 'end';
  }

  #call({ name, pipe }: Extract<Node, { readonly node: 'template' }>, scope: Scope): Ending {
    const block = this.#template.defined.get(name);
    if (block === undefined) throw new TemplateError(`template ${JSON.stringify(name)} not defined`);
    if (scope.calls >= MAX_CALLS) throw new TemplateError(`exceeded maximum template depth (${MAX_CALLS})`);
    const dot = pipe === undefined ? undefined : this.#pipe(pipe, scope);
    this.block(block, { dot, variables: [{ name: '$', value: dot }], calls: scope.calls + 1 });
    return 'end';
  }

  #pipe({ variables, declares, commands }: Pipe, scope: Scope): unknown {
    let value: unknown;
    for (const [at, command] of commands.entries())
      value = this.#command(command, scope, at === 0 ? [] : [value]);
    for (const name of variables) {
      if (declares) scope.variables.push({ name, value });
      else variable(scope, name).value = value;
    }
    return value;
  }

  #command([first, ...rest]: readonly Operand[], scope: Scope, last: readonly unknown[]): unknown {
    if (first === undefined) throw new TemplateError('missing value for command');
    const { base, fields } = first;
    if (base.kind === 'nil') throw new TemplateError('nil is not a command');
    if (base.kind === 'function' && fields.length === 0) return this.#function(base.name, rest, scope, last);
    if (rest.length + last.length > 0)
      throw new TemplateError(`can't give argument to non-function ${describeOperand(first)}`);
    return this.#operand(first, scope);
  }

  #function(name: string, operands: readonly Operand[], scope: Scope, last: readonly unknown[]): unknown {
    if (name === 'and' || name === 'or') return this.#choice(name, operands, scope, last);
    const called = Object.hasOwn(templateFunctions, name) ? templateFunctions[name] : undefined;
    if (called === undefined) throw new TemplateError(`function ${JSON.stringify(name)} not defined`);
    const values = [...operands.map((operand) => this.#operand(operand, scope)), ...last];
    const needed = NEEDED[name];
    if (needed !== undefined && values.length !== needed)
      throw new TemplateError(`wrong number of args for ${name}: want ${needed} got ${values.length}`);
    return called(...values);
  }

  /** Evaluates `and` and `or`, which stop at the argument that decides. */
  #choice(name: 'and' | 'or', operands: readonly Operand[], scope: Scope, last: readonly unknown[]): unknown {
    let value: unknown;
    for (const operand of operands) {
      value = this.#operand(operand, scope);
      if (isTrue(value) === (name === 'or')) return value;
    }
    return last.length > 0 ? last[0] : value;
  }

  #operand(operand: Operand, scope: Scope): unknown {
    const { base, fields } = operand;
    return fields.reduce(fieldOf, this.#base(base, scope));
  }

  #base(base: Operand['base'], scope: Scope): unknown {
    switch (base.kind) {
      case 'dot':
        return scope.dot;
      case 'nil':
        return null;
      case 'variable':
        return variable(scope, base.name).value;
      case 'constant':
        return base.isInteger ? new Int(Number(base.value)) : base.value;
      case 'function':
        return this.#function(base.name, [], scope, []);
      case 'pipe':
        return this.#pipe(base.pipe, scope);
    }
  }

  #write(text: string): void {
    this.#characters += text.length;
    if (this.#characters > MAX_OUTPUT) throw new TemplateError('the output of the template is too long');
    this.output.push(text);
  }
}

/** Number of arguments of functions that take a fixed number. */
const NEEDED: { readonly [name: string]: number } = {
  not: 1,
  len: 1,
  ne: 2,
  lt: 2,
  le: 2,
  gt: 2,
  ge: 2,
  base64decode: 1,
};

const describeOperand = ({ base, fields }: Operand): string =>
  base.kind === 'dot' ? `.${fields.join('.')}` : base.kind === 'variable' ? base.name : base.kind;

function variable(scope: Scope, name: string): Variable {
  const found = scope.variables.findLast((each) => each.name === name);
  if (found === undefined) throw new TemplateError(`undefined variable ${JSON.stringify(name)}`);
  return found;
}

/** Returns a field of a map. A missing field, and every field of a missing value, is undefined. */
function fieldOf(value: unknown, name: string): unknown {
  if (value === undefined) return undefined;
  if (value === null) throw new TemplateError(`nil pointer evaluating interface {}.${name}`);
  if (!isRecord(value) || value instanceof Int)
    throw new TemplateError(
      `can't evaluate field ${name} in type ${value instanceof Int ? goType(value) : 'interface {}'}`,
    );
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function entriesOf(value: unknown): readonly (readonly [key: unknown, item: unknown])[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return (value as unknown[]).map((item, at) => [new Int(at), item]);
  if (isRecord(value) && !(value instanceof Int))
    return Object.keys(value)
      .sort()
      .map((name) => [name, value[name]]);
  throw new TemplateError(`range can't iterate over ${goValue(value)}`);
}

const printed = (value: unknown): string =>
  value === undefined || value === null ? '<no value>' : goValue(value);
