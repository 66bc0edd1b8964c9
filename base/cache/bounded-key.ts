import { createHash } from 'node:crypto';

/** Characters a key may have as it is. */
const LONGEST = 128;

/** A key of bounded length for a text of any, so that a stranger's texts do not fill a cache: a long one's digest. */
export const boundedKey = (text: string): string =>
  text.length <= LONGEST ? text : `sha256 ${createHash('sha256').update(text).digest('base64')}`;
