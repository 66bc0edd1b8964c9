/** Key of the brand of a class; equal in every copy of this module. */
export const BRAND: unique symbol = Symbol.for('orch.brand') as never;

interface Branded {
  readonly [BRAND]?: string;
}

/**
 * Implements `instanceof` for classes with a brand. True for instances of any class with the same brand, and
 * of its subclasses. A program may contain two copies of a module, for example in a bundle and in a package.
 * The classes of the two copies differ, but an error of one is recognized by the other. A class without its
 * own brand matches only its own instances.
 */
export function hasBrand(type: object, value: unknown): boolean {
  const brand = Object.hasOwn(type, BRAND) ? (type as Branded)[BRAND] : undefined;
  if (typeof value !== 'object' || value === null) return false;
  for (let at: unknown = Object.getPrototypeOf(value); at !== null; at = Object.getPrototypeOf(at)) {
    const ancestor: unknown = (at as { readonly constructor?: unknown }).constructor;
    if (ancestor === type) return true;
    const isClass = brand !== undefined && typeof ancestor === 'function' && Object.hasOwn(ancestor, BRAND);
    if (isClass && (ancestor as Branded)[BRAND] === brand) return true;
  }
  return false;
}
