/** Type of a value in a structural schema; '' if the schema states none. */
export type StructuralType = '' | 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';

/**
 * A compiled node of a custom resource's structural schema: what decides how a value is pruned, defaulted, merged and
 * described. `props` is the JSON schema that the node was compiled from, for what only validates. This file knows nothing
 * of its type, because the type is itself declared as a schema.
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
  /** Schema of the values of other keys; `true` for any. */
  readonly additional: StructuralNode<Props> | true | undefined;
  readonly items: StructuralNode<Props> | undefined;
  readonly props: Props;
}
