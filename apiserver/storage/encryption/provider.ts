/**
 * One way to encrypt values, with its keys (upstream: `storage/value/encrypt`). Formats are upstream's, so that a value
 * that one has written the other can read.
 */
export interface Provider {
  readonly name: ProviderName;
  /** The first key encrypts, all decrypt; none for `identity`. */
  readonly keys: readonly ProviderKey[];
}

export type ProviderName = 'identity' | 'aescbc' | 'aesgcm' | 'secretbox';

export interface ProviderKey {
  readonly name: string;
  readonly cipher: Cipher;
}

/** Encrypts with one secret. */
export interface Cipher {
  /** `key` is where the value is stored; a cipher that authenticates does not decrypt it elsewhere if it can tell. */
  encrypt(key: string, value: Buffer): Buffer;
  /** Undefined where the bytes were not encrypted with this secret, or were changed. */
  decrypt(key: string, bytes: Buffer): Buffer | undefined;
}

/** Random bytes that nobody can predict. */
export type RandomBytes = (length: number) => Uint8Array;
