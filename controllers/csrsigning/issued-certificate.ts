import { isDeepStrictEqual } from 'node:util';
import { id_ce_subjectAltName } from '@peculiar/asn1-x509';
import {
  type AlternativeNames,
  type CertificateReading,
  type CertificateRequest,
  basicConstraintsOf,
  extendedUsages,
  extendedUsagesOf,
  identityOf,
  keyUsageBits,
  keyUsageOf,
  noAlternativeNames,
  onePem,
  readAlternativeNames,
  readCertificate,
} from '../../base/pki/index.ts';
import { messageOf } from '../../base/errors/index.ts';

/** Approved properties of a certificate. */
export interface ApprovedCertificate {
  readonly request: CertificateRequest;
  /** Usages in the CertificateSigningRequest. */
  readonly usages: readonly string[];
  /** Start of the validity in milliseconds since the epoch. A certificate contains whole seconds. */
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/**
 * Parses an issued certificate (PEM) with the same code as authentication. Returns its difference from the
 * approved properties, or undefined if there is none. A signer copies parts of the request without parsing
 * them, so only this comparison proves that the certificate grants no more than was approved.
 */
export function issuedFault(pem: string, approved: ApprovedCertificate): string | undefined {
  try {
    const reading = readCertificate(onePem(pem, 'CERTIFICATE'));
    const wrong = Object.entries(compared(reading, approved)).find(
      ([, [issued, wanted]]) => !isDeepStrictEqual(issued, wanted),
    );
    return wrong && `the issued certificate does not have the approved ${wrong[0]}`;
  } catch (thrown) {
    return `the issued certificate cannot be read: ${messageOf(thrown)}`;
  }
}

/** Returns the issued and the approved value of each property. */
function compared(
  reading: CertificateReading,
  { request, usages, notBeforeMs, notAfterMs }: ApprovedCertificate,
): { readonly [part: string]: readonly [issued: unknown, approved: unknown] } {
  const { username, groups } = identityOf(reading);
  const { commonName, organizations } = request.subject;
  return {
    user: [username, commonName],
    groups: [groups, organizations],
    'subject alternative names': [namesOf(reading), onlyNames(request)],
    'public key': [reading.publicKeyDer.toString('hex'), request.publicKeyDer.toString('hex')],
    'key usage': [keyUsageOf(reading) ?? 0, keyUsageBits(usages)],
    'extended key usage': [extendedUsagesOf(reading) ?? [], extendedUsages(usages)],
    'CA flag': [basicConstraintsOf(reading).isAuthority, false],
    'start time': [reading.notBeforeMs, wholeSeconds(notBeforeMs)],
    'end time': [reading.notAfterMs, wholeSeconds(notAfterMs)],
  };
}

function namesOf({ extensions }: CertificateReading): AlternativeNames {
  const extension = extensions.get(id_ce_subjectAltName);
  if (extension === undefined) return noAlternativeNames;
  const names = readAlternativeNames(extension.value);
  return names.otherKinds.length === 0 ? onlyNames(names) : names;
}

const onlyNames = ({ dnsNames, ipAddresses, emailAddresses, uris }: AlternativeNames): AlternativeNames => ({
  dnsNames,
  ipAddresses,
  emailAddresses,
  uris,
});

const wholeSeconds = (ms: number): number => Math.floor(ms / 1000) * 1000;
