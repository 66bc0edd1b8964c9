/** The key of a class's brand: the same in every copy of this module. */
export const BRAND: unique symbol = Symbol.for('orch.brand') as never;

interface Branded {
  readonly [BRAND]?: string;
}

/**
 * What `instanceof` means for a class with a brand: true for the instances of every class of that brand, and of their
 * subclasses. A program may hold two copies of a module, a bundle's and a package's, whose classes are not the same; an
 * error that one of them throws is still known to the other. A class without a brand of its own is known by itself alone.
 */
export function hasBrand(type: object, value: unknown): boolean {
  const brand = Object.hasOwn(type, BRAND) ? (type as Branded)[BRAND] : undefined;
  if (typeof value !== 'object' || value === null) return false;
  for (let at: unknown = Object.getPrototypeOf(value); at !== null; at = Object.getPrototypeOf(at)) {
    const made: unknown = (at as { readonly constructor?: unknown }).constructor;
    if (made === type) return true;
    const isClass = brand !== undefined && typeof made === 'function' && Object.hasOwn(made, BRAND);
    if (isClass && (made as Branded)[BRAND] === brand) return true;
  }
  return false;
}
