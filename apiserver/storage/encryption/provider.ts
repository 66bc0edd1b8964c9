/**
 * One way to encrypt values, with its keys. The formats of the ciphers are upstream's, so that each side can
 * decrypt values of the other
 * (https://github.com/kubernetes/kubernetes/tree/release-1.24/staging/src/k8s.io/apiserver/pkg/storage/value/encrypt).
 */
export interface Provider {
  readonly name: ProviderName;
  /** The first key encrypts, all keys decrypt; empty for `identity`. */
  readonly keys: readonly ProviderKey[];
}

export type ProviderName = 'identity' | 'aescbc' | 'aesgcm' | 'secretbox';

export interface ProviderKey {
  readonly name: string;
  readonly cipher: Cipher;
}

/** Encryption with one secret. */
export interface Cipher {
  /**
   * Encrypts `value`, to be stored at `key`. AES-GCM binds the value to the key; the other ciphers ignore it.
   */
  encrypt(key: string, value: Buffer): Buffer;
  /** Returns undefined if the bytes were encrypted with another secret or were changed. */
  decrypt(key: string, bytes: Buffer): Buffer | undefined;
}

/** Returns cryptographically secure random bytes. */
export type RandomBytes = (length: number) => Uint8Array;
