import type { Int64 } from '../schema/exact-json.ts';

/**
 * Template in the syntax of release 1.24's `client-go/util/jsonpath`: actions in braces and the text between
 * these. The path of a printer column is parsed as one pair of braces.
 */
export type JsonPath = readonly JsonPathList[];

/** Nodes that are evaluated in sequence. Each node is applied to the results of the previous node. */
export type JsonPathList = readonly JsonPathNode[];

/** One step of a path. */
export type JsonPathNode =
  | { readonly node: 'literal'; readonly value: string | boolean | GoNumber }
  | { readonly node: 'field'; readonly name: string }
  | { readonly node: 'wildcard' }
  | { readonly node: 'recursive' }
  // A word that is not a path: `range`, `end`, or an error.
  | { readonly node: 'identifier'; readonly name: string }
  | {
      readonly node: 'array';
      readonly from: number | undefined;
      readonly to: Bound;
      readonly step: number | undefined;
    }
  | { readonly node: 'union'; readonly lists: readonly JsonPathList[] }
  | {
      readonly node: 'filter';
      readonly left: JsonPathList;
      readonly right: JsonPathList;
      readonly operator: string;
    };

/**
 * End of a slice: an index, the end of the list (undefined), or the position after the first item (`one`).
 */
export type Bound = number | undefined | 'one';

/** A number that is not a JSON value: a literal in a path (Go's int or float64), or a byte of a string. */
export class GoNumber {
  readonly kind: 'int' | 'float' | 'uint';
  readonly value: Int64;

  constructor(kind: GoNumber['kind'], value: Int64) {
    this.kind = kind;
    this.value = value;
  }
}
