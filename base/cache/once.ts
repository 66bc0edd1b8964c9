/**
 * Returns a function that calls `make` on first use and caches the result. An exception of `make` is not
 * cached.
 */
export function once<T>(make: () => T): () => T {
  let created: { readonly value: T } | undefined;
  return () => (created ??= { value: make() }).value;
}
