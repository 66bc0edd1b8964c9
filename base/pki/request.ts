import { type KeyObject, createPublicKey } from 'node:crypto';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import { Attributes, CertificationRequest, CertificationRequestInfo } from '@peculiar/asn1-csr';
import {
  Attribute,
  Extension,
  Extensions,
  SubjectAlternativeName,
  SubjectPublicKeyInfo,
  id_ce_subjectAltName,
} from '@peculiar/asn1-x509';
import { CodedError } from '../errors/coded.ts';
import { signBytes, signatureIdentifier, verifyBytes } from './algorithms.ts';
import {
  type AlternativeNames,
  hasAlternativeNames,
  noAlternativeNames,
  readAlternativeNames,
  writeAlternativeNames,
} from './alternative-names.ts';
import { DerTag, explicit } from './der.ts';
import { type DerElement, expectTag, readBitString, readElements, readOid, readWhole } from './der-reader.ts';
import { type KeyPair, publicKeyDer } from './keys.ts';
import { parsePem, toPem } from './pem.ts';
import { type Subject, readSubject, writeSubject } from './subject.ts';

const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';
/** The largest request that is parsed, bytes of DER. Real ones are below 4 KiB. */
const MAX_DER_BYTES = 64 * 1024;

/** A PKCS#10 certificate request (RFC 2986). */
export interface CertificateRequest extends AlternativeNames {
  readonly subject: Subject;
  /** DER of the subject as it stands in the request. */
  readonly subjectDer: Buffer;
  /** DER of the key (SubjectPublicKeyInfo) as it stands in the request. */
  readonly publicKeyDer: Buffer;
  /** The key, read when it is asked for first; throws ERR_CERTIFICATE_REQUEST for one that cannot be read. */
  readonly publicKey: KeyObject;
  /** Whether the request is signed by the key it carries. Throws as `publicKey` does. */
  verify(): boolean;
}

/**
 * Reads a PEM block labelled CERTIFICATE REQUEST (NEW CERTIFICATE REQUEST is taken too). Throws ERR_PEM or
 * ERR_CERTIFICATE_REQUEST; checks neither key nor signature: call `verify`.
 */
export function parseCertificateRequest(pem: string | Uint8Array): CertificateRequest {
  const text = typeof pem === 'string' ? pem : Buffer.from(pem).toString('latin1');
  const known = recent.get(text);
  if (known !== undefined) return known;
  const request = parseText(text);
  if (text.length <= MAX_REMEMBERED_CHARACTERS) remember(text, request);
  return request;
}

/** One request is read at each step of its way (created, approved, signed), and reading costs more than storing. */
const recent = new Map<string, CertificateRequest>();
const MAX_REMEMBERED = 256;
const MAX_REMEMBERED_CHARACTERS = 4 * 1024;

function remember(text: string, request: CertificateRequest): void {
  recent.set(text, request);
  for (const oldest of recent.keys()) {
    if (recent.size <= MAX_REMEMBERED) return;
    recent.delete(oldest);
  }
}

function parseText(text: string): CertificateRequest {
  const [block] = parsePem(text);
  if (!block || (block.label !== 'CERTIFICATE REQUEST' && block.label !== 'NEW CERTIFICATE REQUEST'))
    throw new CodedError('ERR_PEM', 'PEM block type must be CERTIFICATE REQUEST');
  if (block.der.length > MAX_DER_BYTES)
    throw new CodedError(
      'ERR_CERTIFICATE_REQUEST',
      `certificate request is larger than ${MAX_DER_BYTES} bytes`,
    );
  return asRequest(() => readRequest(block.der));
}

function asRequest<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new CodedError('ERR_CERTIFICATE_REQUEST', 'certificate request is not a valid PKCS#10 structure', {
      cause,
    });
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function readRequest(der: Buffer): CertificateRequest {
  const [info, algorithm, signature] = readWhole(der, DerTag.sequence);
  const signed = expectTag(info, DerTag.sequence);
  const [version, subject, spki, attributes] = readElements(signed.content);
  expectTag(version, DerTag.integer);
  const subjectDer = expectTag(subject, DerTag.sequence).whole;
  const publicKeyDer = expectTag(spki, DerTag.sequence).whole;
  const [identifier] = readElements(expectTag(algorithm, DerTag.sequence).content);
  const signatureOid = readOid(expectTag(identifier, DerTag.oid));
  const signatureBytes = readBitString(expectTag(signature, DerTag.bitString));
  const publicKey = once(() => createPublicKey({ key: publicKeyDer, format: 'der', type: 'spki' }));
  return {
    subject: readSubject(subjectDer),
    subjectDer,
    publicKeyDer,
    ...requestedNames(attributes),
    get publicKey() {
      return asRequest(publicKey);
    },
    verify: () => verifyBytes(signatureOid, asRequest(publicKey), signed.whole, signatureBytes),
  };
}

/** `[0] IMPLICIT SET OF Attribute`; those who have none leave it out now and then. */
function requestedNames(attributes: DerElement | undefined): AlternativeNames {
  if (attributes === undefined) return noAlternativeNames;
  for (const attribute of readElements(expectTag(attributes, explicit(0)).content)) {
    const [type, values] = readElements(expectTag(attribute, DerTag.sequence).content);
    if (readOid(expectTag(type, DerTag.oid)) !== EXTENSION_REQUEST) continue;
    for (const value of readElements(expectTag(values, DerTag.set).content)) {
      const names = AsnConvert.parse(value.whole, Extensions).find(
        ({ extnID }) => extnID === id_ce_subjectAltName,
      );
      if (names)
        return readAlternativeNames(AsnConvert.parse(names.extnValue.buffer, SubjectAlternativeName));
    }
  }
  return noAlternativeNames;
}

/** Makes and signs a request. */
export function createCertificateRequest(
  keys: KeyPair,
  subject: Subject,
  names: AlternativeNames = noAlternativeNames,
): string {
  const extensions = new Extensions([
    new Extension({
      extnID: id_ce_subjectAltName,
      extnValue: new OctetString(AsnConvert.serialize(writeAlternativeNames(names))),
    }),
  ]);
  const info = new CertificationRequestInfo({
    subject: writeSubject(subject),
    subjectPKInfo: AsnConvert.parse(publicKeyDer(keys.publicKey), SubjectPublicKeyInfo),
    attributes: new Attributes(
      hasAlternativeNames(names)
        ? [new Attribute({ type: EXTENSION_REQUEST, values: [AsnConvert.serialize(extensions)] })]
        : [],
    ),
  });
  const signature = signBytes(keys.privateKey, Buffer.from(AsnConvert.serialize(info)));
  const request = new CertificationRequest({
    certificationRequestInfo: info,
    signatureAlgorithm: signatureIdentifier(keys.privateKey),
    signature: new Uint8Array(signature).buffer,
  });
  return toPem('CERTIFICATE REQUEST', Buffer.from(AsnConvert.serialize(request)));
}
