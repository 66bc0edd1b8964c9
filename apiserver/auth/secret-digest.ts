import { createHash, timingSafeEqual } from 'node:crypto';

/** Returns the SHA-256 of a secret, which is stored and compared in place of the secret. */
export const digestOf = (secret: string | Uint8Array): Buffer => createHash('sha256').update(secret).digest();

/** True if two secrets are equal. The time of the comparison depends neither on content nor on length. */
export const sameSecret = (a: string | Uint8Array, b: string | Uint8Array): boolean =>
  timingSafeEqual(digestOf(a), digestOf(b));
