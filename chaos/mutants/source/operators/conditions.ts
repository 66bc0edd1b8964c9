import {
  type Node,
  SyntaxKind,
  isBinaryExpression,
  isConditionalExpression,
  isIfStatement,
  isWhileStatement,
} from 'typescript/unstable/ast';
import type { Change, SourceOperator, Syntax } from '../change.ts';

/** Returns the condition of a statement or expression that branches. */
function conditionOf(node: Node): Node | undefined {
  if (isIfStatement(node) || isWhileStatement(node)) return node.expression;
  return isConditionalExpression(node) ? node.condition : undefined;
}

/** Returns a change of an expression. */
export const expression = (node: Node, text: string): Change => ({ node, role: 'expression', text });

const negateCondition: SourceOperator = {
  name: 'negate-condition',
  says: 'the condition of a branch is negated',
  risk: 2,
  changesAt: (node, syntax) => {
    const condition = conditionOf(node);
    return condition ? [expression(condition, `!(${syntax.textOf(condition)})`)] : [];
  },
};

const LOGICAL: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.AmpersandAmpersandToken,
  SyntaxKind.BarBarToken,
]);

const dropOperand: SourceOperator = {
  name: 'drop-operand',
  says: 'one operand of && or || is missing',
  risk: 3,
  changesAt: (node, syntax) =>
    isBinaryExpression(node) && LOGICAL.has(node.operatorToken.kind)
      ? [node.left, node.right].map((operand) => expression(node, syntax.textOf(operand)))
      : [],
};

const COMPARISONS: ReadonlyMap<SyntaxKind, readonly string[]> = new Map([
  [SyntaxKind.LessThanToken, ['<=', '>']],
  [SyntaxKind.LessThanEqualsToken, ['<', '>=']],
  [SyntaxKind.GreaterThanToken, ['>=', '<']],
  [SyntaxKind.GreaterThanEqualsToken, ['>', '<=']],
  [SyntaxKind.EqualsEqualsEqualsToken, ['!==']],
  [SyntaxKind.ExclamationEqualsEqualsToken, ['===']],
]);

const changeComparison: SourceOperator = {
  name: 'change-comparison',
  says: 'a comparison includes or excludes the bound, or is reversed',
  risk: 2,
  changesAt: (node, syntax) => {
    if (!isBinaryExpression(node) || isWholeCondition(node, syntax)) return [];
    const others = COMPARISONS.get(node.operatorToken.kind) ?? [];
    return others.map((other) =>
      expression(node, `${syntax.textOf(node.left)} ${other} ${syntax.textOf(node.right)}`),
    );
  },
};

/** True if negating the whole condition creates the same mutant. */
const isWholeCondition = (node: Node, syntax: Syntax): boolean =>
  conditionOf(node.parent) === node && /[!=]==/.test(syntax.textOf(node));

export const conditionOperators: readonly SourceOperator[] = [negateCondition, dropOperand, changeComparison];
