import type { ApiObject, DeepReadonly } from '../../api/kinds/kind.ts';
import type { Vocabulary } from '../../api/vocabulary/vocabulary.ts';

/** Makes an object smaller before it is kept; gives the very same one where there is nothing to leave out. */
export type Transform = <T extends ApiObject>(object: DeepReadonly<T>) => DeepReadonly<T>;

/**
 * Leaves out `metadata.managedFields`: a fifth to a half of many objects, read by no controller, and kept by the server
 * when an update lacks it. With `dropLastApplied` also the annotation of client-side apply.
 */
export function createTransform(vocabulary: Vocabulary, dropLastApplied: boolean): Transform {
  const lastApplied = vocabulary.key('kubectl', 'last-applied-configuration');
  return <T extends ApiObject>(object: DeepReadonly<T>): DeepReadonly<T> => {
    const { metadata } = object as DeepReadonly<ApiObject>;
    const drops = dropLastApplied && metadata?.annotations?.[lastApplied] !== undefined;
    if (metadata === undefined || (metadata.managedFields === undefined && !drops)) return object;
    const { managedFields: _, ...kept } = metadata;
    const { metadata: __, ...others } = object as DeepReadonly<ApiObject>;
    if (!drops) return { metadata: kept, ...others } as DeepReadonly<T>;
    const { [lastApplied]: ___, ...annotations } = metadata.annotations ?? {};
    return { metadata: { ...kept, annotations }, ...others } as DeepReadonly<T>;
  };
}
