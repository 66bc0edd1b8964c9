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
 * Bounds on the work a peer's certificates can cause: how many besides its own are examined, the bytes of
 * each, and the signatures that are verified. A signature costs 0.05 ms (RSA-2048) to 1 ms (P-384).
 */
const MAX_INTERMEDIATES = 10;
const MAX_BYTES = 32 * 1024;
const MAX_SIGNATURES = 20;

/** Validity period of one certificate, in milliseconds since the epoch. */
export interface Validity {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Path to a root, leaf first, with everything verified except the validity periods. */
export type VerifiedPath = readonly Validity[];

interface PathMember {
  readonly certificate: X509Certificate;
  readonly reading: CertificateReading;
  readonly constraints: PathConstraints;
  readonly allowsClients: boolean;
  readonly isAuthority: boolean;
  readonly raw: Buffer;
}

/** Parses a certificate; undefined if it cannot be read, so it is part of no path. */
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
 * True if `issuer` may have signed `member`; compares names, key identifiers and key usage only, so it is
 * cheap.
 */
const namesAsIssuer = (member: PathMember, issuer: PathMember): boolean =>
  issuer.isAuthority &&
  member.reading.issuerDer.equals(issuer.reading.subjectDer) &&
  !isForgeable(member.reading.signatureAlgorithm) &&
  member.certificate.checkIssued(issuer.certificate);

/**
 * True if each authority on a path, leaf first, allows the number of authorities below it, and no certificate
 * has an unknown critical extension. Name constraints are not evaluated: below an authority that has them, a
 * leaf with names is refused.
 */
function keepsConstraints(path: readonly PathMember[]): boolean {
  const hasNames = path[0]?.constraints.hasNames === true;
  return path.every(
    ({ constraints: { pathLength, constrainsNames, isUnknown } }, at) =>
      !isUnknown &&
      (at === 0 || ((pathLength === undefined || at - 1 <= pathLength) && !(constrainsNames && hasNames))),
  );
}

/** Returns the paths from a peer's certificate to a root, over other certificates that the peer has sent. */
export type PathSearch = (leaf: X509Certificate, sent: readonly X509Certificate[]) => readonly VerifiedPath[];

/**
 * Creates a search for paths that clients may use (RFC 5280 section 6). Checks signatures by unforgeable
 * digests, CA flags, path lengths, critical extensions and extended key usage. Starts at the roots, so that a
 * key is used only after an authority has signed it: an untrusted chain costs only the signatures that claim
 * a root. Accepts a leaf that is itself a root, as upstream does.
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

/** Yields the paths, leaf first, from the first of `below` to one of `roots`. */
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
