import type { Registry } from '../registry/registry.ts';

/** Parts that several stages share are made once for the one registry there is. */
export function memoizedByRegistry<T, A extends readonly unknown[]>(
  make: (registry: Registry, ...rest: A) => T,
): (registry: Registry, ...rest: A) => T {
  const made = new WeakMap<Registry, { readonly part: T }>();
  return (registry, ...rest) => {
    const known = made.get(registry);
    if (known !== undefined) return known.part;
    const part = make(registry, ...rest);
    made.set(registry, { part });
    return part;
  };
}
