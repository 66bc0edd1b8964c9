import { createSystemClock } from '../../base/clock/index.ts';
import {
  type CertificateAuthority,
  createCertificateAuthority,
  generateKeyPair,
  issueCertificate,
  noAlternativeNames,
  privateKeyPem,
} from '../../base/pki/index.ts';
import { createSystemRandom } from '../../base/random/index.ts';

const random = createSystemRandom();

/** Authority whose certificates are valid for an hour. */
export interface HourlyAuthority {
  readonly certificatePem: string;
  /** Issues a certificate with a new key, for the authority's DNS name and 127.0.0.1. */
  issue(commonName: string, usage: string): { readonly certificate: string; readonly key: string };
}

/** Creates an authority for servers with this DNS name and their clients. */
export function createHourlyAuthority(dnsName: string): HourlyAuthority {
  const nowMs = createSystemClock().now();
  const validity = { notBeforeMs: nowMs - 60_000, notAfterMs: nowMs + 3_600_000 };
  const subject = { commonName: 'ca', organizations: [] };
  const authority: CertificateAuthority = createCertificateAuthority(
    subject,
    generateKeyPair('ec-p256'),
    validity,
    random,
  );
  return {
    certificatePem: authority.certificatePem,
    issue(commonName, usage) {
      const keys = generateKeyPair('ec-p256');
      const template = {
        subject: { commonName, organizations: [] },
        publicKey: keys.publicKey,
        usages: ['digital signature', usage],
        names: { ...noAlternativeNames, dnsNames: [dnsName], ipAddresses: ['127.0.0.1'] },
        ...validity,
      };
      return {
        certificate: issueCertificate(template, authority, random),
        key: privateKeyPem(keys.privateKey),
      };
    },
  };
}
