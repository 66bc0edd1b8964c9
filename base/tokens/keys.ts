import { type KeyObject, createHash, createPublicKey } from 'node:crypto';
import { CodedError } from '../errors/coded.ts';

/** JWS algorithm of an issued token. */
export type SigningAlgorithm = 'RS256' | 'ES256' | 'ES384' | 'ES512';

const CURVES: Readonly<Record<string, SigningAlgorithm>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

/**
 * Returns the JWS algorithm of a key (RFC 7518). Throws `ERR_TOKEN_KEY` for a key that is neither RSA nor EC
 * on a NIST curve.
 */
export function algorithmOf(key: KeyObject): SigningAlgorithm {
  if (key.asymmetricKeyType === 'rsa') return 'RS256';
  const curve = key.asymmetricKeyDetails?.namedCurve ?? '';
  const algorithm = key.asymmetricKeyType === 'ec' ? CURVES[curve] : undefined;
  if (algorithm === undefined)
    throw new CodedError(
      'ERR_TOKEN_KEY',
      `token key is of type ${key.asymmetricKeyType ?? key.type}${curve === '' ? '' : ` on curve ${curve}`}, expected RSA or EC on P-256, P-384 or P-521`,
    );
  return algorithm;
}

const keyIds = new WeakMap<KeyObject, string>();

/**
 * Returns the key ID (`kid`) of a key: the SHA-256 of its public key (DER of the SubjectPublicKeyInfo) in
 * base64url.
 */
export function keyIdOf(key: KeyObject): string {
  const known = keyIds.get(key);
  if (known !== undefined) return known;
  const publicKey = key.type === 'public' ? key : createPublicKey(key);
  const id = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
  keyIds.set(key, id);
  return id;
}
