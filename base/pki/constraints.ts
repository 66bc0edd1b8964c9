import { AsnConvert } from '@peculiar/asn1-schema';
import {
  BasicConstraints,
  Certificate,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_certificatePolicies,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_nameConstraints,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
} from '@peculiar/asn1-x509';

/** What a certificate's extensions say of the paths it may stand in (RFC 5280, section 4.2). */
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

const UNDERSTOOD = new Set([
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_certificatePolicies,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_nameConstraints,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
]);

/** Reads a certificate's DER; one that cannot be read is unknown. */
export function readPathConstraints(der: Uint8Array): PathConstraints {
  try {
    const { extensions = [] } = AsnConvert.parse(der, Certificate).tbsCertificate;
    const has = (oid: string): boolean => extensions.some(({ extnID }) => extnID === oid);
    const basic = extensions.find(({ extnID }) => extnID === id_ce_basicConstraints);
    return {
      pathLength: basic && AsnConvert.parse(basic.extnValue.buffer, BasicConstraints).pathLenConstraint,
      constrainsNames: has(id_ce_nameConstraints),
      hasNames: has(id_ce_subjectAltName),
      isUnknown: extensions.some(({ extnID, critical }) => critical && !UNDERSTOOD.has(extnID)),
    };
  } catch {
    return { pathLength: undefined, constrainsNames: false, hasNames: false, isUnknown: true };
  }
}
