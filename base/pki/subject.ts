import { AsnConvert } from '@peculiar/asn1-schema';
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
  const values = (wanted: string): string[] =>
    attributes.filter(({ type }) => type === wanted).map(({ value }) => textOf(value));
  return { commonName: values(COMMON_NAME).at(-1) ?? '', organizations: values(ORGANIZATION) };
}

/** The strings that nearly all names are made of; the rest is the library's. */
function textOf({ tag, content, whole }: DerElement): string {
  if (tag === DerTag.utf8String) return content.toString('utf8');
  if (tag === DerTag.printableString || tag === DerTag.ia5String) return content.toString('latin1');
  try {
    return AsnConvert.parse(whole, AttributeValue).toString();
  } catch (cause) {
    throw new CodedError('ERR_DER', 'malformed DER: a string that cannot be read', { cause });
  }
}

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
