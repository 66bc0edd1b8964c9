import {
  type Node,
  SyntaxKind,
  isCallExpression,
  isPropertyAccessExpression,
  isTypeNode,
} from 'typescript/unstable/ast';
import type { Change, SourceOperator } from './change.ts';
import type { SourceMutant } from './source-mutant.ts';
import type { Sources } from './sources.ts';

/** A mutant, and the change of the source that creates it. */
export interface CataloguedMutant {
  readonly mutant: Omit<SourceMutant, 'id'>;
  readonly change: Change;
}

/** Returns all mutants of a file, in source order. */
export function mutantsOfFile(
  name: string,
  sources: Sources,
  operators: readonly SourceOperator[],
): readonly CataloguedMutant[] {
  const file = sources.fileNamed(name);
  const found: CataloguedMutant[] = [];
  const numbers = new Map<string, number>();
  const visit = (node: Node): void => {
    if (isTypeNode(node) || isTypeOnly(node)) return;
    for (const operator of operators)
      for (const change of operator.changesAt(node, sources)) {
        if (!canBeSwitched(change)) continue;
        const { line, character } = file.getLineAndCharacterOfPosition(change.node.getStart());
        const place = `${name}:${line + 1}:${character + 1} ${operator.name}`;
        const number = (numbers.get(place) ?? 0) + 1;
        numbers.set(place, number);
        found.push({
          mutant: {
            name: `${place} ${number}`,
            file: name,
            line: line + 1,
            operator: operator.name,
            says: operator.says,
            risk: operator.risk,
            original: shortened(sources.textOf(change.node)),
            mutated: shortened(change.text),
          },
          change,
        });
      }
    node.forEachChild(visit);
  };
  visit(file);
  return found;
}

const TYPE_ONLY: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.InterfaceDeclaration,
  SyntaxKind.TypeAliasDeclaration,
  SyntaxKind.ImportDeclaration,
  SyntaxKind.ExportDeclaration,
]);

const isTypeOnly = ({ kind }: Node): boolean => TYPE_ONLY.has(kind);

/** False if a conditional expression at this place would be invalid or would be evaluated differently. */
function canBeSwitched({ node, role }: Change): boolean {
  if (role !== 'expression') return true;
  const { parent } = node;
  const isReceiver =
    (isPropertyAccessExpression(parent) || isCallExpression(parent)) && parent.expression === node;
  // A conditional expression would end the optional chain, which continues after this node.
  if (isReceiver && node.getText().includes('?.')) return false;
  return parent.kind !== SyntaxKind.LiteralType && parent.kind !== SyntaxKind.EnumMember;
}

/** Maximum number of characters of a source excerpt in a report. */
const LONGEST = 90;

const shortened = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
};
