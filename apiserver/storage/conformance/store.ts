import type { Storage } from '../storage.ts';

/** Encodes a text. */
export const bytes = (text: string): Buffer => Buffer.from(text);

/** Returns the keys of items. */
export const keysOf = (items: readonly { key: string }[]): readonly string[] => items.map(({ key }) => key);

/** Creates an empty store. */
export type Fresh = (limits?: { historyLimit?: number }) => Promise<Storage>;
