import { equalJson, getOwn, isObject } from '../schema/own.ts';

/**
 * The paths of printer columns: fields (`.spec.x`, `['a.b']`), items (`[0]`, `[-1]`, `[1:3]`), all of them (`[*]`, `.*`), those
 * that fit (`[?(@.type=="Ready")]`) and any depth (`..name`). Read from release 1.24's `client-go/util/jsonpath`.
 */
export type JsonPath = readonly Step[];

type Step =
  | { readonly step: 'field'; readonly name: string }
  | { readonly step: 'all' }
  | { readonly step: 'descend' }
  | { readonly step: 'slice'; readonly from?: number; readonly to?: number; readonly by: number }
  | { readonly step: 'item'; readonly index: number }
  | { readonly step: 'filter'; readonly left: Operand; readonly operator: Operator; readonly right: Operand };

type Operand = { readonly path: JsonPath } | { readonly value: unknown };
type Operator = 'exists' | '==' | '!=' | '<' | '>' | '<=' | '>=';

const MAX_LENGTH = 4_096;

/** Undefined for what is no path of this dialect. */
export function parseJsonPath(text: string): JsonPath | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const steps: Step[] = [];
  let rest = text.startsWith('$') ? text.slice(1) : text;
  while (rest !== '') {
    const read = readStep(rest);
    if (read === undefined) return undefined;
    steps.push(...read.steps);
    rest = read.rest;
  }
  return steps;
}

interface Read {
  readonly steps: readonly Step[];
  readonly rest: string;
}

