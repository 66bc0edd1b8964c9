import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';

/**
 * Function that reduces an object before it is cached. Returns the same object if there is nothing to remove.
 */
export type Transform = <T extends ApiObject>(object: DeepReadonly<T>) => DeepReadonly<T>;

/**
 * Returns a transform that removes `metadata.managedFields`. This field is a fifth to a half of many objects,
 * no controller reads it, and the server retains it if an update lacks it.
 * @param dropLastApplied true to also remove the annotation of client-side apply
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
