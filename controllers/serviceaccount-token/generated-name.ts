import { createHash } from 'node:crypto';
import type { ApiObject, DeepReadonly } from '../../api/kinds/kind.ts';
import { splitKey } from '../../api/kinds/scheme.ts';

/** As the server cuts what it makes names of: with five characters more it is one label. */
const MAX_PREFIX = 58;
/** Those of generated names: no vowels, no words. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX = new RegExp(`^[${ALPHABET}]{5}$`);
const MARK = '-token-';

type Account = DeepReadonly<ApiObject>;

export const generatedPrefix = (account: string): string => `${account}${MARK}`.slice(0, MAX_PREFIX);

/** True for a name of the form of those that are generated for an account. */
export const isGenerated = (name: string, account: string): boolean => {
  const prefix = generatedPrefix(account);
  return name.startsWith(prefix) && SUFFIX.test(name.slice(prefix.length));
};

/**
 * The name of the token Secret to generate for an account: a hash of the account's uid and of the deleted tokens that the
 * account still names. Two attempts, by two processes or after a lost answer, choose the same name. The reference to a
 * deleted token is replaced by that to its successor in one write, so a deleted token does not come back under its name.
 * `attempt` counts the names that were found to belong to others.
 */
export function generatedName({ metadata }: Account, deleted: readonly string[] = [], attempt = 0): string {
  const { uid = '', name = '' } = metadata ?? {};
  const digest = createHash('sha256')
    .update([uid, ...deleted, attempt].join(' '))
    .digest();
  const suffix = [...digest.subarray(0, 5)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return generatedPrefix(name) + suffix;
}

/** The work-queue key under which a token Secret is generated for an account. No Secret has it: its name ends with a dash. */
export const generationKey = (namespace: string, account: string): string => `${namespace}/${account}${MARK}`;

/** The key of the account that a `generationKey` is of; undefined for the key of a Secret. */
export const accountOfKey = (key: string): string | undefined =>
  splitKey(key).name.endsWith(MARK) ? key.slice(0, -MARK.length) : undefined;
