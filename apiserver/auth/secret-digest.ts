import { createHash, timingSafeEqual } from 'node:crypto';

/** SHA-256 of a secret: what is kept and compared instead of the secret itself. */
export const digestOf = (secret: string | Uint8Array): Buffer => createHash('sha256').update(secret).digest();

/** Whether two secrets are equal, in a time that tells neither their content nor their length. */
export const sameSecret = (a: string | Uint8Array, b: string | Uint8Array): boolean =>
  timingSafeEqual(digestOf(a), digestOf(b));
