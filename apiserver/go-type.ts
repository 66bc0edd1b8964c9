import { type AnyKind, storedKindOf } from '../api/kinds/index.ts';

/** The Go type in which upstream keeps custom objects, as its metrics name it. */
export const UNSTRUCTURED = '*unstructured.Unstructured';

/** Returns the Go type in which upstream keeps objects of a kind, as its metrics name it: `*core.Pod`. */
export function goTypeOf(kind: AnyKind): string {
  if (kind.schema.root !== undefined) return UNSTRUCTURED;
  const stored = storedKindOf(kind);
  return `*${stored.group === '' ? 'core' : (stored.group.split('.')[0] ?? '')}.${stored.kind}`;
}
