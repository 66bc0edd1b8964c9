import { type CertificateReading, readCertificate } from './read-certificate.ts';
import { readSubject } from './subject.ts';

/** The identity that a client certificate proves. */
export interface CertificateIdentity {
  /** The last common name; '' for no user. */
  readonly username: string;
  /** The organizations. */
  readonly groups: readonly string[];
}

/**
 * Returns user and groups of a certificate. Login, and signers who check what they have issued, use this one function.
 * Throws ERR_DER unless the whole subject can be read.
 */
export function identityOf({ subjectDer }: CertificateReading): CertificateIdentity {
  const { commonName, organizations } = readSubject(subjectDer);
  return { username: commonName, groups: organizations };
}

/** The same of a certificate's DER. Throws ERR_DER also for what is no certificate. */
export const readIdentity = (der: Buffer): CertificateIdentity => identityOf(readCertificate(der));
