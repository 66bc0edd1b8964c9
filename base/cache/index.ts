export { boundedKey } from './bounded-key.ts';
export { type LruMap, createLruMap } from './lru-map.ts';
export { once } from './once.ts';
