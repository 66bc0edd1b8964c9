import type { Node } from 'typescript/unstable/ast';

/**
 * Syntactic role of the replaced node, which decides the form of the switch.
 *
 * An expression becomes a conditional expression. A statement gets an `if` around it, or an `if` before it. A
 * member of an object literal or an element of an array literal becomes a conditional spread.
 */
export type Role = 'expression' | 'statement' | 'before' | 'member' | 'element';

/** Replacement of one node by other source text. */
export interface Change {
  readonly node: Node;
  readonly role: Role;
  /** Source that replaces the node, or precedes it if the role is `before`. Empty if the node is removed. */
  readonly text: string;
}

/** Parsed files, in which operators search. */
export interface Syntax {
  /** Source text of a node without its leading comments. */
  textOf(node: Node): string;
  /** Returns the type of each expression as source; undefined if the compiler cannot determine the type. */
  typesOf(nodes: readonly Node[]): readonly (string | undefined)[];
}

/** Usual damage of a kind of mistake, 3 for the most. Reports list survivors in this order. */
export type Risk = 1 | 2 | 3;

/** A kind of programming mistake. */
export interface SourceOperator {
  readonly name: string;
  readonly says: string;
  readonly risk: Risk;
  /** Returns the ways to make the mistake at a node. The list is empty for most nodes. */
  readonly changesAt: (node: Node, syntax: Syntax) => readonly Change[];
}
