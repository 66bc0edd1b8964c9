import {
  type Node,
  SyntaxKind,
  isBlock,
  isCallExpression,
  isArrowFunction,
  isExpressionStatement,
  isFunctionDeclaration,
  isMethodDeclaration,
  isReturnStatement,
  isThrowStatement,
} from 'typescript/unstable/ast';
import type { SourceOperator, Syntax } from '../change.ts';

const deleteStatement: SourceOperator = {
  name: 'delete-statement',
  says: 'a statement is missing',
  risk: 2,
  changesAt: (node, syntax) => (isDeletable(node, syntax) ? [{ node, role: 'statement', text: '' }] : []),
};

function isDeletable(node: Node, syntax: Syntax): boolean {
  if (isThrowStatement(node) || node.kind === SyntaxKind.ContinueStatement) return true;
  if (isReturnStatement(node)) return !isLast(node);
  return isExpressionStatement(node) && !/^super\(|\blog(ger)?\b\??\./.test(syntax.textOf(node));
}

/** True if the function always returns after the statement. */
const isLast = (node: Node): boolean =>
  isBlock(node.parent) && node.parent.statements.at(-1) === node && !isBranch(node.parent);

const isBranch = ({ parent }: Node): boolean =>
  parent.kind === SyntaxKind.IfStatement || parent.kind === SyntaxKind.ForOfStatement;

const returnEarly: SourceOperator = {
  name: 'return-early',
  says: 'a function does nothing',
  risk: 2,
  changesAt: (node, syntax) => {
    const isFunction = isFunctionDeclaration(node) || isMethodDeclaration(node) || isArrowFunction(node);
    if (!isFunction || node.type === undefined || node.body === undefined || !isBlock(node.body)) return [];
    const [first] = node.body.statements;
    const returnsNothing = /^(void|Promise<void>)$/.test(syntax.textOf(node.type));
    // In a function with one statement, deleting the statement creates the same mutant.
    if (first === undefined || node.body.statements.length === 1 || !returnsNothing) return [];
    return [{ node: first, role: 'before', text: 'return;' }];
  },
};

const swallowError: SourceOperator = {
  name: 'swallow-error',
  says: 'a rejected promise counts as done',
  risk: 3,
  changesAt: (node, syntax) => {
    if (!isExpressionStatement(node) || node.expression.kind !== SyntaxKind.AwaitExpression) return [];
    const [awaited] = [node.expression].flatMap((each) => ('expression' in each ? [each.expression] : []));
    if (awaited === undefined || !isCallExpression(awaited as Node)) return [];
    return [
      {
        node,
        role: 'statement',
        text: `await Promise.resolve(${syntax.textOf(awaited as Node)}).catch(async () => {});`,
      },
    ];
  },
};

export const statementOperators: readonly SourceOperator[] = [deleteStatement, returnEarly, swallowError];
