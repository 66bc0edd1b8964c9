/** Type of a value in a structural schema; `''` if the schema declares no type. */
export type StructuralType = '' | 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';

/**
 * A compiled node of a custom resource's structural schema: the parts that pruning, defaulting, merging and
 * documentation need. `props` is the JSON schema from which the node was compiled, for validation. `Props` is
 * a type parameter, because importing the type of JSON schemas here would create an import cycle.
 */
export interface StructuralNode<Props extends object = object> {
  readonly type: StructuralType;
  readonly nullable: boolean;
  /** Undefined if the schema has no default. A default of `null` counts as no default. */
  readonly default: unknown;
  readonly preserveUnknown: boolean;
  readonly embedded: boolean;
  readonly intOrString: boolean;
  readonly listType: string | undefined;
  readonly listMapKeys: readonly string[];
  readonly mapType: string | undefined;
  readonly properties: ReadonlyMap<string, StructuralNode<Props>>;
  /** Schema of the values of undeclared keys; `true` if any value is allowed. */
  readonly additional: StructuralNode<Props> | true | undefined;
  readonly items: StructuralNode<Props> | undefined;
  readonly props: Props;
}
