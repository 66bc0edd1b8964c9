import { type KeyObject, createHash, generateKeyPairSync } from 'node:crypto';

/** Algorithm of a generated key. */
export type KeyAlgorithm = 'rsa-2048' | 'ec-p256' | 'ec-p384' | 'ed25519';

/** Private key and its public key. */
export interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** Generates a key pair synchronously. */
export function generateKeyPair(algorithm: KeyAlgorithm): KeyPair {
  switch (algorithm) {
    case 'rsa-2048':
      return generateKeyPairSync('rsa', { modulusLength: 2048 });
    case 'ec-p256':
      return generateKeyPairSync('ec', { namedCurve: 'P-256' });
    case 'ec-p384':
      return generateKeyPairSync('ec', { namedCurve: 'P-384' });
    case 'ed25519':
      return generateKeyPairSync('ed25519');
  }
}

/** Returns a private key as PKCS#8 PEM. */
export const privateKeyPem = (key: KeyObject): string =>
  key.export({ type: 'pkcs8', format: 'pem' }).toString();

/** Returns a public key as DER (SubjectPublicKeyInfo). */
export const publicKeyDer = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });

/**
 * Returns the key identifier: the SHA-1 of the whole SubjectPublicKeyInfo, a stable variant of method 1 in
 * RFC 5280 section 4.2.1.2.
 */
export const keyIdentifier = (key: KeyObject | Buffer): Buffer =>
  createHash('sha1')
    .update(Buffer.isBuffer(key) ? key : publicKeyDer(key))
    .digest();
