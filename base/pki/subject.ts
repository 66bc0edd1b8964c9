import { isAscii, isUtf8 } from 'node:buffer';
import { AttributeTypeAndValue, AttributeValue, Name, RelativeDistinguishedName } from '@peculiar/asn1-x509';
import { CodedError } from '../errors/coded.ts';
import { DerTag } from './der.ts';
import { type DerElement, expectTag, readElements, readOid, readWhole } from './der-reader.ts';

const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';

/** The parts of a distinguished name that identities are read from, in the order they stand. */
export interface Subject {
  /** The last common name, '' when there is none. */
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** Reads the DER of a name. Throws ERR_DER for what is none. */
export function readSubject(der: Buffer): Subject {
  const attributes = readWhole(der, DerTag.sequence)
    .flatMap((part) => readElements(expectTag(part, DerTag.set).content))
    .map((attribute) => {
      const [type, value, ...rest] = readElements(expectTag(attribute, DerTag.sequence).content);
      if (value === undefined || rest.length > 0)
        throw new CodedError('ERR_DER', 'malformed DER: no attribute');
      return { type: readOid(expectTag(type, DerTag.oid)), value };
    });
  const texts = attributes.map(({ type, value }) => ({ type, text: textOf(value) }));
  const values = (wanted: string): string[] =>
    texts.flatMap(({ type, text }) => (type === wanted && text !== undefined ? [text] : []));
  return { commonName: values(COMMON_NAME).at(-1) ?? '', organizations: values(ORGANIZATION) };
}

/** Undefined for what is no text, which names nobody. Throws ERR_DER for a text with what its type does not allow. */
function textOf({ tag, content }: DerElement): string | undefined {
  switch (tag) {
    case DerTag.utf8String:
      if (isUtf8(content)) return content.toString('utf8');
      break;
    case DerTag.printableString:
      if (PRINTABLE.test(content.toString('latin1'))) return content.toString('latin1');
      break;
    case DerTag.ia5String:
      if (isAscii(content)) return content.toString('latin1');
      break;
    case NUMERIC_STRING:
      if (/^[\d ]*$/.test(content.toString('latin1'))) return content.toString('latin1');
      break;
    case TELETEX_STRING:
      return content.toString('latin1');
    case BMP_STRING:
      if (content.length % 2 === 0) return Buffer.from(content).swap16().toString('utf16le');
      break;
    default:
      return undefined;
  }
  throw new CodedError('ERR_DER', 'malformed DER: a string that cannot be read');
}

const NUMERIC_STRING = 0x12;
const TELETEX_STRING = 0x14;
const BMP_STRING = 0x1e;
/** With the star and the ampersand, which the standard does not allow and certificates have. */
const PRINTABLE = /^[A-Za-z\d '()+,./:=?*&-]*$/;

/** Organizations in one multi-valued part, then the common name: the order Go's `pkix.Name` writes. */
export function writeSubject({ commonName, organizations }: Subject): Name {
  const attribute = (type: string, text: string): AttributeTypeAndValue =>
    new AttributeTypeAndValue({ type, value: new AttributeValue({ utf8String: text }) });
  const parts: RelativeDistinguishedName[] = [];
  if (organizations.length > 0)
    parts.push(new RelativeDistinguishedName(organizations.map((each) => attribute(ORGANIZATION, each))));
  if (commonName !== '') parts.push(new RelativeDistinguishedName([attribute(COMMON_NAME, commonName)]));
  return new Name(parts);
}
