import { type RefSchema, type Schema, type StructSchema, resolve } from './schema.ts';

type Structs = { readonly [name: string]: StructSchema };

/**
 * Returns copies of types under the names of another version. Two versions with equal types thus share one
 * declaration and one static type; only the type names in API documents differ. A reference to one of the
 * given types leads to its copy; other references stay the same.
 */
export function atVersion<T extends Structs>(version: string, types: T): T {
  const copies = new Map<StructSchema, StructSchema>();
  for (const type of Object.values(types)) copies.set(type, { ...type, name: renamed(type.name, version) });
  for (const copy of copies.values()) redirect(copy, copies);
  return Object.fromEntries(
    Object.entries(types).map(([name, type]) => [name, copies.get(type) ?? type]),
  ) as unknown as T;
}

/** Replaces the version in a name such as `api.batch.v1.CronJob`. */
const renamed = (name: string, version: string): string =>
  name.replace(/\.[^.]+\.([^.]+)$/, (_whole, type: string) => `.${version}.${type}`);

/** Replaces the fields of a new copy. The original fields stay unchanged, because other types share them. */
function redirect(
  copy: { fields: StructSchema['fields'] },
  copies: ReadonlyMap<StructSchema, StructSchema>,
): void {
  copy.fields = Object.fromEntries(
    Object.entries(copy.fields).map(([name, field]) => [
      name,
      { ...field, schema: redirected(field.schema, copies) },
    ]),
  );
}

function redirected(schema: Schema, copies: ReadonlyMap<StructSchema, StructSchema>): Schema {
  switch (schema.kind) {
    case 'array':
      return { ...schema, items: redirected(schema.items, copies) };
    case 'map':
      return { ...schema, values: redirected(schema.values, copies) };
    case 'ref':
      return redirectedRef(schema, copies);
    case 'struct':
      return copies.get(schema) ?? schema;
    default:
      return schema;
  }
}

function redirectedRef(schema: RefSchema, copies: ReadonlyMap<StructSchema, StructSchema>): RefSchema {
  const target = resolve(schema);
  const copy = target.kind === 'struct' ? copies.get(target) : undefined;
  return copy === undefined ? schema : { ...schema, target: copy };
}
