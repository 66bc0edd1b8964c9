/**
 * Encryption provider with its keys. The ciphers have upstream's formats, so that this server and upstream
 * can decrypt each other's values
 * (https://github.com/kubernetes/kubernetes/tree/release-1.24/staging/src/k8s.io/apiserver/pkg/storage/value/encrypt).
 */
export interface Provider {
  readonly name: ProviderName;
  /** Keys of the provider. The first key encrypts, all keys decrypt. Empty for `identity`. */
  readonly keys: readonly ProviderKey[];
}

export type ProviderName = 'identity' | 'aescbc' | 'aesgcm' | 'secretbox';

export interface ProviderKey {
  readonly name: string;
  readonly cipher: Cipher;
}

/** Encryption and decryption with one secret. */
export interface Cipher {
  /**
   * Encrypts `value`, to be stored at `key`. AES-GCM binds the value to the storage key; the other ciphers
   * ignore `key`.
   */
  encrypt(key: string, value: Buffer): Buffer;
  /** Decrypts stored bytes. Returns undefined if they were encrypted with another secret or were changed. */
  decrypt(key: string, bytes: Buffer): Buffer | undefined;
}

/** Source of cryptographically secure random bytes. */
export type RandomBytes = (length: number) => Uint8Array;
