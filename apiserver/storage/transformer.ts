/** Translation of values between their plain form in memory and their form in a durable store. */
export interface Transformer {
  /** Returns the bytes to store for `value` at `key`. */
  toStorage(key: string, value: Buffer): Buffer;
  /** Returns the value of stored bytes. Throws `UndecryptableValue` if no key decrypts them. */
  fromStorage(key: string, stored: Buffer): Transformed;
}

/** Result of `Transformer.fromStorage`. */
export interface Transformed {
  /** The plain value. It may share the memory of the stored bytes. */
  readonly value: Buffer;
  /**
   * True if `toStorage` would use another provider or key, so that writing the value again changes the stored
   * bytes.
   */
  readonly isStale: boolean;
}

/** Transformer that stores values unchanged. */
export const identityTransformer: Transformer = {
  toStorage: (_key, value) => value,
  fromStorage: (_key, value) => ({ value, isStale: false }),
};
