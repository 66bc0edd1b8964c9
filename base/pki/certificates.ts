import { type KeyObject, X509Certificate, createPrivateKey } from 'node:crypto';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  Extension,
  Extensions,
  KeyIdentifier,
  Name,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
} from '@peculiar/asn1-x509';
import type { Random } from '../random/random.ts';
import { signBytes, signatureIdentifier } from './algorithms.ts';
import { type AlternativeNames, hasAlternativeNames, writeAlternativeNames } from './alternative-names.ts';
import { type KeyPair, keyIdentifier, publicKeyDer } from './keys.ts';
import { onePem, toPem } from './pem.ts';
import { type Subject, writeSubject } from './subject.ts';
import { extendedKeyUsage, keyUsage } from './usages.ts';

/** A certificate with the key that signs in its name. */
export interface CertificateAuthority {
  readonly certificatePem: string;
  readonly certificate: X509Certificate;
  readonly privateKey: KeyObject;
  /** DER of the subject, which becomes the issuer of what it signs. */
  readonly subjectDer: Buffer;
  /** Its subject key identifier, undefined where the certificate has none. */
  readonly keyIdentifier: Buffer | undefined;
}

export interface CertificateTemplate {
  /** DER of a name, or its parts. */
  readonly subject: Subject | Buffer;
  readonly publicKey: KeyObject;
  /** Milliseconds since the epoch; certificates hold whole seconds. */
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** By the names of certificate requests: `digital signature`, `client auth`, … */
  readonly usages: readonly string[];
  readonly names?: AlternativeNames;
}

/** Reads an authority from its PEM files. Throws ERR_PEM, and node's errors for what is no certificate or key. */
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

/** A self-signed root that may sign certificates. */
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

/** Signs an end-entity certificate; PEM. The CA flag is never set. */
export const issueCertificate = (
  template: CertificateTemplate,
  issuer: CertificateAuthority,
  random: Random,
): string => signCertificate(template, issuer, random, false);

function signCertificate(
  template: CertificateTemplate,
  issuer: Pick<CertificateAuthority, 'subjectDer' | 'privateKey' | 'keyIdentifier'>,
  random: Random,
  authority: boolean,
): string {
  const algorithm = signatureIdentifier(issuer.privateKey);
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: serialNumber(random),
    signature: algorithm,
    issuer: AsnConvert.parse(issuer.subjectDer, Name),
    validity: new Validity({
      notBefore: wholeSeconds(template.notBeforeMs),
      notAfter: wholeSeconds(template.notAfterMs),
    }),
    subject: Buffer.isBuffer(template.subject)
      ? AsnConvert.parse(template.subject, Name)
      : writeSubject(template.subject),
    subjectPublicKeyInfo: AsnConvert.parse(publicKeyDer(template.publicKey), SubjectPublicKeyInfo),
    extensions: new Extensions(extensionsOf(template, issuer.keyIdentifier, authority)),
  });
  const signature = signBytes(issuer.privateKey, Buffer.from(AsnConvert.serialize(tbsCertificate)));
  const certificate = new Certificate({
    tbsCertificate,
    signatureAlgorithm: algorithm,
    signatureValue: new Uint8Array(signature).buffer,
  });
  return toPem('CERTIFICATE', Buffer.from(AsnConvert.serialize(certificate)));
}

const wholeSeconds = (ms: number): Date => new Date(Math.floor(ms / 1000) * 1000);

/** 127 random bits, positive and without a leading zero byte (RFC 5280 section 4.1.2.2). */
function serialNumber(random: Random): ArrayBuffer {
  const bytes = Uint8Array.from(random.bytes(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.buffer;
}

function extensionsOf(
  template: CertificateTemplate,
  issuerKey: Buffer | undefined,
  authority: boolean,
): Extension[] {
  const list: Extension[] = [];
  const add = (extnID: string, critical: boolean, value: unknown): void => {
    list.push(new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) }));
  };
  const usage = keyUsage(template.usages);
  const extended = extendedKeyUsage(template.usages);
  if (usage) add(id_ce_keyUsage, true, usage);
  if (extended) add(id_ce_extKeyUsage, false, extended);
  add(id_ce_basicConstraints, true, new BasicConstraints({ cA: authority }));
  if (authority)
    add(id_ce_subjectKeyIdentifier, false, new SubjectKeyIdentifier(keyIdentifier(template.publicKey)));
  else if (issuerKey)
    add(
      id_ce_authorityKeyIdentifier,
      false,
      new AuthorityKeyIdentifier({ keyIdentifier: new KeyIdentifier(issuerKey) }),
    );
  if (template.names && hasAlternativeNames(template.names))
    add(id_ce_subjectAltName, false, writeAlternativeNames(template.names));
  return list;
}
