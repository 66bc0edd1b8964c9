import type { Registry } from '../registry/registry.ts';

/** Returns a function that calls `make` once for each registry, so that several stages share its result. */
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
