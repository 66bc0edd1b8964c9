import { createHash } from 'node:crypto';

/** Maximum length of an unchanged key in characters. */
const LONGEST = 128;

/**
 * Returns a text as a key of bounded length, a long one as its digest. Clients can therefore not fill a cache
 * with long keys.
 */
export const boundedKey = (text: string): string =>
  text.length <= LONGEST ? text : `sha256 ${createHash('sha256').update(text).digest('base64')}`;
