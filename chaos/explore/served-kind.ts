import { customKinds } from '../../api/extensions/index.ts';
import type { AnyKind, ApiObject, Kind } from '../../api/kinds/index.ts';
import type { CustomResourceDefinition } from '../../api/types/apiextensions-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';

/**
 * Returns a kind as a server serves it. A custom kind of a module is declared by its TypeScript type alone, so it has
 * no schema. It is served as if its definition had a status subresource and kept all fields.
 */
export function servedKind(kind: AnyKind, vocabulary: Vocabulary): Kind<ApiObject> {
  const { group, version, plural, singular, namespaced, schema } = kind;
  const hasSchema = schema.kind !== 'struct' || Object.keys(schema.fields).length > 0;
  if (hasSchema) return kind as unknown as Kind<ApiObject>;
  const definition = {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: { plural, singular, kind: kind.kind },
      versions: [{ name: version, served: true, storage: true, subresources: { status: {} } }],
    },
  } as unknown as CustomResourceDefinition;
  return customKinds(definition, vocabulary).stored as unknown as Kind<ApiObject>;
}
