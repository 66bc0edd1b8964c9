/** Translates values between memory, where they are plain, and a durable store. */
export interface Transformer {
  /** The bytes to store for `value` at `key`. */
  toStorage(key: string, value: Buffer): Buffer;
  /** The value of stored bytes. Throws `UndecryptableValue`. */
  fromStorage(key: string, stored: Buffer): Transformed;
}

export interface Transformed {
  /** May share the memory of the stored bytes. */
  readonly value: Buffer;
  /** `toStorage` would use another provider or key: writing the same value again changes what is stored. */
  readonly isStale: boolean;
}

/** Stores values as they are. */
export const identityTransformer: Transformer = {
  toStorage: (_key, value) => value,
  fromStorage: (_key, value) => ({ value, isStale: false }),
};
