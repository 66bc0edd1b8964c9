import type { X509Certificate } from 'node:crypto';
import {
  type CertificateReading,
  type PathConstraints,
  basicConstraintsOf,
  extendedUsagesOf,
  isForgeable,
  pathConstraintsOf,
  readCertificate,
} from '../../base/pki/index.ts';

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const ANY_USAGE = '2.5.29.37.0';
/**
 * Bounds on the work that a client's certificates can cause. They limit the number of certificates examined
 * besides the client's own, the size of each in bytes, and the number of signatures verified. Verifying a
 * signature takes 0.05 ms (RSA-2048) to 1 ms (P-384).
 */
const MAX_INTERMEDIATES = 10;
const MAX_BYTES = 32 * 1024;
const MAX_SIGNATURES = 20;

/** Validity period of one certificate, in milliseconds since the epoch. */
export interface Validity {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Certification path to a root, leaf first. Everything is verified except the validity periods. */
export type VerifiedPath = readonly Validity[];

interface PathMember {
  readonly certificate: X509Certificate;
  readonly reading: CertificateReading;
  readonly constraints: PathConstraints;
  readonly allowsClients: boolean;
  readonly isAuthority: boolean;
  readonly raw: Buffer;
}

/**
 * Parses a certificate. Returns undefined if the certificate cannot be read; such a certificate is part of no
 * path.
 */
function readMember(certificate: X509Certificate): PathMember | undefined {
  const { raw } = certificate;
  if (raw.length > MAX_BYTES) return undefined;
  try {
    const reading = readCertificate(raw);
    const usages = extendedUsagesOf(reading);
    return {
      certificate,
      reading,
      constraints: pathConstraintsOf(reading),
      // A certificate without the extended key usage extension allows every use.
      allowsClients: usages === undefined || usages.includes(CLIENT_AUTH) || usages.includes(ANY_USAGE),
      isAuthority: certificate.ca && basicConstraintsOf(reading).isAuthority,
      raw,
    };
  } catch {
    return undefined;
  }
}

/**
 * True if `issuer` may have signed `member`. The check is cheap, as it compares only names, key identifiers
 * and key usage.
 */
const namesAsIssuer = (member: PathMember, issuer: PathMember): boolean =>
  issuer.isAuthority &&
  member.reading.issuerDer.equals(issuer.reading.subjectDer) &&
  !isForgeable(member.reading.signatureAlgorithm) &&
  member.certificate.checkIssued(issuer.certificate);

/**
 * True if each CA on the path, leaf first, allows the number of CAs below it, and no certificate has an
 * unknown critical extension. Name constraints are not evaluated; instead, a leaf with names is rejected
 * below a CA that has name constraints.
 */
function keepsConstraints(path: readonly PathMember[]): boolean {
  const hasNames = path[0]?.constraints.hasNames === true;
  return path.every(
    ({ constraints: { pathLength, constrainsNames, isUnknown } }, at) =>
      !isUnknown &&
      (at === 0 || ((pathLength === undefined || at - 1 <= pathLength) && !(constrainsNames && hasNames))),
  );
}

/**
 * Function that returns the paths from a client's certificate to a root. `sent` holds the other certificates
 * that the client sent.
 */
export type PathSearch = (leaf: X509Certificate, sent: readonly X509Certificate[]) => readonly VerifiedPath[];

/**
 * Creates a search for paths that are valid for client authentication (RFC 5280 section 6). It checks
 * signatures with unforgeable digests, CA flags, path lengths, critical extensions and extended key usage. A
 * leaf that is itself a root is accepted, as upstream does.
 *
 * The search starts at the roots, so that a key is used only after a CA has signed it. An untrusted chain
 * therefore costs only the verification of signatures that name a root as issuer.
 */
export function createPathSearch(roots: readonly X509Certificate[]): PathSearch {
  const trusted = roots.flatMap((root) => readMember(root) ?? []);
  const isRoot = ({ raw }: PathMember): boolean => trusted.some((root) => root.raw.equals(raw));
  return (certificate, sent) => {
    const leaf = readMember(certificate);
    if (leaf === undefined) return [];
    const others = sent.slice(0, MAX_INTERMEDIATES).flatMap((each) => readMember(each) ?? []);
    const below = [leaf, ...others.filter((each) => !isRoot(each))];
    const paths = [...(isRoot(leaf) ? [[leaf]] : []), ...pathsFrom(trusted, below)];
    return paths
      .filter((path) => path.every(({ allowsClients }) => allowsClients) && keepsConstraints(path))
      .map((path) => path.map(({ reading }) => ({ fromMs: reading.notBeforeMs, toMs: reading.notAfterMs })));
  };
}

/** Yields the paths, leaf first, from the first certificate of `below` to one of `roots`. */
function* pathsFrom(
  roots: readonly PathMember[],
  below: readonly PathMember[],
): Generator<readonly PathMember[]> {
  let signatures = 0;
  const pending = roots.map((root): readonly PathMember[] => [root]);
  for (let path = pending.shift(); path !== undefined; path = pending.shift())
    for (const member of below) {
      const [issuer] = path;
      if (issuer === undefined || path.includes(member) || !namesAsIssuer(member, issuer)) continue;
      if (signatures++ >= MAX_SIGNATURES) return;
      if (!member.certificate.verify(issuer.certificate.publicKey)) continue;
      if (member === below[0]) yield [member, ...path];
      else pending.push([member, ...path]);
    }
}
