import { type Field, type FieldOptions, type Schema, type StructSchema, resolve } from './schema.ts';

/** How strategic merge patch treats a field. */
export interface PatchRule {
  /** `merge` or `replace` where declared; lists without one are replaced, maps and structs merged. */
  readonly strategy: 'merge' | 'replace' | undefined;
  readonly retainKeys: boolean;
  /** Names the key that identifies items of a merged list of objects. */
  readonly mergeKey: string | undefined;
}

/** Topology of a list: an atom, a set of scalars, or a map by the values of some keys of its items. */
export type ListRule =
  | { readonly type: 'atomic' }
  | { readonly type: 'set' }
  | { readonly type: 'map'; readonly keys: readonly string[] };

/** The declared field of a struct, undefined for a name that is none. */
export const fieldOf = (schema: StructSchema, name: string): Field | undefined =>
  Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;

/** The field and schema that a path leads to: names for fields and map keys, any number for a list's items. */
export interface Place {
  readonly schema: Exclude<Schema, { readonly kind: 'ref' }>;
  /** Where the last segment is a field of a struct. */
  readonly field: Field | undefined;
}

/** Follows `path` from `schema`; undefined where it leads out of it. */
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

export function patchRuleOf(options: FieldOptions): PatchRule {
  const strategies = options.patchStrategy ?? [];
  return {
    strategy: strategies.find((each) => each !== 'retainKeys'),
    retainKeys: strategies.includes('retainKeys'),
    mergeKey: options.patchMergeKey,
  };
}

/**
 * A list field's topology. Where no list type is declared, a patch strategy of `merge` makes the list a map by its
 * merge key, or a set where it has none: the rule by which upstream's OpenAPI turns into apply's schema.
 */
export function listRuleOf(options: FieldOptions): ListRule {
  const { listType, listMapKeys, patchStrategy, patchMergeKey } = options;
  if (listType === 'map') return { type: 'map', keys: listMapKeys ?? [] };
  if (listType) return { type: listType };
  if (!patchStrategy?.includes('merge')) return { type: 'atomic' };
  return patchMergeKey === undefined ? { type: 'set' } : { type: 'map', keys: [patchMergeKey] };
}

/** Whether a field holding an object is owned and replaced whole; the field's own word counts before the type's. */
export function isAtomicMap(field: Field | undefined, schema: Schema): boolean {
  const target = resolve(schema);
  const declared = field?.options.mapType ?? (target.kind === 'struct' ? target.mapType : undefined);
  return declared === 'atomic';
}
