import { AttributeTypeAndValue, AttributeValue, Name, RelativeDistinguishedName } from '@peculiar/asn1-x509';
import { CodedError, messageOf } from '../errors/coded.ts';
import { DerTag } from './der.ts';
import { type DerElement, expectTag, readElements, readOid, readWhole } from './der-reader.ts';
import { readText } from './strings.ts';

const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';

/** Parts of a distinguished name that determine an identity. */
export interface Subject {
  /** Last common name; '' if there is none. */
  readonly commonName: string;
  /** Organizations in the order of the name, including duplicates. */
  readonly organizations: readonly string[];
}

/** One attribute of a distinguished name. */
export interface NameAttribute {
  /** Dotted object identifier of the attribute type. */
  readonly type: string;
  readonly text: string;
}

/**
 * Parses all attributes of a distinguished name (RFC 5280 section 4.1.2.4). Throws `ERR_DER` if any attribute
 * cannot be read, as a skipped attribute could contain a group or user that another program reads.
 */
export function readName(der: Buffer): readonly NameAttribute[] {
  return readWhole(der, DerTag.sequence).flatMap((part) => {
    const attributes = readElements(expectTag(part, DerTag.set).content);
    if (attributes.length === 0) throw new CodedError('ERR_DER', 'malformed DER: a part without attributes');
    return attributes.map(readAttribute);
  });
}

function readAttribute(attribute: DerElement): NameAttribute {
  const [id, value, ...rest] = readElements(expectTag(attribute, DerTag.sequence).content);
  if (value === undefined || rest.length > 0)
    throw new CodedError('ERR_DER', 'malformed DER: an attribute is not a type and a value');
  const type = readOid(expectTag(id, DerTag.oid));
  try {
    return { type, text: readText(value) };
  } catch (cause) {
    throw new CodedError('ERR_DER', `attribute ${LABELS[type] ?? type}: ${messageOf(cause)}`, { cause });
  }
}

const LABELS: { readonly [type: string]: string } = {
  [COMMON_NAME]: 'CN (common name)',
  [ORGANIZATION]: 'O (organization)',
};

const textsOf = (attributes: readonly NameAttribute[], wanted: string): readonly string[] =>
  attributes.flatMap(({ type, text }) => (type === wanted ? [text] : []));

/** Returns the common name and organizations of a certificate's subject. Throws `ERR_DER` like `readName`. */
export function readSubject(der: Buffer): Subject {
  const attributes = readName(der);
  return {
    commonName: textsOf(attributes, COMMON_NAME).at(-1) ?? '',
    organizations: textsOf(attributes, ORGANIZATION),
  };
}

/**
 * Returns the subject of a certificate request. Throws `ERR_DER` like `readName`, and for several common
 * names, as programs disagree on which of them is the user. Certificates may have several common names, for
 * example if a directory issued them (`CN=alice,CN=Users,DC=…`).
 */
export function readRequestedSubject(der: Buffer): Subject {
  const count = textsOf(readName(der), COMMON_NAME).length;
  if (count > 1) throw new CodedError('ERR_DER', `${count} common names, expected at most one`);
  return readSubject(der);
}

/**
 * Encodes a subject in the order of Go's `pkix.Name`: all organizations in one multi-valued part, followed by
 * the common name.
 */
export function writeSubject({ commonName, organizations }: Subject): Name {
  const attribute = (type: string, text: string): AttributeTypeAndValue =>
    new AttributeTypeAndValue({ type, value: new AttributeValue({ utf8String: text }) });
  const parts: RelativeDistinguishedName[] = [];
  if (organizations.length > 0)
    parts.push(new RelativeDistinguishedName(organizations.map((each) => attribute(ORGANIZATION, each))));
  if (commonName !== '') parts.push(new RelativeDistinguishedName([attribute(COMMON_NAME, commonName)]));
  return new Name(parts);
}
