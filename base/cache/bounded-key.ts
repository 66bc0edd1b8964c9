import { createHash } from 'node:crypto';

/** Maximum length of an unchanged key in characters. */
const MAX_LENGTH = 128;

/**
 * Returns a key of bounded length for a text. A long text is replaced by its digest, so that clients cannot
 * fill a cache with long keys.
 */
export const boundedKey = (text: string): string =>
  text.length <= MAX_LENGTH ? text : `sha256 ${createHash('sha256').update(text).digest('base64')}`;
