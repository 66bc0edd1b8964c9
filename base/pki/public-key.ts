import { CodedError, messageOf } from '../errors/coded.ts';
import { DerTag } from './der.ts';
import { expectTag, readBitString, readElements, readOid, readWhole } from './der-reader.ts';

const RSA = '1.2.840.113549.1.1.1';
const EC = '1.2.840.10045.2.1';
const ED25519 = '1.3.101.112';
const CURVES: ReadonlyMap<string, string> = new Map([
  ['1.2.840.10045.3.1.7', 'P-256'],
  ['1.3.132.0.34', 'P-384'],
  ['1.3.132.0.35', 'P-521'],
]);
const SUPPORTED = `RSA, ${[...CURVES.values()].join(', ')} or Ed25519`;

/**
 * Minimum and maximum size of RSA moduli in bits. The time of a verification grows with the square of the
 * size.
 */
const MIN_RSA_BITS = 2048;
const MAX_RSA_BITS = 8192;
/**
 * Maximum size of RSA exponents in bits, as in Go's crypto/rsa. The time of a verification grows linearly
 * with the size.
 */
const MAX_EXPONENT_BITS = 31;

/**
 * Throws `ERR_PUBLIC_KEY` for a public key that certificates are not issued for.
 *
 * Accepted keys are P-256, P-384, P-521, Ed25519 and RSA. An RSA modulus must have 2048 to 8192 bits; the
 * exponent must be odd, above 1 and have at most 31 bits. The check only parses DER, so that an expensive key
 * is rejected before it is used.
 * @param spki DER of the SubjectPublicKeyInfo
 */
export function checkPublicKey(spki: Buffer): void {
  const fault = faultOf(spki);
  if (fault !== undefined) throw new CodedError('ERR_PUBLIC_KEY', fault);
}

function faultOf(spki: Buffer): string | undefined {
  try {
    const [algorithm, key, ...rest] = readWhole(spki, DerTag.sequence);
    if (rest.length > 0) return 'malformed DER: trailing bytes after the key';
    const [id, parameters] = readElements(expectTag(algorithm, DerTag.sequence).content);
    const bytes = readBitString(expectTag(key, DerTag.bitString));
    switch (readOid(expectTag(id, DerTag.oid))) {
      case RSA:
        return rsaFault(bytes);
      case EC:
        // Explicit curve parameters are a sequence, and can describe weak or expensive curves.
        return parameters?.tag === DerTag.oid && CURVES.has(readOid(parameters))
          ? undefined
          : `unsupported elliptic curve, expected ${SUPPORTED}`;
      case ED25519:
        return undefined;
      default:
        return `unsupported algorithm, expected ${SUPPORTED}`;
    }
  } catch (thrown) {
    return messageOf(thrown);
  }
}

function rsaFault(key: Buffer): string | undefined {
  const [modulus, exponent, ...rest] = readWhole(key, DerTag.sequence).map((part) =>
    positive(expectTag(part, DerTag.integer).content),
  );
  if (modulus === undefined || exponent === undefined || rest.length > 0) return 'malformed RSA key';
  const bits = bitsOf(modulus);
  if (bits < MIN_RSA_BITS || bits > MAX_RSA_BITS)
    return `RSA modulus of ${bits} bits, expected ${MIN_RSA_BITS} to ${MAX_RSA_BITS}`;
  if (isEven(modulus)) return 'RSA modulus is even';
  if (bitsOf(exponent) > MAX_EXPONENT_BITS)
    return `RSA public exponent of ${bitsOf(exponent)} bits, expected at most ${MAX_EXPONENT_BITS}`;
  if (bitsOf(exponent) < 2 || isEven(exponent)) return 'RSA public exponent is not an odd number above 1';
  return undefined;
}

/**
 * Returns the bytes of a positive integer without a leading sign byte. Returns undefined for other integers
 * and for encodings that are longer than necessary.
 */
function positive(content: Buffer): Buffer | undefined {
  const [first = 0x80, second = 0x80] = content;
  if (first >= 0x80) return undefined;
  if (first !== 0) return content;
  return second >= 0x80 && content.length > 1 ? content.subarray(1) : undefined;
}

const bitsOf = (digits: Buffer): number => 8 * digits.length - (Math.clz32(digits[0] ?? 0) - 24);
const isEven = (digits: Buffer): boolean => ((digits.at(-1) ?? 0) & 1) === 0;
