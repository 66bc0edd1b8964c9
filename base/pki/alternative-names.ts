import { isIP } from 'node:net';
import { GeneralName, SubjectAlternativeName } from '@peculiar/asn1-x509';
import { CodedError } from '../errors/coded.ts';

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

/** Throws ERR_DER for names that cannot be what they say they are: not ASCII, no address, a URI with control characters. */
export function readAlternativeNames(names: SubjectAlternativeName): AlternativeNames {
  const collect = (
    pick: (name: GeneralName) => string | undefined,
    isOne: (text: string) => boolean,
  ): string[] => {
    const found = names.flatMap((name) => pick(name) ?? []);
    if (found.every(isOne)) return found;
    throw new CodedError('ERR_DER', 'malformed DER: an alternative name that is none');
  };
  return {
    dnsNames: collect((name) => name.dNSName, isPlain),
    ipAddresses: collect(
      (name) => name.iPAddress,
      (text) => isIP(text) !== 0,
    ),
    emailAddresses: collect((name) => name.rfc822Name, isPlain),
    uris: collect(
      (name) => name.uniformResourceIdentifier,
      (text) => /^[\u0020-\u007e]*$/.test(text),
    ),
  };
}

// eslint-disable-next-line no-control-regex
const isPlain = (text: string): boolean => /^[\u0000-\u007f]*$/.test(text);

export const hasAlternativeNames = (names: AlternativeNames): boolean =>
  names.dnsNames.length + names.ipAddresses.length + names.emailAddresses.length + names.uris.length > 0;

export const writeAlternativeNames = (names: AlternativeNames): SubjectAlternativeName =>
  new SubjectAlternativeName([
    ...names.dnsNames.map((dNSName) => new GeneralName({ dNSName })),
    ...names.emailAddresses.map((rfc822Name) => new GeneralName({ rfc822Name })),
    ...names.ipAddresses.map((iPAddress) => new GeneralName({ iPAddress })),
    ...names.uris.map((uniformResourceIdentifier) => new GeneralName({ uniformResourceIdentifier })),
  ]);
