import { createHash } from 'node:crypto';
import { type ApiObject, type DeepReadonly, splitKey } from '../../api/kinds/index.ts';
import type { Secret } from '../../api/types/core-v1.ts';

/**
 * Maximum length of the prefix of a generated name, as in the API server. With five more characters, the name
 * is still a DNS label.
 */
const MAX_PREFIX = 58;
/**
 * Characters of generated names, as in the API server. They include no vowels, so that names contain no
 * words.
 */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX = new RegExp(`^[${ALPHABET}]{5}$`);
const MARK = '-token-';

type Account = DeepReadonly<ApiObject>;

/** Returns the prefix of the names that are generated for a ServiceAccount. */
export const generatedPrefix = (account: string): string => `${account}${MARK}`.slice(0, MAX_PREFIX);

/** True if a name has the form of the names that are generated for a ServiceAccount. */
export const isGenerated = (name: string, account: string): boolean => {
  const prefix = generatedPrefix(account);
  return name.startsWith(prefix) && SUFFIX.test(name.slice(prefix.length));
};

/**
 * Returns the name of the token Secret to generate for a ServiceAccount. The name contains a hash of the
 * ServiceAccount's uid and the token's random ID (`jti`). An ID is never reused, so neither is the name of a
 * deleted token.
 */
export function generatedName({ metadata }: Account, tokenId: string): string {
  const { uid = '', name = '' } = metadata ?? {};
  const digest = createHash('sha256').update(`${uid} ${tokenId}`).digest();
  const suffix = [...digest.subarray(0, 5)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return generatedPrefix(name) + suffix;
}

/**
 * True if this controller generated the token Secret for the ServiceAccount: its name is derived from the ID
 * of its token. A Secret that a user created has another name.
 */
export function isGeneratedFor(account: Account, { metadata, data }: DeepReadonly<Secret>): boolean {
  const id = tokenIdOf(data?.['token'] ?? '');
  return id !== undefined && generatedName(account, id) === metadata?.name;
}

/** Returns the `jti` of a token in base64, as in a Secret, or undefined if the string is not a token. */
function tokenIdOf(encoded: string): string | undefined {
  const [, claims = ''] = Buffer.from(encoded, 'base64').toString().split('.');
  try {
    const { jti } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { readonly jti?: unknown };
    return typeof jti === 'string' ? jti : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the work-queue key that generates a token Secret for a ServiceAccount. The key ends with a dash, so
 * it is never the key of a Secret.
 */
export const generationKey = (namespace: string, account: string): string => `${namespace}/${account}${MARK}`;

/**
 * Returns the key of the ServiceAccount to which a `generationKey` belongs, or undefined for the key of a
 * Secret.
 */
export const accountOfKey = (key: string): string | undefined =>
  splitKey(key).name.endsWith(MARK) ? key.slice(0, -MARK.length) : undefined;
