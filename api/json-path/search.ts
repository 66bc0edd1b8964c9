import { isGoInteger } from '../schema/go-text.ts';
import { type JsonObject, getOwn, isObject } from '../schema/own.ts';
import { GoNumber, type JsonPath, type JsonPathList, type JsonPathNode } from './json-path.ts';

/**
 * Maximum number of values that one search may visit. Without a maximum, repeated `..` would multiply the
 * contents of an object.
 */
const MAX_TOUCHED = 20_000;

/**
 * Returns the values that the first action of a path finds, like client-go with `AllowMissingKeys`. Returns
 * undefined if client-go reports an error (such as an index out of range or incomparable kinds), or if the
 * search visits too many values.
 */
export function findAll(path: JsonPath, root: unknown): readonly unknown[] | undefined {
  const search = new Search();
  let first: readonly unknown[] | undefined;
  for (const list of path) {
    const { values, failed } = search.list(list, [root]);
    if (failed || search.isExhausted) return undefined;
    first ??= values;
  }
  return first;
}

/**
 * Result of one step. If the step fails, `values` are the values that client-go returns with its error,
 * because an existence filter counts them.
 */
interface Outcome {
  readonly values: readonly unknown[];
  readonly failed: boolean;
  /** Reason of a failure. */
  readonly reason?: string;
}

const found = (values: readonly unknown[]): Outcome => ({ values, failed: false });
const failedAt = (values: readonly unknown[], reason: string): Outcome => ({ values, failed: true, reason });

type NodeOf<N extends JsonPathNode['node']> = Extract<JsonPathNode, { readonly node: N }>;

/** One search, which counts the values that it visits. */
export class Search {
  #left: number;

  /** @param limit maximum number of visited values. Default 20,000. */
  constructor(limit = MAX_TOUCHED) {
    this.#left = limit;
  }

  get isExhausted(): boolean {
    return this.#left < 0;
  }

  list(list: JsonPathList, input: readonly unknown[]): Outcome {
    let outcome = found(input);
    for (const node of list) {
      this.#left -= 1 + outcome.values.length;
      if (this.isExhausted) return failedAt([], 'the path visits too many values');
      outcome = this.#walk(node, outcome.values);
      if (outcome.failed) return outcome;
    }
    return outcome;
  }

  #walk(node: JsonPathNode, input: readonly unknown[]): Outcome {
    switch (node.node) {
      case 'literal':
        return found(typeof node.value === 'string' ? [node.value] : input.map(() => node.value));
      case 'field':
        return found(
          input.flatMap((value) =>
            isMap(value) && Object.hasOwn(value, node.name) ? [getOwn(value, node.name)] : [],
          ),
        );
      case 'wildcard':
        return found(this.#children(input));
      case 'recursive':
        return found(this.#recursive(input));
      case 'identifier':
        return failedAt(input, `unrecognized identifier ${node.name}`);
      case 'array':
        return sliced(node, input);
      case 'union':
        return this.#union(node, input);
      case 'filter':
        return this.#filter(node, input);
    }
  }

  #children(values: readonly unknown[]): readonly unknown[] {
    const all: unknown[] = [];
    for (const value of values) {
      const children = childrenOf(value);
      this.#left -= children.length;
      if (this.isExhausted) return [];
      // A loop, because the number of arguments of a spread call is limited.
      for (const child of children) all.push(child);
    }
    return all;
  }

