import {
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_certificatePolicies,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_nameConstraints,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
} from '@peculiar/asn1-x509';
import { type CertificateReading, basicConstraintsOf, readCertificate } from './read-certificate.ts';

/** Constraints of a certificate on certification paths that contain it (RFC 5280, section 4.2). */
export interface PathConstraints {
  /** Maximum number of CA certificates below this one; undefined if the number is not limited. */
  readonly pathLength: number | undefined;
  /** True if the certificate restricts the names in certificates below it. */
  readonly constrainsNames: boolean;
  /** True if the certificate has alternative names. */
  readonly hasNames: boolean;
  /** True if the certificate has an unknown critical extension. */
  readonly isUnknown: boolean;
}

const UNDERSTOOD: ReadonlySet<string> = new Set([
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_certificatePolicies,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_nameConstraints,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
]);

/** Returns the constraints of a parsed certificate. Throws `ERR_DER` if an extension cannot be read. */
export function pathConstraintsOf(reading: CertificateReading): PathConstraints {
  const { extensions } = reading;
  return {
    pathLength: basicConstraintsOf(reading).pathLength,
    constrainsNames: extensions.has(id_ce_nameConstraints),
    hasNames: extensions.has(id_ce_subjectAltName),
    isUnknown: [...extensions].some(([oid, { critical }]) => critical && !UNDERSTOOD.has(oid)),
  };
}

/** Reads the constraints of a certificate in DER. `isUnknown` is true if the certificate cannot be read. */
export function readPathConstraints(der: Uint8Array): PathConstraints {
  try {
    return pathConstraintsOf(readCertificate(Buffer.from(der)));
  } catch {
    return { pathLength: undefined, constrainsNames: false, hasNames: false, isUnknown: true };
  }
}
