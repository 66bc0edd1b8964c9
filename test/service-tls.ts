import type { Environment } from '../base/environment.ts';
import { noAlternativeNames } from '../base/pki/alternative-names.ts';
import { createCertificateAuthority, issueCertificate } from '../base/pki/certificates.ts';
import { generateKeyPair } from '../base/pki/keys.ts';

/** PEM of a key pair for client and server, and of the authority that signed its certificate. */
export interface ServiceTls {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/**
 * Creates an authority and a certificate for 127.0.0.1. The certificate is valid for client and server for
 * one hour.
 */
export function createServiceTls({ clock, random }: Pick<Environment, 'clock' | 'random'>): ServiceTls {
  const validity = { notBeforeMs: clock.now() - 60_000, notAfterMs: clock.now() + 3_600_000 };
  const keys = generateKeyPair('ec-p256');
  const ca = createCertificateAuthority(
    { commonName: 'ca', organizations: [] },
    generateKeyPair('ec-p256'),
    validity,
    random,
  );
  const template = {
    subject: { commonName: 'service', organizations: [] },
    publicKey: keys.publicKey,
    usages: ['digital signature', 'server auth', 'client auth'],
    names: { ...noAlternativeNames, ipAddresses: ['127.0.0.1'] },
    ...validity,
  };
  return {
    ca: ca.certificatePem,
    cert: issueCertificate(template, ca, random),
    key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
