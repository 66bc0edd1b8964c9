import {
  type CallExpression,
  type Node,
  isAwaitExpression,
  isCallExpression,
  isPropertyAccessExpression,
} from 'typescript/unstable/ast';
import type { Change, SourceOperator, Syntax } from '../change.ts';
import { expression } from './conditions.ts';

const dropAwait: SourceOperator = {
  name: 'drop-await',
  says: 'a promise is not awaited',
  risk: 3,
  changesAt: (node, syntax) =>
    isAwaitExpression(node) ? [expression(node, syntax.textOf(node.expression))] : [],
};

const addRetry: SourceOperator = {
  name: 'add-retry',
  says: 'a failed call is repeated at once',
  risk: 2,
  changesAt: (node, syntax) => {
    if (!isAwaitExpression(node) || !isCallExpression(node.expression)) return [];
    const call = syntax.textOf(node.expression);
    return [expression(node, `await Promise.resolve(${call}).catch(async () => ${call})`)];
  },
};

const swapArguments: SourceOperator = {
  name: 'swap-arguments',
  says: 'two neighbouring arguments of one type are swapped',
  risk: 3,
  changesAt: (node, syntax) => {
    if (!isCallExpression(node) || node.arguments.length < 2 || isVariadic(node)) return [];
    const types = syntax.typesOf(node.arguments);
    const texts = node.arguments.map((each) => syntax.textOf(each));
    return types.flatMap((type, i) => {
      if (i === 0 || type === undefined || type !== types[i - 1] || texts[i] === texts[i - 1]) return [];
      const swapped = [...texts.slice(0, i - 1), texts[i], texts[i - 1], ...texts.slice(i + 1)];
      return [expression(node, `${syntax.textOf(node.expression)}(${swapped.join(', ')})`)];
    });
  },
};

/** True for calls in which the order of arguments rarely matters: `Math.max`, `array.push`. */
const isVariadic = ({ expression: callee }: CallExpression): boolean =>
  isPropertyAccessExpression(callee) && /^(max|min|push|unshift)$/.test(callee.name.text);

/** A call of a method, with the parts that operators change. */
interface MethodCall {
  readonly receiver: string;
  readonly method: string;
  readonly given: readonly string[];
}

function methodCall(node: Node, syntax: Syntax): MethodCall | undefined {
  if (!isCallExpression(node) || !isPropertyAccessExpression(node.expression)) return undefined;
  const { expression: receiver, name, questionDotToken } = node.expression;
  if (questionDotToken !== undefined) return undefined;
  return {
    receiver: syntax.textOf(receiver),
    method: name.text,
    given: node.arguments.map((each) => syntax.textOf(each)),
  };
}

/** Returns an operator for method calls. `mutated` returns the replacements of a call. */
const onCalls = (
  about: Pick<SourceOperator, 'name' | 'says' | 'risk'>,
  mutated: (call: MethodCall) => readonly string[],
): SourceOperator => ({
  ...about,
  changesAt: (node, syntax): readonly Change[] => {
    const call = methodCall(node, syntax);
    return call ? mutated(call).map((text) => expression(node, text)) : [];
  },
});

const changeOrder = onCalls(
  { name: 'change-order', says: 'the order is reversed or has another key', risk: 3 },
  ({ receiver, method, given: [first] }) => {
    if (method === 'toReversed') return [receiver];
    if (method === 'at' && first !== undefined) return [`${receiver}.at(${first === '-1' ? '0' : '-1'})`];
    if (method !== 'sort' && method !== 'toSorted') return [];
    if (first === undefined) return [`${receiver}.${method}().reverse()`];
    return [`${receiver}.${method}((a, b) => (${first})(b, a))`, `${receiver}.${method}()`];
  },
);

/** Methods that select elements, and the method that replaces each. */
const SELECTIONS: ReadonlyMap<string, string> = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['find', 'findLast'],
]);

const removeFilter = onCalls(
  {
    name: 'remove-filter',
    says: 'a selection lets everything pass, or asks for all instead of one',
    risk: 3,
  },
  ({ receiver, method, given }) => {
    if (method === 'filter') return [receiver];
    const other = SELECTIONS.get(method);
    return other === undefined ? [] : [`${receiver}.${other}(${given.join(', ')})`];
  },
);

const CLOCKS: ReadonlyMap<string, string> = new Map([
  ['now', 'monotonic'],
  ['monotonic', 'now'],
]);

const changeTime = onCalls(
  { name: 'change-time', says: 'the other clock is read, or the other bound is kept', risk: 3 },
  ({ receiver, method, given }) => {
    if (receiver === 'Math' && given.length > 1 && (method === 'max' || method === 'min'))
      return [`Math.${method === 'max' ? 'min' : 'max'}(${given.join(', ')})`];
    const other = given.length === 0 && /clock$/i.test(receiver) ? CLOCKS.get(method) : undefined;
    return other === undefined ? [] : [`${receiver}.${other}()`];
  },
);

export const callOperators: readonly SourceOperator[] = [
  dropAwait,
  addRetry,
  swapArguments,
  changeOrder,
  removeFilter,
  changeTime,
];
