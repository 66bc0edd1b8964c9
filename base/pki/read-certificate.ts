import { id_ce_basicConstraints, id_ce_extKeyUsage, id_ce_keyUsage } from '@peculiar/asn1-x509';
import { CodedError } from '../errors/coded.ts';
import { DerTag, explicit } from './der.ts';
import {
  type DerElement,
  expectTag,
  readBitString,
  readElement,
  readElements,
  readNamedBits,
  readOid,
  readTime,
  readWhole,
} from './der-reader.ts';

/** Parts of an X.509 certificate (RFC 5280 section 4.1) on which decisions depend. */
export interface CertificateReading {
  /** Dotted object identifier of the signature algorithm. */
  readonly signatureAlgorithm: string;
  /** DER of the issuer's name, see `readSubject`. */
  readonly issuerDer: Buffer;
  readonly subjectDer: Buffer;
  /** DER of the public key (SubjectPublicKeyInfo). */
  readonly publicKeyDer: Buffer;
  /** Start of validity in milliseconds since the epoch. */
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** Extensions by dotted object identifier. */
  readonly extensions: ReadonlyMap<string, CertificateExtension>;
}

/** Extension of a certificate. */
export interface CertificateExtension {
  readonly critical: boolean;
  /** Value in DER. */
  readonly value: Buffer;
}

/**
 * Parses a certificate completely. Throws `ERR_DER` if any part cannot be read, an extension occurs twice, or
 * an element is unknown. Takes a third of the time to create an `X509Certificate`.
 */
export function readCertificate(der: Buffer): CertificateReading {
  const [body, algorithm, signature] = exactly(3, readWhole(der, DerTag.sequence));
  const parts = readElements(expectTag(body, DerTag.sequence).content);
  // A version 1 certificate omits the version.
  if (parts[0]?.tag === explicit(0)) exactlyOne(parts.shift()?.content, DerTag.integer);
  const [serial, signed, issuer, validity, subject, key, ...optional] = parts;
  expectTag(serial, DerTag.integer);
  const [from, to] = exactly(2, readElements(expectTag(validity, DerTag.sequence).content));
  const [identifier, bits] = exactly(2, readElements(expectTag(key, DerTag.sequence).content));
  algorithmOf(identifier);
  for (const each of [bits, signature]) readBitString(expectTag(each, DerTag.bitString));
  const signatureAlgorithm = algorithmOf(algorithm);
  if (algorithmOf(signed) !== signatureAlgorithm) throw malformed('two signature algorithms');
  return {
    signatureAlgorithm,
    issuerDer: expectTag(issuer, DerTag.sequence).whole,
    subjectDer: expectTag(subject, DerTag.sequence).whole,
    publicKeyDer: key?.whole ?? NONE,
    notBeforeMs: timeOf(from),
    notAfterMs: timeOf(to),
    extensions: readOptional(optional),
  };
}

const NONE = Buffer.alloc(0);

const malformed = (what: string): CodedError<'ERR_DER'> =>
  new CodedError('ERR_DER', `malformed DER: ${what}`);

function exactly(count: number, elements: readonly DerElement[]): readonly DerElement[] {
  if (elements.length === count) return elements;
  throw malformed(`${elements.length} elements, expected ${count}`);
}

function exactlyOne(content: Buffer | undefined, tag: number): DerElement {
  const [only] = exactly(1, readElements(content ?? NONE));
  return expectTag(only, tag);
}

function timeOf(element: DerElement | undefined): number {
  if (element === undefined) throw malformed('no time');
  return readTime(element);
}

const algorithmOf = (identifier: DerElement | undefined): string =>
  readOid(expectTag(readElement(expectTag(identifier, DerTag.sequence).content), DerTag.oid));

/**
 * Parses the optional elements at the end of a certificate: two unique identifiers, which are obsolete, and
 * the extensions, in this order.
 */
function readOptional(optional: readonly DerElement[]): CertificateReading['extensions'] {
  let last = 0;
  let extensions: CertificateReading['extensions'] = new Map();
  for (const { tag, content } of optional) {
    const number = tag & 0x1f;
    const isKnown = tag === explicit(3) || (number < 3 && (tag & 0xc0) === 0x80);
    if (!isKnown || number <= last) throw malformed(`element 0x${tag.toString(16)} of a certificate`);
    last = number;
    if (tag === explicit(3)) extensions = readExtensions(exactlyOne(content, DerTag.sequence).whole);
  }
  return extensions;
}

/**
 * Parses a list of extensions. Throws `ERR_DER` for duplicate extensions, as programs differ on which of them
 * applies.
 */
export function readExtensions(der: Buffer): CertificateReading['extensions'] {
  const extensions = new Map<string, CertificateExtension>();
  for (const extension of readWhole(der, DerTag.sequence)) {
    const [id, ...rest] = readElements(expectTag(extension, DerTag.sequence).content);
    const oid = readOid(expectTag(id, DerTag.oid));
    const critical = rest.length > 1 && expectTag(rest.shift(), DerTag.boolean).content[0] !== 0;
    const [value] = exactly(1, rest);
    if (extensions.has(oid)) throw malformed(`extension ${oid} occurs twice`);
    extensions.set(oid, { critical, value: expectTag(value, DerTag.octetString).content });
  }
  return extensions;
}

/**
 * Returns the flags of the key usage extension, with bit 0 lowest. Returns undefined if there is no such
 * extension; every usage is then allowed.
 */
export function keyUsageOf({ extensions }: CertificateReading): number | undefined {
  const extension = extensions.get(id_ce_keyUsage);
  return extension && readNamedBits(whole(extension.value, DerTag.bitString));
}

/**
 * Returns the object identifiers in the extended key usage extension. Returns undefined if there is no such
 * extension; every usage is then allowed.
 */
export function extendedUsagesOf({ extensions }: CertificateReading): readonly string[] | undefined {
  const extension = extensions.get(id_ce_extKeyUsage);
  return (
    extension &&
    readWhole(extension.value, DerTag.sequence).map((usage) => readOid(expectTag(usage, DerTag.oid)))
  );
}

/**
 * Returns the basic constraints: whether the certificate may sign other certificates, and the maximum number
 * of CA certificates below it, which is undefined if not limited.
 */
export function basicConstraintsOf({ extensions }: CertificateReading): {
  readonly isAuthority: boolean;
  readonly pathLength: number | undefined;
} {
  const extension = extensions.get(id_ce_basicConstraints);
  const parts = extension === undefined ? [] : readWhole(extension.value, DerTag.sequence);
  const isAuthority = parts[0]?.tag === DerTag.boolean && parts.shift()?.content[0] !== 0;
  const [length] = parts;
  if (length === undefined) return { isAuthority, pathLength: undefined };
  const { content } = expectTag(length, DerTag.integer);
  const [digit = 0x80] = content;
  if (content.length !== 1 || digit >= 0x80 || parts.length > 1) throw malformed('a path length');
  return { isAuthority, pathLength: digit };
}

function whole(bytes: Buffer, tag: number): DerElement {
  const element = expectTag(readElement(bytes), tag);
  if (element.whole.length < bytes.length) throw malformed('trailing bytes');
  return element;
}
