import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Cipher, RandomBytes } from './provider.ts';

const GCM_NONCE_BYTES = 12;
const GCM_TAG_BYTES = 16;

/**
 * Creates an AES-GCM cipher. The stored bytes are nonce, ciphertext, tag. The storage key is authenticated,
 * so that a value copied to another key does not decrypt.
 */
export function createAesGcm(secret: Uint8Array, random: RandomBytes): Cipher {
  const algorithm = `aes-${secret.length * 8}-gcm` as 'aes-256-gcm';
  return {
    encrypt(key, value) {
      const nonce = random(GCM_NONCE_BYTES);
      const cipher = createCipheriv(algorithm, secret, nonce).setAAD(Buffer.from(key));
      return Buffer.concat([nonce, cipher.update(value), cipher.final(), cipher.getAuthTag()]);
    },
    decrypt(key, bytes) {
      const end = bytes.length - GCM_TAG_BYTES;
      if (end < GCM_NONCE_BYTES) return undefined;
      const decipher = createDecipheriv(algorithm, secret, bytes.subarray(0, GCM_NONCE_BYTES), {
        authTagLength: GCM_TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(key)).setAuthTag(bytes.subarray(end));
      const value = decipher.update(bytes.subarray(GCM_NONCE_BYTES, end));
      return unlessRejected(() => Buffer.concat([value, decipher.final()]));
    },
  };
}

const CBC_BLOCK_BYTES = 16;
/**
 * First bytes of every stored object. AES-CBC authenticates nothing: a wrong secret is detected because the
 * decrypted bytes do not begin with this prefix.
 */
const BEGINNING = Buffer.from('{"kind":"');

/** Creates an AES-CBC cipher with PKCS #7 padding. The stored bytes are initialization vector, ciphertext. */
export function createAesCbc(secret: Uint8Array, random: RandomBytes): Cipher {
  const algorithm = `aes-${secret.length * 8}-cbc`;
  return {
    encrypt(_key, value) {
      const vector = random(CBC_BLOCK_BYTES);
      const cipher = createCipheriv(algorithm, secret, vector);
      return Buffer.concat([vector, cipher.update(value), cipher.final()]);
    },
    decrypt(_key, bytes) {
      if (bytes.length < 2 * CBC_BLOCK_BYTES || bytes.length % CBC_BLOCK_BYTES !== 0) return undefined;
      const decipher = createDecipheriv(algorithm, secret, bytes.subarray(0, CBC_BLOCK_BYTES));
      const value = decipher.update(bytes.subarray(CBC_BLOCK_BYTES));
      const whole = unlessRejected(() => Buffer.concat([value, decipher.final()]));
      return whole?.subarray(0, BEGINNING.length).equals(BEGINNING) ? whole : undefined;
    },
  };
}

/**
 * Returns undefined if OpenSSL rejects the tag or padding. OpenSSL's error has no code by which to recognize
 * it.
 */
function unlessRejected(finish: () => Buffer): Buffer | undefined {
  try {
    return finish();
  } catch {
    return undefined;
  }
}

const BOX_NONCE_BYTES = 24;
const BOX_TAG_BYTES = 16;

/**
 * Loads XSalsa20-Poly1305 (NaCl's secretbox). The stored bytes are nonce, tag, ciphertext. OpenSSL has no
 * XSalsa20. The library is imported on demand, so that processes that do not use it stay small.
 */
export async function loadSecretbox(): Promise<(secret: Uint8Array, random: RandomBytes) => Cipher> {
  const { xsalsa20poly1305 } = await import('@noble/ciphers/salsa.js');
  return (secret, random) => ({
    encrypt(_key, value) {
      const nonce = random(BOX_NONCE_BYTES);
      return Buffer.concat([nonce, xsalsa20poly1305(secret, nonce).encrypt(value)]);
    },
    decrypt(_key, bytes) {
      if (bytes.length < BOX_NONCE_BYTES + BOX_TAG_BYTES) return undefined;
      const box = xsalsa20poly1305(secret, bytes.subarray(0, BOX_NONCE_BYTES));
      return unlessRejected(() => Buffer.from(box.decrypt(bytes.subarray(BOX_NONCE_BYTES))));
    },
  });
}
