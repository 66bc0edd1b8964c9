import type { ApiObject, Kind } from '../../api/kinds/index.ts';
import type { ResourceClient } from './client.ts';

/**
 * Cache of the calls on a kind, for the last namespace of each kind: consecutive calls usually have the same
 * namespace. Calls `make` on a cache miss.
 */
export type KeepLast = <T extends ApiObject>(
  kind: Kind<T>,
  namespace: string,
  make: () => ResourceClient<T>,
) => ResourceClient<T>;

/** Creates an empty cache. */
export function keepLast(): KeepLast {
  const last = new WeakMap<object, { readonly namespace: string; readonly calls: object }>();
  return <T extends ApiObject>(kind: Kind<T>, namespace: string, make: () => ResourceClient<T>) => {
    const known = last.get(kind);
    // The cast is safe: the entry of a kind has calls on that kind.
    if (known?.namespace === namespace) return known.calls as ResourceClient<T>;
    const calls = make();
    last.set(kind, { namespace, calls });
    return calls;
  };
}
