import { readCertificate } from './read-certificate.ts';
import { readSubject } from './subject.ts';

/** The identity that a client certificate proves. */
export interface CertificateIdentity {
  /** The last common name; '' names nobody. */
  readonly username: string;
  /** The organizations. */
  readonly groups: readonly string[];
}

/**
 * Reads user and groups from a certificate's DER. Login, and signers who check what they have issued, use this one
 * function. Throws ERR_DER unless the whole subject can be read.
 */
export function readIdentity(der: Buffer): CertificateIdentity {
  const { commonName, organizations } = readSubject(readCertificate(der).subjectDer);
  return { username: commonName, groups: organizations };
}
