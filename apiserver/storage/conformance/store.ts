import type { Storage } from '../storage.ts';

/** Returns the UTF-8 bytes of a string. */
export const bytes = (text: string): Buffer => Buffer.from(text);

/** Returns the keys of items. */
export const keysOf = (items: readonly { key: string }[]): readonly string[] => items.map(({ key }) => key);

/** Function that creates an empty store. */
export type Fresh = (limits?: { historyLimit?: number }) => Promise<Storage>;
