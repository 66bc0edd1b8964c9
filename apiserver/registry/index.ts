export { createRegistry } from './create-registry.ts';
export type { ObjectReader, ResourceRegistry, WriteContext } from './registry.ts';
export { storagePrefix } from './resource.ts';
