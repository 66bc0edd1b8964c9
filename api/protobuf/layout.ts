import type { Field, StructSchema } from '../schema/schema.ts';

/** A field of a message, in the structure of the bytes. */
export type LayoutField =
  | { readonly kind: 'field'; readonly number: number; readonly name: string; readonly field: Field }
  | { readonly kind: 'nested'; readonly number: number; readonly fields: readonly LayoutField[] };

/**
 * Returns the fields of a struct by ascending protobuf number. Fields that JSON inlines are grouped into a
 * nested message. Fields without a number are omitted: kind and apiVersion, which the envelope contains.
 */
export function layoutOf(schema: StructSchema): readonly LayoutField[] {
  const fields: LayoutField[] = [];
  const nested = new Map<number, LayoutField[]>();
  for (const [name, field] of Object.entries(schema.fields)) {
    if (field.number === 0) continue;
    const own: LayoutField = { kind: 'field', number: field.number, name, field };
    const { within } = field.options;
    if (within === undefined) fields.push(own);
    else {
      const others = nested.get(within);
      if (others === undefined) nested.set(within, [own]);
      else others.push(own);
    }
  }
  for (const [number, inner] of nested) fields.push({ kind: 'nested', number, fields: byNumber(inner) });
  return byNumber(fields);
}

const byNumber = (fields: readonly LayoutField[]): LayoutField[] =>
  fields.toSorted((left, right) => left.number - right.number);

/** True if the type has a binary form: at least one field has a protobuf number. */
export function hasProtobuf({ fields }: StructSchema): boolean {
  // Called on every request; returns at the first field with a number.
  for (const name in fields) if ((fields[name]?.number ?? 0) > 0) return true;
  return false;
}
