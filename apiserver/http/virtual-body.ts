import type { ApiObject, Scheme } from '../../api/kinds/index.ts';
import { type StructSchema, applyDefaults } from '../../api/schema/index.ts';
import { charged } from '../../base/budget/index.ts';
import { decodeBody } from '../registry/write/decoding.ts';
import type { WriteContext } from '../registry/registry.ts';
import type { ParsedBody } from './bodies.ts';
import { kindOfVirtual } from './virtual-patch.ts';

/** The body for a virtual handler: of the very kind, pruned and with its schema's defaults. Throws 400. */
export function decodeVirtual(
  scheme: Scheme,
  expected: {
    readonly schema: StructSchema;
    readonly typeMeta: { readonly kind: string; readonly apiVersion: string };
  },
  body: ParsedBody,
  write: WriteContext,
): ApiObject {
  const { schema, typeMeta } = expected;
  const kind = kindOfVirtual({ scheme, schema, typeMeta });
  return charged(write.budget, () => {
    const object = decodeBody({ kind, scheme, typeMeta }, body.value, {
      ...write,
      duplicateFields: body.duplicates,
      repeatedKeys: body.repeatedKeys,
    });
    applyDefaults(schema, object);
    return object;
  });
}
