import type { Field, StructSchema } from '../schema/schema.ts';

/** A field of a message, or a nested message that JSON inlines. */
export type LayoutField =
  | { readonly kind: 'field'; readonly number: number; readonly name: string; readonly field: Field }
  | { readonly kind: 'nested'; readonly number: number; readonly fields: readonly LayoutField[] };

/**
 * Returns the fields of a struct in ascending order of their protobuf numbers. Fields that JSON inlines are
 * grouped into a nested message. Kind and apiVersion have no number and are omitted, because the envelope
 * contains them.
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

/** True if the type has a protobuf form: at least one field has a protobuf number. */
export function hasProtobuf({ fields }: StructSchema): boolean {
  // This function runs on every request, so it returns at the first field with a number.
  for (const name in fields) if ((fields[name]?.number ?? 0) > 0) return true;
  return false;
}
