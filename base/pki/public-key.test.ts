import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DerTag, bitString, element, oid, sequence } from './der.ts';
import { publicKeyDer } from './keys.ts';
import { checkPublicKey } from './public-key.ts';

/** Returns the DER of an RSA key from hexadecimal numbers. */
const rsa = (modulus: string, exponent: string): Buffer => {
  const integer = (hex: string): Buffer => element(DerTag.integer, Buffer.from(hex, 'hex'));
  const algorithm = sequence(oid('1.2.840.113549.1.1.1'), element(0x05));
  return sequence(algorithm, bitString(sequence(integer(modulus), integer(exponent))));
};
/** Returns an odd number with the given number of bits. */
const modulus = (bits: number): string => {
  const hex = ((1n << BigInt(bits - 1)) | 1n).toString(16);
  return bits % 8 === 0 ? `00${hex}` : hex.padStart(2 * Math.ceil(bits / 8), '0');
};
const evenModulus = modulus(2048).replace(/1$/, '2');

describe('public key of a certificate request', () => {
  it.each([
    ['RSA of 2048 bits', () => generateKeyPairSync('rsa', { modulusLength: 2048 })],
    ['RSA with exponent 3', () => generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 })],
    ['P-256', () => generateKeyPairSync('ec', { namedCurve: 'P-256' })],
    ['P-384', () => generateKeyPairSync('ec', { namedCurve: 'P-384' })],
    ['P-521', () => generateKeyPairSync('ec', { namedCurve: 'P-521' })],
    ['Ed25519', () => generateKeyPairSync('ed25519')],
  ])('is accepted if it is %s', (_name, generate) => {
    expect(() => checkPublicKey(publicKeyDer(generate().publicKey))).not.toThrow();
  });

  it.each([
    ['RSA modulus of 1024 bits', rsa(modulus(1024), '010001')],
    ['RSA modulus of 2047 bits', rsa(modulus(2047), '010001')],
    ['RSA modulus of 8193 bits', rsa(modulus(8193), '010001')],
    ['RSA modulus is even', rsa(evenModulus, '010001')],
    ['RSA public exponent is not an odd number above 1', rsa(modulus(2048), '01')],
    ['RSA public exponent is not an odd number above 1', rsa(modulus(2048), '010000')],
    ['malformed RSA key', rsa(modulus(2048), '00')],
    ['malformed RSA key', rsa(modulus(2048), 'ff')],
    ['malformed RSA key', rsa(modulus(2048), '00010001')],
    ['RSA public exponent of 32 bits', rsa(modulus(2048), '0080000001')],
    ['RSA public exponent of 2047 bits', rsa(modulus(2048), modulus(2047))],
    [
      'unsupported elliptic curve',
      publicKeyDer(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey),
    ],
    [
      'unsupported elliptic curve',
      publicKeyDer(generateKeyPairSync('ec', { namedCurve: 'P-256', paramEncoding: 'explicit' }).publicKey),
    ],
    ['unsupported algorithm', publicKeyDer(generateKeyPairSync('ed448').publicKey)],
    [
      'unsupported algorithm',
      publicKeyDer(generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey),
    ],
    ['malformed DER', Buffer.of(0x30, 0)],
  ])('is rejected: %s', (message, spki) => {
    expect(() => checkPublicKey(spki)).toThrow(
      expect.objectContaining({ code: 'ERR_PUBLIC_KEY', message: expect.stringContaining(message) }),
    );
  });
});
