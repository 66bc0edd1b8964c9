import { type KeyObject, createPublicKey } from 'node:crypto';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import { Attributes, CertificationRequest, CertificationRequestInfo } from '@peculiar/asn1-csr';
import {
  Attribute,
  Extension,
  Extensions,
  SubjectPublicKeyInfo,
  id_ce_subjectAltName,
} from '@peculiar/asn1-x509';
import { once } from '../cache/once.ts';
import { CodedError, messageOf } from '../errors/coded.ts';
import { signBytes, signatureIdentifier, verifyBytes } from './algorithms.ts';
import {
  type AlternativeNames,
  type ReadAlternativeNames,
  hasAlternativeNames,
  noAlternativeNames,
  readAlternativeNames,
  writeAlternativeNames,
} from './alternative-names.ts';
import { DerTag, explicit } from './der.ts';
import { type DerElement, expectTag, readBitString, readElements, readOid, readWhole } from './der-reader.ts';
import { type KeyPair, publicKeyDer } from './keys.ts';
import { parsePem, toPem } from './pem.ts';
import { checkPublicKey } from './public-key.ts';
import { readExtensions } from './read-certificate.ts';
import { type Subject, readRequestedSubject, writeSubject } from './subject.ts';

const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';
/**
 * Attribute with the requested extensions in Windows before Vista. OpenSSL reads this and the standard
 * attribute, Go only the standard one.
 */
const MICROSOFT_EXTENSION_REQUEST = '1.3.6.1.4.1.311.2.1.14';
/** Maximum size of a certificate request in bytes of DER. Real requests are smaller than 4 KiB. */
const MAX_DER_BYTES = 64 * 1024;

/** PKCS#10 certificate request (RFC 2986). */
export interface CertificateRequest extends ReadAlternativeNames {
  readonly subject: Subject;
  /** DER of the subject. */
  readonly subjectDer: Buffer;
  /** DER of the public key (SubjectPublicKeyInfo). */
  readonly publicKeyDer: Buffer;
  /** Public key, created on first use. Throws `ERR_CERTIFICATE_REQUEST` if the key cannot be read. */
  readonly publicKey: KeyObject;
  /**
   * True if the request is signed with its own key. Throws `ERR_CERTIFICATE_REQUEST` if the key cannot be
   * read.
   */
  verify(): boolean;
}

/**
 * Parses a PEM block CERTIFICATE REQUEST or NEW CERTIFICATE REQUEST. Validation, admission, approval and
 * signing all use this function.
 *
 * Throws `ERR_PEM`, or `ERR_CERTIFICATE_REQUEST` if the subject, an alternative name or the key cannot be
 * read. The signature is not checked; callers use `verify` for this.
 */
export function parseCertificateRequest(pem: string | Uint8Array): CertificateRequest {
  const text = typeof pem === 'string' ? pem : Buffer.from(pem).toString('latin1');
  const known = recent.get(text);
  if (known !== undefined) return known;
  const request = parseText(text);
  if (text.length <= MAX_REMEMBERED_CHARACTERS) remember(text, request);
  return request;
}

/**
 * Recently parsed requests. Each request is parsed at its creation, approval and signing, and parsing costs
 * more than storing.
 */
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
  // A program that recognizes blocks by other rules than `parsePem` might read another request.
  const blocks = text.split('-----BEGIN ').length - 1;
  if (blocks > 1) throw new CodedError('ERR_PEM', `${blocks} PEM blocks, expected one`);
  if (block.der.length > MAX_DER_BYTES)
    throw new CodedError(
      'ERR_CERTIFICATE_REQUEST',
      `certificate request is larger than ${MAX_DER_BYTES} bytes`,
    );
  return asRequest('', () => readRequest(block.der));
}

/** Runs `read`. Adds the name of the parsed part to an error. */
function asRequest<T>(part: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof CodedError && cause.code === 'ERR_CERTIFICATE_REQUEST') throw cause;
    const problem = part === '' ? 'certificate request is not a valid PKCS#10 structure' : part;
    throw new CodedError('ERR_CERTIFICATE_REQUEST', `${problem}: ${messageOf(cause)}`, { cause });
  }
}

const KEY = 'public key of the certificate request';

function readRequest(der: Buffer): CertificateRequest {
  const [info, algorithm, signature, ...behind] = readWhole(der, DerTag.sequence);
  const signed = expectTag(info, DerTag.sequence);
  const [version, subject, spki, attributes, ...more] = readElements(signed.content);
  if (behind.length > 0 || more.length > 0)
    throw new CodedError('ERR_DER', 'malformed DER: unexpected element');
  expectTag(version, DerTag.integer);
  const subjectDer = expectTag(subject, DerTag.sequence).whole;
  const keyDer = expectTag(spki, DerTag.sequence).whole;
  const [identifier] = readElements(expectTag(algorithm, DerTag.sequence).content);
  const signatureOid = readOid(expectTag(identifier, DerTag.oid));
  const signatureBytes = readBitString(expectTag(signature, DerTag.bitString));
  asRequest(KEY, () => checkPublicKey(keyDer));
  const makeKey = once(() => createPublicKey({ key: keyDer, format: 'der', type: 'spki' }));
  const publicKey = (): KeyObject => asRequest(KEY, makeKey);
  return {
    subject: asRequest('subject of the certificate request', () => readRequestedSubject(subjectDer)),
    subjectDer,
    publicKeyDer: keyDer,
    ...requestedNames(attributes),
    get publicKey() {
      return publicKey();
    },
    verify: () => verifyBytes(signatureOid, publicKey(), signed.whole, signatureBytes),
  };
}

/**
 * Returns the requested alternative names. The attributes are `[0] IMPLICIT SET OF Attribute`; some programs
 * omit an empty set.
 */
function requestedNames(attributes: DerElement | undefined): ReadAlternativeNames {
  const wanted: DerElement[] = [];
  if (attributes !== undefined)
    for (const attribute of readElements(expectTag(attributes, explicit(0)).content)) {
      const [id, values, ...rest] = readElements(expectTag(attribute, DerTag.sequence).content);
      if (rest.length > 0) throw new CodedError('ERR_DER', 'malformed DER: an attribute of three parts');
      const type = readOid(expectTag(id, DerTag.oid));
      const requests = readElements(expectTag(values, DerTag.set).content);
      if (type === EXTENSION_REQUEST || type === MICROSOFT_EXTENSION_REQUEST) wanted.push(...requests);
    }
  if (wanted.length > 1)
    throw new CodedError('ERR_DER', `${wanted.length} lists of requested extensions, expected at most one`);
  const names = wanted[0] && readExtensions(wanted[0].whole).get(id_ce_subjectAltName);
  if (names === undefined) return { ...noAlternativeNames, otherKinds: [] };
  return asRequest('alternative names of the certificate request', () => readAlternativeNames(names.value));
}

/** Creates and signs a certificate request in PEM. */
export function createCertificateRequest(
  keys: KeyPair,
  subject: Subject,
  names: AlternativeNames = noAlternativeNames,
): string {
  const extensions = (): Extensions =>
    new Extensions([
      new Extension({
        extnID: id_ce_subjectAltName,
        extnValue: new OctetString(writeAlternativeNames(names)),
      }),
    ]);
  const info = new CertificationRequestInfo({
    subject: writeSubject(subject),
    subjectPKInfo: AsnConvert.parse(publicKeyDer(keys.publicKey), SubjectPublicKeyInfo),
    attributes: new Attributes(
      hasAlternativeNames(names)
        ? [new Attribute({ type: EXTENSION_REQUEST, values: [AsnConvert.serialize(extensions())] })]
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
