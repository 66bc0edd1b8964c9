import { type KeyObject, X509Certificate, createPrivateKey } from 'node:crypto';
import { AsnConvert } from '@peculiar/asn1-schema';
import {
  Certificate,
  SubjectKeyIdentifier,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
} from '@peculiar/asn1-x509';
import type { Random } from '../random/random.ts';
import { signBytes, signBytesAside, signatureIdentifierDer } from './algorithms.ts';
import { type AlternativeNames, hasAlternativeNames, writeAlternativeNames } from './alternative-names.ts';
import { DerTag, bitString, element, explicit, implicit, namedBits, oid, sequence, time } from './der.ts';
import { type KeyPair, keyIdentifier, publicKeyDer } from './keys.ts';
import { onePem, toPem } from './pem.ts';
import { type Subject, writeSubject } from './subject.ts';
import { extendedUsages, keyUsageBits } from './usages.ts';

/** CA certificate with its private key. */
export interface CertificateAuthority {
  readonly certificatePem: string;
  readonly certificate: X509Certificate;
  readonly privateKey: KeyObject;
  /** DER of the subject, which becomes the issuer of signed certificates. */
  readonly subjectDer: Buffer;
  /** Subject key identifier; undefined if the certificate has none. */
  readonly keyIdentifier: Buffer | undefined;
}

/** Content of a certificate to sign. */
export interface CertificateTemplate {
  /** Subject, or its DER. */
  readonly subject: Subject | Buffer;
  /** Public key, or its DER (SubjectPublicKeyInfo). */
  readonly publicKey: KeyObject | Buffer;
  /** Start of validity in milliseconds since the epoch. Certificates store whole seconds. */
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** Usages, by their names in CertificateSigningRequests, such as `digital signature` or `client auth`. */
  readonly usages: readonly string[];
  readonly names?: AlternativeNames;
}

/** Loads a CA from PEM. Throws `ERR_PEM`, and Node's errors for an invalid certificate or key. */
export function loadCertificateAuthority(certificatePem: string, keyPem: string): CertificateAuthority {
  const der = onePem(certificatePem, 'CERTIFICATE');
  const { tbsCertificate } = AsnConvert.parse(der, Certificate);
  const identifier = tbsCertificate.extensions?.find((each) => each.extnID === id_ce_subjectKeyIdentifier);
  return {
    certificatePem,
    certificate: new X509Certificate(der),
    privateKey: createPrivateKey(keyPem),
    subjectDer: Buffer.from(AsnConvert.serialize(tbsCertificate.subject)),
    keyIdentifier:
      identifier && Buffer.from(AsnConvert.parse(identifier.extnValue.buffer, SubjectKeyIdentifier).buffer),
  };
}

/** Creates a self-signed CA certificate. */
export function createCertificateAuthority(
  subject: Subject,
  keys: KeyPair,
  validity: { readonly notBeforeMs: number; readonly notAfterMs: number },
  random: Random,
): CertificateAuthority {
  const subjectDer = Buffer.from(AsnConvert.serialize(writeSubject(subject)));
  const identifier = keyIdentifier(keys.publicKey);
  const template = {
    subject: subjectDer,
    publicKey: keys.publicKey,
    usages: ['digital signature', 'key encipherment', 'cert sign'],
    ...validity,
  };
  const certificatePem = signCertificate(
    template,
    { subjectDer, privateKey: keys.privateKey, keyIdentifier: identifier },
    random,
    true,
  );
  return {
    certificatePem,
    certificate: new X509Certificate(certificatePem),
    privateKey: keys.privateKey,
    subjectDer,
    keyIdentifier: identifier,
  };
}

/** Signs an end-entity certificate and returns it as PEM. The CA flag is never set. */
export const issueCertificate = (
  template: CertificateTemplate,
  issuer: CertificateAuthority,
  random: Random,
): string => signCertificate(template, issuer, random, false);

/**
 * Signs a certificate like `issueCertificate`. An RSA signature is computed on another thread, as it costs as
 * much as an API request.
 */
export async function issueCertificateAside(
  template: CertificateTemplate,
  issuer: CertificateAuthority,
  random: Random,
): Promise<string> {
  const unsigned = describeCertificate(template, issuer, random, false);
  return withSignature(unsigned, await signBytesAside(issuer.privateKey, unsigned.toBeSigned));
}

type Issuer = Pick<CertificateAuthority, 'subjectDer' | 'privateKey' | 'keyIdentifier'>;

interface UnsignedCertificate {
  readonly toBeSigned: Buffer;
  /** DER of the signature algorithm. */
  readonly algorithm: Buffer;
}

function signCertificate(
  template: CertificateTemplate,
  issuer: Issuer,
  random: Random,
  authority: boolean,
): string {
  const unsigned = describeCertificate(template, issuer, random, authority);
  return withSignature(unsigned, signBytes(issuer.privateKey, unsigned.toBeSigned));
}

const withSignature = ({ toBeSigned, algorithm }: UnsignedCertificate, signature: Buffer): string =>
  toPem('CERTIFICATE', sequence(toBeSigned, algorithm, bitString(signature)));

function describeCertificate(
  template: CertificateTemplate,
  issuer: Issuer,
  random: Random,
  authority: boolean,
): UnsignedCertificate {
  const algorithm = signatureIdentifierDer(issuer.privateKey);
  const { subject, publicKey } = template;
  const toBeSigned = sequence(
    V3,
    serialNumber(random),
    algorithm,
    issuer.subjectDer,
    sequence(time(template.notBeforeMs), time(template.notAfterMs)),
    Buffer.isBuffer(subject) ? subject : Buffer.from(AsnConvert.serialize(writeSubject(subject))),
    Buffer.isBuffer(publicKey) ? publicKey : publicKeyDer(publicKey),
    element(explicit(3), sequence(...extensionsOf(template, issuer.keyIdentifier, authority))),
  );
  return { toBeSigned, algorithm };
}

/** `version [0] EXPLICIT v3`. */
const V3 = element(explicit(0), element(DerTag.integer, Buffer.of(2)));
const TRUE = element(DerTag.boolean, Buffer.of(0xff));

/**
 * Returns a serial number of 127 random bits, positive and without a leading zero byte (RFC 5280 section
 * 4.1.2.2).
 */
function serialNumber(random: Random): Buffer {
  const bytes = Uint8Array.from(random.bytes(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return element(DerTag.integer, bytes);
}

/** Returns the extensions in the order of Go's package `x509`. */
function extensionsOf(
  { usages, publicKey, names }: CertificateTemplate,
  issuerKey: Buffer | undefined,
  authority: boolean,
): Buffer[] {
  const list: Buffer[] = [];
  const add = (id: string, critical: boolean, value: Uint8Array): void => {
    list.push(sequence(oid(id), ...(critical ? [TRUE] : []), element(DerTag.octetString, value)));
  };
  const bits = keyUsageBits(usages);
  const extended = extendedUsages(usages);
  if (bits !== 0) add(id_ce_keyUsage, true, namedBits(bits));
  if (extended.length > 0) add(id_ce_extKeyUsage, false, sequence(...extended.map(oid)));
  add(id_ce_basicConstraints, true, sequence(...(authority ? [TRUE] : [])));
  if (authority)
    add(id_ce_subjectKeyIdentifier, false, element(DerTag.octetString, keyIdentifier(publicKey)));
  else if (issuerKey) add(id_ce_authorityKeyIdentifier, false, sequence(element(implicit(0), issuerKey)));
  if (names && hasAlternativeNames(names)) add(id_ce_subjectAltName, false, writeAlternativeNames(names));
  return list;
}
