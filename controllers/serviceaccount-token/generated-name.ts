import { createHash } from 'node:crypto';
import { type ApiObject, type DeepReadonly, splitKey } from '../../api/kinds/index.ts';
import type { Secret } from '../../api/types/core-v1.ts';

/** Longest prefix of a generated name, as in the API server: with five more characters it is still a DNS label. */
const MAX_PREFIX = 58;
/** Characters of generated names, as in the API server: without vowels, so that no words appear. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX = new RegExp(`^[${ALPHABET}]{5}$`);
const MARK = '-token-';

type Account = DeepReadonly<ApiObject>;

/** Returns the prefix of the names that are generated for an account. */
export const generatedPrefix = (account: string): string => `${account}${MARK}`.slice(0, MAX_PREFIX);

/** True if a name has the form of the names that are generated for an account. */
export const isGenerated = (name: string, account: string): boolean => {
  const prefix = generatedPrefix(account);
  return name.startsWith(prefix) && SUFFIX.test(name.slice(prefix.length));
};

/**
 * Returns the name of the token Secret to generate for an account: a hash of the account's uid and of the random id of the
 * token in it (`jti`). As the id never comes back, neither does the name of a deleted token.
 */
export function generatedName({ metadata }: Account, tokenId: string): string {
  const { uid = '', name = '' } = metadata ?? {};
  const digest = createHash('sha256').update(`${uid} ${tokenId}`).digest();
  const suffix = [...digest.subarray(0, 5)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return generatedPrefix(name) + suffix;
}

/**
 * True if this controller generated the token Secret for the account: its name follows from the id of its token. A Secret
 * that a user created has a name of the user's choice.
 */
export function isGeneratedFor(account: Account, { metadata, data }: DeepReadonly<Secret>): boolean {
  const id = tokenIdOf(data?.['token'] ?? '');
  return id !== undefined && generatedName(account, id) === metadata?.name;
}

/** Returns the `jti` of a token in base64, as a Secret holds it, or undefined if the text is not a token. */
function tokenIdOf(encoded: string): string | undefined {
  const [, claims = ''] = Buffer.from(encoded, 'base64').toString().split('.');
  try {
    const { jti } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { readonly jti?: unknown };
    return typeof jti === 'string' ? jti : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the work-queue key that generates a token Secret for an account. It ends with a dash, so no Secret has this key. */
export const generationKey = (namespace: string, account: string): string => `${namespace}/${account}${MARK}`;

/** Returns the key of the account that a `generationKey` was made for, or undefined for the key of a Secret. */
export const accountOfKey = (key: string): string | undefined =>
  splitKey(key).name.endsWith(MARK) ? key.slice(0, -MARK.length) : undefined;
