import { createHash, timingSafeEqual } from 'node:crypto';

/** Returns the SHA-256 of a secret, stored and compared in place of the secret. */
export const digestOf = (secret: string | Uint8Array): Buffer => createHash('sha256').update(secret).digest();

/** True if two secrets are equal; the time taken reveals neither their content nor their length. */
export const sameSecret = (a: string | Uint8Array, b: string | Uint8Array): boolean =>
  timingSafeEqual(digestOf(a), digestOf(b));
