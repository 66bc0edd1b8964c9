import { type Field, type FieldOptions, type Schema, type StructSchema, resolve } from './schema.ts';

/** Treatment of a field by a strategic merge patch. */
export interface PatchRule {
  /** Declared strategy. If undefined, lists are replaced, and maps and structs merged. */
  readonly strategy: 'merge' | 'replace' | undefined;
  readonly retainKeys: boolean;
  /** Key that identifies the items of a merged list of objects. */
  readonly mergeKey: string | undefined;
}

/** Topology of a list: one value, a set of scalars, or a map whose keys are fields of its items. */
export type ListRule =
  | { readonly type: 'atomic' }
  | { readonly type: 'set' }
  | { readonly type: 'map'; readonly keys: readonly string[] };

/** Returns the declared field of a struct; undefined if the name is unknown. */
export const fieldOf = (schema: StructSchema, name: string): Field | undefined =>
  Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;

/** Field and schema at the end of a path. */
export interface Place {
  readonly schema: Exclude<Schema, { readonly kind: 'ref' }>;
  /** The field that the last path segment names; undefined if that segment names no field of a struct. */
  readonly field: Field | undefined;
}

/**
 * Follows `path` from `schema`. Strings stand for fields and map keys, numbers for list items of any index.
 * Returns undefined if the path leaves the schema.
 */
export function placeAt(schema: Schema, path: readonly (string | number)[]): Place | undefined {
  let place: Place | undefined = { schema: resolve(schema), field: undefined };
  for (const segment of path) {
    place = step(place.schema, segment);
    if (!place) return undefined;
  }
  return place;
}

function step(schema: Place['schema'], segment: string | number): Place | undefined {
  if (schema.kind === 'array' && typeof segment === 'number') {
    return { schema: resolve(schema.items), field: undefined };
  }
  if (typeof segment === 'number') return undefined;
  if (schema.kind === 'map') return { schema: resolve(schema.values), field: undefined };
  if (schema.kind !== 'struct') return undefined;
  const field = fieldOf(schema, segment);
  return field && { schema: resolve(field.schema), field };
}

/** Returns the patch rule that a field declares. */
export function patchRuleOf(options: FieldOptions): PatchRule {
  const strategies = options.patchStrategy ?? [];
  return {
    strategy: strategies.find((each) => each !== 'retainKeys'),
    retainKeys: strategies.includes('retainKeys'),
    mergeKey: options.patchMergeKey,
  };
}

/**
 * Returns the topology of a list field. A list with the patch strategy `merge` and no declared list type is a
 * map by its merge key, or a set if it has no merge key. Upstream derives the schema of server-side apply by
 * the same rule.
 */
export function listRuleOf(options: FieldOptions): ListRule {
  const { listType, listMapKeys, patchStrategy, patchMergeKey } = options;
  if (listType === 'map') return { type: 'map', keys: listMapKeys ?? [] };
  if (listType) return { type: listType };
  if (!patchStrategy?.includes('merge')) return { type: 'atomic' };
  return patchMergeKey === undefined ? { type: 'set' } : { type: 'map', keys: [patchMergeKey] };
}

/**
 * True if a field with an object value is owned and replaced as a whole. The declaration of the field
 * overrides that of its type.
 */
export function isAtomicMap(field: Field | undefined, schema: Schema): boolean {
  const target = resolve(schema);
  const declared = field?.options.mapType ?? (target.kind === 'struct' ? target.mapType : undefined);
  return declared === 'atomic';
}
