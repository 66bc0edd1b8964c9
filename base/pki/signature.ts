import { AsnConvert } from '@peculiar/asn1-schema';
import { Certificate } from '@peculiar/asn1-x509';

/** Signatures whose digest can be forged (RFC 3279): MD2, MD5 and SHA-1 with RSA, SHA-1 with DSA and ECDSA. */
const BROKEN = new Set([
  '1.2.840.113549.1.1.2',
  '1.2.840.113549.1.1.4',
  '1.2.840.113549.1.1.5',
  '1.3.14.3.2.29',
  '1.2.840.10040.4.3',
  '1.2.840.10045.4.1',
]);

/** Whether anybody could have made the signature on a certificate, given in DER; also of what cannot be read. */
export function isForgeable(der: Uint8Array): boolean {
  try {
    return BROKEN.has(AsnConvert.parse(der, Certificate).signatureAlgorithm.algorithm);
  } catch {
    return true;
  }
}
