import { type AnyKind, storedKindOf } from '../api/kinds/index.ts';

/** The type of Go that upstream keeps objects of custom kinds in, as its metrics name it. */
export const UNSTRUCTURED = '*unstructured.Unstructured';

/** The type of Go that upstream keeps objects of a kind in, as its metrics name it: `*core.Pod`. */
export function goTypeOf(kind: AnyKind): string {
  if (kind.schema.root !== undefined) return UNSTRUCTURED;
  const stored = storedKindOf(kind);
  return `*${stored.group === '' ? 'core' : (stored.group.split('.')[0] ?? '')}.${stored.kind}`;
}
