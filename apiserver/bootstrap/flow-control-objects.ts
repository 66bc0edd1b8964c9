import type { Suggested } from '../../api/groups/flowcontrol/index.ts';
import { type ApiObject, type DeepReadonly, sameValue } from '../../api/kinds/index.ts';
import { parseGoBoolean } from '../go-boolean.ts';

interface Specified extends ApiObject {
  spec?: unknown;
}

/**
 * Returns the next state of a suggested object. Returns undefined if it needs no change.
 *
 * The server owns the spec if the object is fixed or the annotation is `true`. Without the annotation, the
 * server owns the spec as long as the generation is 1. An administrator keeps a custom spec by setting the
 * annotation to `false`.
 */
export function maintained<T extends Specified>(
  current: DeepReadonly<T>,
  { fixed = false, spec }: Suggested<unknown>,
  annotation: string,
): T | undefined {
  const value = parseGoBoolean(annotationOf(current, annotation));
  const automatic = fixed || (value ?? current.metadata?.generation === 1);
  const isOther = automatic && !sameValue(current.spec, spec);
  if (value === automatic && !isOther) return undefined;
  const next = structuredClone(current) as T;
  next.metadata = {
    ...next.metadata,
    annotations: { ...next.metadata?.annotations, [annotation]: String(automatic) },
  };
  if (isOther) next.spec = structuredClone(spec);
  return next;
}

/**
 * True if the server created the object but no longer suggests it, and no administrator has taken over the
 * object.
 */
export function isObsolete(
  object: DeepReadonly<ApiObject>,
  suggested: readonly Suggested<unknown>[],
  annotation: string,
): boolean {
  const name = object.metadata?.name;
  return (
    parseGoBoolean(annotationOf(object, annotation)) === true && !suggested.some((each) => each.name === name)
  );
}

const annotationOf = ({ metadata }: DeepReadonly<ApiObject>, key: string): string | undefined => {
  const annotations = metadata?.annotations;
  return annotations !== undefined && Object.hasOwn(annotations, key) ? annotations[key] : undefined;
};
