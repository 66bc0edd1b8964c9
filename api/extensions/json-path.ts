import type { Int64 } from '../schema/exact-json.ts';

/**
 * A printer column's path in the syntax of release 1.24's `client-go/util/jsonpath`: actions in braces and
 * the text between them. The text of a column is in one pair of braces already.
 */
export type JsonPath = readonly JsonPathList[];

/** Nodes that are evaluated in sequence, each on the results of the previous one. */
export type JsonPathList = readonly JsonPathNode[];

/** One step of a path. */
export type JsonPathNode =
  | { readonly node: 'literal'; readonly value: string | boolean | GoNumber }
  | { readonly node: 'field'; readonly name: string }
  | { readonly node: 'wildcard' }
  | { readonly node: 'recursive' }
  // A word that is no path, such as `range`.
  | { readonly node: 'identifier' }
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

/** End of a slice: an index, the end of the list (undefined), or after the first item. */
export type Bound = number | undefined | 'one';

/** A number that is not JSON value: a literal in a path (Go's int or float64), or a byte of a text. */
export class GoNumber {
  readonly kind: 'int' | 'float' | 'uint';
  readonly value: Int64;

  constructor(kind: GoNumber['kind'], value: Int64) {
    this.kind = kind;
    this.value = value;
  }
}
