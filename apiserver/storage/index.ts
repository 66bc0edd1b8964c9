export { createCompactor } from './compactor.ts';
export { createExpiry } from './expiry.ts';
export { openDisk } from './lmdb-disk.ts';
export { openLmdbStorage } from './lmdb.ts';
export { createMemoryStorage } from './memory.ts';
export { checkObject, stampResourceVersion } from './stamp.ts';
export { type Change, type Storage, StorageError, type Stored, type Subscription } from './storage.ts';
export type { Transformer } from './transformer.ts';
