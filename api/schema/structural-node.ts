/** Type of a value in a structural schema; '' if the schema states none. */
export type StructuralType = '' | 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';

/**
 * A compiled node of a custom resource's structural schema: the parts that pruning, defaulting, merging and
 * documentation need. `props` is the JSON schema it was compiled from, for validation. `Props` is a parameter
 * because that type is itself declared as a schema, and importing it here would make a cycle.
 */
export interface StructuralNode<Props extends object = object> {
  readonly type: StructuralType;
  readonly nullable: boolean;
  /** Undefined for none; a default of `null` counts as none. */
  readonly default: unknown;
  readonly preserveUnknown: boolean;
  readonly embedded: boolean;
  readonly intOrString: boolean;
  readonly listType: string | undefined;
  readonly listMapKeys: readonly string[];
  readonly mapType: string | undefined;
  readonly properties: ReadonlyMap<string, StructuralNode<Props>>;
  /** Schema of the values of undeclared keys; `true` for any value. */
  readonly additional: StructuralNode<Props> | true | undefined;
  readonly items: StructuralNode<Props> | undefined;
  readonly props: Props;
}
