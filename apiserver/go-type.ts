import { type AnyKind, storedKindOf } from '../api/kinds/index.ts';

/** Go type in which upstream stores custom objects, as its metrics name it. */
export const UNSTRUCTURED = '*unstructured.Unstructured';

/** Returns the Go type in which upstream stores objects of a kind, as its metrics name it: `*core.Pod`. */
export function goTypeOf(kind: AnyKind): string {
  if (kind.schema.root !== undefined) return UNSTRUCTURED;
  const stored = storedKindOf(kind);
  return `*${stored.group === '' ? 'core' : (stored.group.split('.')[0] ?? '')}.${stored.kind}`;
}
