/**
 * Returns a function that calls `make` on first use and keeps its value. An exception of `make` is not kept.
 */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