function readStep(text: string): Read | undefined {
  if (text.startsWith('[')) return readBracket(text);
  if (text.startsWith('..'))
    return { steps: [{ step: 'descend' }], rest: text[2] === '[' ? text.slice(2) : text.slice(1) };
  if (!text.startsWith('.')) return undefined;
  if (text.startsWith('.[')) return { steps: [], rest: text.slice(1) };
  const name = /^\.((?:\\.|[^.[\]\s\\(){}'"|,])*)/.exec(text);
  if (name === null) return undefined;
  const rest = text.slice(name[0].length);
  const field = (name[1] ?? '').replace(/\\(.)/g, '$1');
  if (field === '') return rest === '' ? { steps: [], rest } : undefined;
  return { steps: [field === '*' ? { step: 'all' } : { step: 'field', name: field }], rest };
}

function readBracket(text: string): Read | undefined {
  const end = closing(text);
  if (end < 0) return undefined;
  const inside = text.slice(1, end).trim();
  const step = bracketStep(inside);
  return step && { steps: [step], rest: text.slice(end + 1) };
}

/** The bracket that closes the first one; those in quotes do not count. */
function closing(text: string): number {
  let depth = 0;
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (quote !== '') {
      if (character === '\\') at += 1;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '[') depth += 1;
    else if (character === ']') {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return -1;
}

const SLICE = /^(-?\d+)?(?::(-?\d+)?)?(?::(-?\d+)?)?$/;

function bracketStep(inside: string): Step | undefined {
  if (inside === '*') return { step: 'all' };
  const name = quoted(inside);
  if (name !== undefined) return { step: 'field', name };
  if (inside.startsWith('?(') && inside.endsWith(')')) return filterStep(inside.slice(2, -1).trim());
  const parts = SLICE.exec(inside);
  if (parts === null || inside === '') return undefined;
  const [, from, to, by] = parts;
  if (!inside.includes(':')) return { step: 'item', index: Number(from) };
  const step = by === undefined ? 1 : Number(by);
  if (step <= 0) return undefined;
  return {
    step: 'slice',
    ...(from === undefined ? {} : { from: Number(from) }),
    ...(to === undefined ? {} : { to: Number(to) }),
    by: step,
  };
}

function quoted(text: string): string | undefined {
  const parts = /^'((?:[^'\\]|\\.)*)'$|^"((?:[^"\\]|\\.)*)"$/.exec(text);
  return parts === null ? undefined : (parts[1] ?? parts[2] ?? '').replace(/\\(.)/g, '$1');
}

function filterStep(text: string): Step | undefined {
  const compared = /^((?:[^=!<>'"]|'[^']*'|"[^"]*")+)(==|!=|<=|>=|<|>)([\s\S]+)$/.exec(text);
  const left = operand((compared?.[1] ?? text).trim());
  if (left === undefined) return undefined;
  if (compared === null) return { step: 'filter', left, operator: 'exists', right: { value: true } };
  const right = operand((compared[3] ?? '').trim());
  return right && { step: 'filter', left, operator: compared[2] as Operator, right };
}

function operand(text: string): Operand | undefined {
  if (text.startsWith('@') || text.startsWith('$')) {
    const path = parseJsonPath(text.slice(1));
    return path && { path };
  }
  const name = quoted(text);
  if (name !== undefined) return { value: name };
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return { value: Number(text) };
  return text === 'true' || text === 'false' ? { value: text === 'true' } : undefined;
}

/** Values that one evaluation may touch: `..` after `..` would multiply what an object holds. */
const MAX_TOUCHED = 20_000;

interface Budget {
  left: number;
}

/** Everything a path leads to; missing keys are passed over. Nothing, where the way there is too long. */
export function findAll(path: JsonPath, root: unknown): readonly unknown[] {
  const budget = { left: MAX_TOUCHED };
  const found = find(path, root, budget);
  return budget.left < 0 ? [] : found;
}

function find(path: JsonPath, root: unknown, budget: Budget): readonly unknown[] {
  let found: readonly unknown[] = [root];
  for (const step of path) {
    const next: unknown[] = [];
    for (const value of found) {
      // Not spread: there may be more of them than a call takes arguments.
      for (const reached of follow(step, value, budget)) next.push(reached);
      budget.left -= 1;
      if (budget.left < 0) return [];
    }
    found = next;
    if (found.length === 0) break;
  }
  return found;
}

function follow(step: Step, value: unknown, budget: Budget): readonly unknown[] {
  switch (step.step) {
    case 'field':
      return isObject(value) && Object.hasOwn(value, step.name) ? [getOwn(value, step.name)] : [];
    case 'all':
      return childrenOf(value);
    case 'descend':
      return withDescendants(value, budget);
    case 'item':
      return Array.isArray(value) ? value.slice(step.index, step.index + 1 || undefined) : [];
    case 'slice':
      return Array.isArray(value)
        ? value.slice(step.from, step.to).filter((_, at) => at % step.by === 0)
        : [];
    case 'filter':
      return Array.isArray(value) ? value.filter((item) => fits(step, item, budget)) : [];
  }
}

const childrenOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];

function withDescendants(value: unknown, budget: Budget): readonly unknown[] {
  const all = [value];
  for (let at = 0; at < all.length && budget.left >= 0; at += 1) {
    for (const child of childrenOf(all[at])) all.push(child);
    budget.left -= 1;
  }
  return all;
}

function fits(
  { left, operator, right }: Extract<Step, { step: 'filter' }>,
  item: unknown,
  budget: Budget,
): boolean {
  if (budget.left < 0) return false;
  const lefts = valuesOf(left, item, budget);
  if (operator === 'exists') return lefts.length > 0;
  const rights = valuesOf(right, item, budget);
  if (lefts.length === 0 || rights.length === 0) return false;
  const [one, other] = [lefts[0], rights[0]];
  switch (operator) {
    case '==':
      return equalJson(one, other);
    case '!=':
      return !equalJson(one, other);
    default:
      return compares(operator, one, other);
  }
}

function compares(operator: Operator, one: unknown, other: unknown): boolean {
  if (typeof one !== typeof other || (typeof one !== 'number' && typeof one !== 'string')) return false;
  const order = one < (other as typeof one) ? -1 : one > (other as typeof one) ? 1 : 0;
  if (order === 0) return operator === '<=' || operator === '>=';
  return order < 0 ? operator === '<' || operator === '<=' : operator === '>' || operator === '>=';
}

const valuesOf = (operand: Operand, item: unknown, budget: Budget): readonly unknown[] =>
  'path' in operand ? find(operand.path, item, budget) : [operand.value];
