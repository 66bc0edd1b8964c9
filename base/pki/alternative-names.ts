import { GeneralName, SubjectAlternativeName } from '@peculiar/asn1-x509';

/** The kinds of alternative name that certificate requests carry. */
export interface AlternativeNames {
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
}

export const noAlternativeNames: AlternativeNames = {
  dnsNames: [],
  ipAddresses: [],
  emailAddresses: [],
  uris: [],
};

export function readAlternativeNames(names: SubjectAlternativeName): AlternativeNames {
  const collect = (pick: (name: GeneralName) => string | undefined): string[] =>
    names.flatMap((name) => pick(name) ?? []);
  return {
    dnsNames: collect((name) => name.dNSName),
    ipAddresses: collect((name) => name.iPAddress),
    emailAddresses: collect((name) => name.rfc822Name),
    uris: collect((name) => name.uniformResourceIdentifier),
  };
}

export const hasAlternativeNames = (names: AlternativeNames): boolean =>
  names.dnsNames.length + names.ipAddresses.length + names.emailAddresses.length + names.uris.length > 0;

export const writeAlternativeNames = (names: AlternativeNames): SubjectAlternativeName =>
  new SubjectAlternativeName([
    ...names.dnsNames.map((dNSName) => new GeneralName({ dNSName })),
    ...names.emailAddresses.map((rfc822Name) => new GeneralName({ rfc822Name })),
    ...names.ipAddresses.map((iPAddress) => new GeneralName({ iPAddress })),
    ...names.uris.map((uniformResourceIdentifier) => new GeneralName({ uniformResourceIdentifier })),
  ]);
