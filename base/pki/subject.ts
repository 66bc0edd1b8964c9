import { AttributeTypeAndValue, AttributeValue, Name, RelativeDistinguishedName } from '@peculiar/asn1-x509';

const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';

/** The parts of a distinguished name that identities are read from, in the order they stand. */
export interface Subject {
  /** The last common name, '' when there is none. */
  readonly commonName: string;
  readonly organizations: readonly string[];
}

export function readSubject(name: Name): Subject {
  const values = (type: string): string[] =>
    name.flatMap((rdn) => rdn.filter((each) => each.type === type).map((each) => each.value.toString()));
  return { commonName: values(COMMON_NAME).at(-1) ?? '', organizations: values(ORGANIZATION) };
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
