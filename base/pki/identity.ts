import { type CertificateReading, readCertificate } from './read-certificate.ts';
import { readSubject } from './subject.ts';

/** The identity that a client certificate proves. */
export interface CertificateIdentity {
  /** The last common name; '' if there is no user. */
  readonly username: string;
  /** The organizations. */
  readonly groups: readonly string[];
}

/**
 * Returns the user and groups of a certificate. Login and signers share this function, so that both see the
 * same identity. Throws `ERR_DER` unless the whole subject is readable.
 */
export function identityOf({ subjectDer }: CertificateReading): CertificateIdentity {
  const { commonName, organizations } = readSubject(subjectDer);
  return { username: commonName, groups: organizations };
}

/** Returns the identity of a certificate in DER. Throws `ERR_DER` for anything else. */
export const readIdentity = (der: Buffer): CertificateIdentity => identityOf(readCertificate(der));
