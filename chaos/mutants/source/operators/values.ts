import {
  SyntaxKind,
  isArrayLiteralExpression,
  isBinaryExpression,
  isCallExpression,
  isNumericLiteral,
  isObjectLiteralExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isReturnStatement,
  isShorthandPropertyAssignment,
  isTemplateExpression,
  isArrowFunction,
  isVariableDeclaration,
  isMethodDeclaration,
  isFunctionDeclaration,
  isNewExpression,
  isThrowStatement,
  type Node,
} from 'typescript/unstable/ast';
import type { SourceOperator, Syntax } from '../change.ts';
import { expression } from './conditions.ts';

/** Types of numbers: `number`, and literal types. */
const NUMBER = /^(number|-?[\d.]+)$/;

const ARITHMETIC: ReadonlyMap<SyntaxKind, string> = new Map([
  [SyntaxKind.PlusToken, '-'],
  [SyntaxKind.MinusToken, '+'],
]);

/** True if the node is an operand of arithmetic, an argument, a bound of a comparison, or an index. */
const isCounted = ({ parent }: Node): boolean =>
  isBinaryExpression(parent) || isCallExpression(parent) || isReturnStatement(parent);

const offByOne: SourceOperator = {
  name: 'off-by-one',
  says: 'a number is larger by one, or added instead of subtracted',
  risk: 2,
  changesAt: (node, syntax) => {
    if (isNumericLiteral(node) && isCounted(node)) return [expression(node, `(${syntax.textOf(node)} + 1)`)];
    if (!isBinaryExpression(node)) return [];
    const other = ARITHMETIC.get(node.operatorToken.kind);
    const areNumbers =
      other !== undefined &&
      syntax.typesOf([node.left, node.right]).every((type) => type !== undefined && NUMBER.test(type));
    return areNumbers
      ? [expression(node, `${syntax.textOf(node.left)} ${other} ${syntax.textOf(node.right)}`)]
      : [];
  },
};

const flipBoolean: SourceOperator = {
  name: 'flip-boolean',
  says: 'true is false, or false is true',
  risk: 2,
  changesAt: (node) =>
    node.kind === SyntaxKind.TrueKeyword || node.kind === SyntaxKind.FalseKeyword
      ? [expression(node, node.kind === SyntaxKind.TrueKeyword ? 'false' : 'true')]
      : [],
};

/** Names of properties that bind a write to the object that was read. */
const IDENTITY = /^(uid|resourceVersion|preconditions?|observedUid|observedVersion)$/;

const removeIdentity: SourceOperator = {
  name: 'remove-identity',
  says: 'a uid, a resourceVersion or preconditions are missing from a write',
  risk: 3,
  changesAt: (node, syntax) => membersNamed(node, IDENTITY, syntax),
};

/** Names of properties that determine whether and when an operation is retried. */
const RETRYING = /retr(y|ies)|requeue|attempts|backoff/i;

const removeRetry: SourceOperator = {
  name: 'remove-retry',
  says: 'a property that requests another attempt is missing',
  risk: 3,
  changesAt: (node, syntax) => membersNamed(node, RETRYING, syntax),
};

function membersNamed(node: Node, pattern: RegExp, syntax: Syntax) {
  if (!isPropertyAssignment(node) && !isShorthandPropertyAssignment(node)) return [];
  const isLiteral = isObjectLiteralExpression(node.parent);
  return isLiteral && pattern.test(syntax.textOf(node.name))
    ? [{ node, role: 'member' as const, text: '' }]
    : [];
}

const narrowKey: SourceOperator = {
  name: 'narrow-key',
  says: 'a key or name is composed without one of its parts',
  risk: 3,
  changesAt: (node, syntax) => {
    if (isTemplateExpression(node) && node.templateSpans.length > 1 && !isMessage(node))
      return node.templateSpans.map(({ expression: part }) => {
        const start = part.getStart() - node.getStart();
        const text = syntax.textOf(node);
        const written = syntax.textOf(part);
        return expression(node, `${text.slice(0, start)}''${text.slice(start + written.length)}`);
      });
    const isParts =
      isArrayLiteralExpression(node) &&
      node.elements.length > 1 &&
      isCallExpression(node.parent) &&
      syntax.textOf(node.parent.expression) === 'JSON.stringify';
    return isParts ? node.elements.map((part) => ({ node: part, role: 'element' as const, text: '' })) : [];
  },
};

/** True if the template is part of a message, which code does not compare. */
function isMessage(node: Node): boolean {
  for (let at: Node | undefined = node.parent; at !== undefined; at = at.parent) {
    if (isThrowStatement(at) || isNewExpression(at)) return true;
    if (isPropertyAssignment(at) && /^(message|reason|help|says|description)$/.test(at.name.getText()))
      return true;
    if (isCallExpression(at) && isLogging(at.expression)) return true;
    const isNamed = isVariableDeclaration(at) || isMethodDeclaration(at) || isFunctionDeclaration(at);
    if (isNamed || isArrowFunction(at)) return false;
  }
  return false;
}

const isLogging = (callee: Node): boolean =>
  isPropertyAccessExpression(callee) && /^(info|warn|error|debug|trace|event)$/.test(callee.name.text);

export const valueOperators: readonly SourceOperator[] = [
  offByOne,
  flipBoolean,
  removeIdentity,
  removeRetry,
  narrowKey,
];
