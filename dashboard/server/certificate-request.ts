import type { KeyObject } from 'node:crypto';
import { parseCertificateRequest } from '../../base/pki/index.ts';
import type { CertificateRequestDocument } from '../model/certificate-request.ts';

/** Maximum length of the query parameter, in characters. A request line is limited to 16 KiB. */
const MOST_CHARACTERS = 12_000;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Parses the query parameter `request`, the field `spec.request` of a CertificateSigningRequest, with the
 * parser that validation, approval and signing use. Throws an `Error` for a malformed request.
 */
export function certificateRequestOf(query: URLSearchParams): CertificateRequestDocument {
  const given = query.get('request') ?? '';
  if (given.length > MOST_CHARACTERS || !BASE64.test(given))
    throw new Error(
      `invalid request of ${given.length} characters: expected base64 of a PEM certificate request, at most ${MOST_CHARACTERS} characters`,
    );
  const request = parseCertificateRequest(Buffer.from(given, 'base64'));
  const { subject, dnsNames, ipAddresses, emailAddresses, uris, otherKinds } = request;
  return {
    kind: 'CertificateRequest',
    commonName: subject.commonName,
    organizations: subject.organizations,
    dnsNames,
    ipAddresses,
    emailAddresses,
    uris,
    otherKinds,
    key: keyText(request.publicKey),
    isSigned: request.verify(),
  };
}

function keyText({ asymmetricKeyType: type = 'ec', asymmetricKeyDetails: details = {} }: KeyObject): string {
  const name = type.startsWith('ed') ? type : type.toUpperCase();
  if (details.modulusLength !== undefined) return `${name}, ${details.modulusLength} bits`;
  return details.namedCurve === undefined ? name : `${name}, curve ${details.namedCurve}`;
}
