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

/** Rules in a certificate's extensions for the paths it may be part of (RFC 5280, section 4.2). */
export interface PathConstraints {
  /** How many other authorities may stand below this one; undefined for any number. */
  readonly pathLength: number | undefined;
  /** It allows and forbids alternative names to those below it. */
  readonly constrainsNames: boolean;
  /** It has alternative names. */
  readonly hasNames: boolean;
  /** It has an extension that must be understood, and is not. */
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

/** Throws ERR_DER for extensions that cannot be read. */
export function pathConstraintsOf(reading: CertificateReading): PathConstraints {
  const { extensions } = reading;
  return {
    pathLength: basicConstraintsOf(reading).pathLength,
    constrainsNames: extensions.has(id_ce_nameConstraints),
    hasNames: extensions.has(id_ce_subjectAltName),
    isUnknown: [...extensions].some(([oid, { critical }]) => critical && !UNDERSTOOD.has(oid)),
  };
}

/** Reads a certificate's DER; one that cannot be read is unknown. */
export function readPathConstraints(der: Uint8Array): PathConstraints {
  try {
    return pathConstraintsOf(readCertificate(Buffer.from(der)));
  } catch {
    return { pathLength: undefined, constrainsNames: false, hasNames: false, isUnknown: true };
  }
}
