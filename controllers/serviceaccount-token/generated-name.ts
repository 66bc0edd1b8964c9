import { createHash } from 'node:crypto';
import type { DeepReadonly } from '../../api/kinds/kind.ts';
import type { ServiceAccount } from '../../api/types/core-v1.ts';

/** As the server cuts what it makes names of: with five characters more it is one label. */
const MAX_PREFIX = 58;
/** Those of generated names: no vowels, no words. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

export const generatedPrefix = (account: string): string => `${account}-token-`.slice(0, MAX_PREFIX);

/**
 * The name of the token Secret generated for an account. It follows from the account's uid: whoever generates again, after a
 * crash or a lost answer, meets what there is already.
 */
export function generatedName({ metadata }: DeepReadonly<ServiceAccount>): string {
  const digest = createHash('sha256')
    .update(metadata?.uid ?? '')
    .digest();
  const suffix = [...digest.subarray(0, 5)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return generatedPrefix(metadata?.name ?? '') + suffix;
}