  /** Returns all non-empty values, each before its contents. */
  #recursive(input: readonly unknown[]): readonly unknown[] {
    const all: unknown[] = [];
    const waiting = [...input].reverse();
    while (waiting.length > 0) {
      const value = waiting.pop();
      this.#left -= 1;
      // A string has no children.
      const children = typeof value === 'string' ? [] : this.#children([value]);
      if (children.length > 0 || (typeof value === 'string' && value !== '')) all.push(value);
      for (let at = children.length - 1; at >= 0; at -= 1) waiting.push(children[at]);
    }
    return all;
  }

  #union({ lists }: NodeOf<'union'>, input: readonly unknown[]): Outcome {
    const all: unknown[] = [];
    for (const list of lists) {
      const { values, failed, reason = '' } = this.list(list, input);
      if (failed) return failedAt(input, reason);
      for (const value of values) all.push(value);
    }
    return found(all);
  }

  #filter(node: NodeOf<'filter'>, input: readonly unknown[]): Outcome {
    const passing: unknown[] = [];
    for (const value of input) {
      if (!Array.isArray(value))
        return failedAt(input, `${kindName(value)} is not array or slice and cannot be filtered`);
      for (const item of value as unknown[]) {
        const passes = this.#passes(node, item);
        if (passes === undefined) return failedAt(passing, 'incompatible types for comparison');
        if (passes) passing.push(item);
      }
    }
    return found(passing);
  }

  /** True if the item passes the filter; undefined if the item cannot be compared. */
  #passes({ left, operator, right }: NodeOf<'filter'>, item: unknown): boolean | undefined {
    const lefts = this.list(left, [item]);
    if (this.isExhausted) return undefined;
    if (operator === 'exists') return lefts.values.length > 0;
    if (lefts.failed || lefts.values.length > 1) return undefined;
    if (lefts.values.length === 0) return false;
    const rights = this.list(right, [item]);
    if (rights.failed || rights.values.length > 1) return undefined;
    return rights.values.length === 0 ? false : compares(operator, lefts.values[0], rights.values[0]);
  }
}

const isMap = (value: unknown): value is JsonObject => isObject(value) && !(value instanceof GoNumber);

/** Returns the elements of a list or map, or the bytes of a string. */
function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (isMap(value)) return Object.values(value);
  if (typeof value !== 'string') return [];
  return Array.from(Buffer.from(value.slice(0, MAX_TOUCHED + 1)), (byte) => new GoNumber('uint', byte));
}

/**
 * Returns a slice of each list. The bounds must be within the list. An empty slice ends the search of all
 * lists.
 */
function sliced(
  { from: given = 0, to: bound, step = 1 }: NodeOf<'array'>,
  input: readonly unknown[],
): Outcome {
  const all: unknown[] = [];
  for (const value of input) {
    if (value === null) continue;
    if (!Array.isArray(value)) return failedAt(input, `${kindName(value)} is not array or slice`);
    const { length } = value;
    const from = given < 0 ? given + length : given;
    const to = endOf(bound, given, length);
    if (from === to) return found(all);
    if (from < 0 || from >= length)
      return failedAt(input, `array index out of bounds: index ${from}, length ${length}`);
    if (to < 0 || to > length)
      return failedAt(input, `array index out of bounds: index ${to - 1}, length ${length}`);
    if (from > to) return failedAt(input, `starting index ${from} is greater than ending index ${to}`);
    if (step <= 0) return failedAt(input, 'step must be > 0');
    for (let at = from; at < to; at += step) all.push(value[at]);
  }
  return found(all);
}

function endOf(bound: NodeOf<'array'>['to'], from: number, length: number): number {
  if (bound === undefined) return length;
  const end = bound === 'one' ? from + 1 : bound;
  return end < 0 || (end === 0 && bound === 'one') ? end + length : end;
}

/** Returns the name of a value's kind for messages. */
const kindName = (value: unknown): string =>
  isMap(value) ? 'map' : value === null ? 'nil' : (kindOf(value) ?? typeof value);

/** Returns the Go kind of a value. Only values of the same kind can be compared. */
function kindOf(value: unknown): 'bool' | 'int' | 'uint' | 'float' | 'string' | undefined {
  if (value instanceof GoNumber) return value.kind;
  if (isGoInteger(value)) return 'int';
  switch (typeof value) {
    case 'number':
      return 'float';
    case 'boolean':
      return 'bool';
    case 'string':
      return 'string';
    default:
      return undefined;
  }
}

type Comparable = string | number | bigint;

/** True if the comparison holds; undefined if client-go reports an error. */
function compares(operator: string, left: unknown, right: unknown): boolean | undefined {
  const kind = kindOf(left);
  if (kind === undefined || kind !== kindOf(right)) return undefined;
  const [one, other] = [left, right].map((value) => (value instanceof GoNumber ? value.value : value));
  if (operator === '==') return one === other;
  if (operator === '!=') return one !== other;
  if (kind === 'bool') return undefined;
  return ordered(operator, one as Comparable, other as Comparable);
}

function ordered(operator: string, one: Comparable, other: Comparable): boolean | undefined {
  switch (operator) {
    case '<':
      return one < other;
    case '<=':
      return one <= other;
    case '>':
      return one > other;
    case '>=':
      return one >= other;
    default:
      return undefined;
  }
}
