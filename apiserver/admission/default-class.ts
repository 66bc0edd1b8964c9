import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';
import { internalError } from '../../api/status/index.ts';
import type { ObjectReader } from '../registry/registry.ts';

/**
 * Returns the name of the class that an annotation with value `true` marks as the default. Returns undefined
 * if no class is marked. Throws the error that `refuse` returns if several classes are marked.
 */
export function defaultClassName<T extends ApiObject>(
  classes: ObjectReader<T>,
  annotations: readonly string[],
  refuse: (count: number) => Error,
): string | undefined {
  const marked = classes.list().filter((each) => isMarked(each, annotations));
  if (marked.length > 1) throw refuse(marked.length);
  return marked[0]?.metadata?.name;
}

const isMarked = ({ metadata }: DeepReadonly<ApiObject>, keys: readonly string[]): boolean => {
  const annotations = metadata?.annotations ?? {};
  return keys.some((key) => Object.hasOwn(annotations, key) && annotations[key] === 'true');
};

/** Returns the text that upstream prints for an internal error within another message. */
export const internalText = (message: string): string => internalError(message).message;
