import { DerTag, bitString, element, explicit, oid, sequence } from '../../base/pki/der.ts';
import { signBytes, signatureIdentifierDer } from '../../base/pki/algorithms.ts';
import { type KeyPair, generateKeyPair, publicKeyDer } from '../../base/pki/keys.ts';
import { toPem } from '../../base/pki/pem.ts';

export const COMMON_NAME = '2.5.4.3';
export const ORGANIZATION = '2.5.4.10';

const ownKeys = generateKeyPair('ec-p256');

export interface RawRequest {
  /** Subject in DER. */
  readonly subject: Buffer;
  /** Attributes in DER. */
  readonly attributes?: readonly Buffer[];
  readonly keys?: KeyPair;
}

/** Returns a certificate request (PEM) with arbitrary DER and a valid signature. */
export function rawRequest({ subject, attributes = [], keys = ownKeys }: RawRequest): string {
  const info = sequence(
    element(DerTag.integer, Buffer.of(0)),
    subject,
    publicKeyDer(keys.publicKey),
    element(explicit(0), ...attributes),
  );
  const signature = signBytes(keys.privateKey, info);
  return toPem(
    'CERTIFICATE REQUEST',
    sequence(info, signatureIdentifierDer(keys.privateKey), bitString(signature)),
  );
}

/**
 * Encodes a distinguished name in DER. Each attribute consists of an object identifier, the tag of the value,
 * and the bytes of the value.
 */
export const rawName = (...attributes: readonly (readonly [string, number, string | Buffer])[]): Buffer =>
  sequence(
    ...attributes.map(([type, tag, value]) =>
      element(DerTag.set, sequence(oid(type), element(tag, Buffer.from(value as string, 'utf8')))),
    ),
  );

/** Encodes the attribute that requests extensions in DER. `type` is that of PKCS#9 by default. */
export const rawExtensionRequest = (
  extensions: readonly (readonly [string, Buffer])[],
  type = '1.2.840.113549.1.9.14',
): Buffer =>
  sequence(
    oid(type),
    element(
      DerTag.set,
      sequence(...extensions.map(([id, value]) => sequence(oid(id), element(DerTag.octetString, value)))),
    ),
  );
