import type { Node } from 'typescript/unstable/ast';

/**
 * Syntactic role of the replaced node, which decides how the switch is written.
 *
 * Expressions become conditional expressions. Statements get an `if` around them, or one before them. Members
 * of object literals and elements of array literals become conditional spreads.
 */
export type Role = 'expression' | 'statement' | 'before' | 'member' | 'element';

/** Replacement of one node by other source text. */
export interface Change {
  readonly node: Node;
  readonly role: Role;
  /** Source text that replaces the node, or precedes it with the role `before`; empty if it is removed. */
  readonly text: string;
}

/** Parsed file in which operators search. */
export interface Syntax {
  /** Source text of a node without its leading comments. */
  textOf(node: Node): string;
  /** Types of expressions in text form; undefined where the compiler knows none. */
  typesOf(nodes: readonly Node[]): readonly (string | undefined)[];
}

/** How much damage a kind of mistake usually does, for the order of survivors. */
export type Risk = 1 | 2 | 3;

/** One kind of programming mistake. */
export interface SourceOperator {
  readonly name: string;
  readonly says: string;
  readonly risk: Risk;
  /** Returns the ways to make the mistake at this node; none for most nodes. */
  readonly changesAt: (node: Node, syntax: Syntax) => readonly Change[];
}
