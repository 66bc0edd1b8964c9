import { type KeyObject, createHash, generateKeyPairSync } from 'node:crypto';

export type KeyAlgorithm = 'rsa-2048' | 'ec-p256' | 'ec-p384' | 'ed25519';

export interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

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

/** PKCS#8 PEM. */
export const privateKeyPem = (key: KeyObject): string =>
  key.export({ type: 'pkcs8', format: 'pem' }).toString();

export const publicKeyDer = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });

/** RFC 5280 section 4.2.1.2, method 1, over the whole SubjectPublicKeyInfo: stable for one key. */
export const keyIdentifier = (key: KeyObject | Buffer): Buffer =>
  createHash('sha1')
    .update(Buffer.isBuffer(key) ? key : publicKeyDer(key))
    .digest();
