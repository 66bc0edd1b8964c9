import type { ApiObject, Kind } from '../../api/kinds/index.ts';
import type { ResourceClient } from './client.ts';

/**
 * Returns the calls on a kind and namespace, cached for the last namespace of each kind. Consecutive calls
 * usually have the same namespace.
 */
export type KeepLast = <T extends ApiObject>(
  kind: Kind<T>,
  namespace: string,
  make: () => ResourceClient<T>,
) => ResourceClient<T>;

/** Creates an empty cache. */
export function keepLast(): KeepLast {
  const last = new WeakMap<object, { readonly namespace: string; readonly made: object }>();
  return <T extends ApiObject>(kind: Kind<T>, namespace: string, make: () => ResourceClient<T>) => {
    const known = last.get(kind);
    // An entry of a kind has calls of that kind.
    if (known?.namespace === namespace) return known.made as ResourceClient<T>;
    const made = make();
    last.set(kind, { namespace, made });
    return made;
  };
}
