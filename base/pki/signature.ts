/**
 * Signature algorithms with a digest that can be forged (RFC 3279): MD2, MD5 and SHA-1 with RSA, SHA-1 with
 * DSA, and SHA-1 with ECDSA.
 */
const BROKEN: ReadonlySet<string> = new Set([
  '1.2.840.113549.1.1.2',
  '1.2.840.113549.1.1.4',
  '1.2.840.113549.1.1.5',
  '1.3.14.3.2.29',
  '1.2.840.10040.4.3',
  '1.2.840.10045.4.1',
]);

/** True if signatures with this algorithm, a dotted object identifier, can be forged. */
export const isForgeable = (algorithm: string): boolean => BROKEN.has(algorithm);
