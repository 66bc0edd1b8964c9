import type { Suggested } from '../../api/groups/flowcontrol/index.ts';
import { type ApiObject, type DeepReadonly, sameValue } from '../../api/kinds/index.ts';

interface Specified extends ApiObject {
  spec?: unknown;
}

const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

function parseBoolean(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (TRUE.has(text)) return true;
  return FALSE.has(text) ? false : undefined;
}

/**
 * What an object that every cluster has should become; undefined where it is right. The spec is the server's where that is
 * fixed or the annotation says so, or, where the annotation says nothing, as long as nobody has changed it; an administrator
 * who sets the annotation to `false` keeps an own one.
 */
export function maintained<T extends Specified>(
  current: DeepReadonly<T>,
  { fixed = false, spec }: Suggested<unknown>,
  annotation: string,
): T | undefined {
  const value = parseBoolean(annotationOf(current, annotation));
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

/** Whether the server made an object that it would not make any more, and nobody has taken it over. */
export function isObsolete(
  object: DeepReadonly<ApiObject>,
  suggested: readonly Suggested<unknown>[],
  annotation: string,
): boolean {
  const name = object.metadata?.name;
  return (
    parseBoolean(annotationOf(object, annotation)) === true && !suggested.some((each) => each.name === name)
  );
}

const annotationOf = ({ metadata }: DeepReadonly<ApiObject>, key: string): string | undefined => {
  const annotations = metadata?.annotations;
  return annotations !== undefined && Object.hasOwn(annotations, key) ? annotations[key] : undefined;
};
