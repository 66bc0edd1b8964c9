import { type CertificateReading, readCertificate } from './read-certificate.ts';
import { readSubject } from './subject.ts';

/** Identity that a client certificate proves. */
export interface CertificateIdentity {
  /** Last common name of the subject; '' if there is none. */
  readonly username: string;
  /** Organizations of the subject. */
  readonly groups: readonly string[];
}

/**
 * Returns the user name and groups of a certificate. Authentication and certificate signers use this
 * function, so that both derive the same identity. Throws `ERR_DER` if any part of the subject cannot be
 * read.
 */
export function identityOf({ subjectDer }: CertificateReading): CertificateIdentity {
  const { commonName, organizations } = readSubject(subjectDer);
  return { username: commonName, groups: organizations };
}

/** Returns the identity of a certificate in DER. Throws `ERR_DER` if the certificate cannot be read. */
export const readIdentity = (der: Buffer): CertificateIdentity => identityOf(readCertificate(der));
