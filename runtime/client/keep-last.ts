import type { ApiObject, Kind } from '../../api/kinds/kind.ts';
import type { ResourceClient } from './client.ts';

/** Makes the calls on a kind in a namespace, or gives those that were made last for the kind: neighbours come together. */
export type KeepLast = <T extends ApiObject>(
  kind: Kind<T>,
  namespace: string,
  make: () => ResourceClient<T>,
) => ResourceClient<T>;

export function keepLast(): KeepLast {
  const last = new WeakMap<object, { readonly namespace: string; readonly made: object }>();
  return <T extends ApiObject>(kind: Kind<T>, namespace: string, make: () => ResourceClient<T>) => {
    const known = last.get(kind);
    // What is kept for a kind was made for it.
    if (known?.namespace === namespace) return known.made as ResourceClient<T>;
    const made = make();
    last.set(kind, { namespace, made });
    return made;
  };
}
