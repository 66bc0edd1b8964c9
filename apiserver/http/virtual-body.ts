import type { ApiObject } from '../../api/kinds/kind.ts';
import type { Scheme } from '../../api/kinds/scheme.ts';
import { applyDefaults } from '../../api/schema/defaults.ts';
import type { StructSchema } from '../../api/schema/schema.ts';
import { charged } from '../../base/budget/work-budget.ts';
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
