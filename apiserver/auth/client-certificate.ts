import { X509Certificate } from 'node:crypto';
import type { Clock } from '../../base/clock/clock.ts';
import type { UserInfo } from '../../api/kinds/kind.ts';
import type { Authenticator } from '../request.ts';
import { parseDistinguishedName } from './distinguished-name.ts';
import { asAuthenticated } from './groups.ts';
import { rejected } from './rejection.ts';

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const ANY_USAGE = '2.5.29.37.0';
/** Certificates a peer may send besides its own, and signatures that are checked for one peer: bounds on its cost to us. */
const MAX_INTERMEDIATES = 10;
const MAX_SIGNATURES = 100;

const CERTIFICATE_BLOCK = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** The certificates of a PEM bundle, in order; other text and blocks are ignored. Throws when one cannot be read. */
export const parseCertificates = (pem: string): readonly X509Certificate[] =>
  (pem.match(CERTIFICATE_BLOCK) ?? []).map((block) => new X509Certificate(block));

/** The last common name is the user, organizations are groups; undefined without a common name. */
export function userOfCertificate(certificate: X509Certificate): UserInfo | undefined {
  // Node's types call it text; it is undefined for an empty subject.
  const attributes = parseDistinguishedName((certificate.subject as string | undefined) ?? '');
  const username = attributes.findLast(({ type }) => type === 'CN')?.value ?? '';
  if (username === '') return undefined;
  return { username, groups: attributes.filter(({ type }) => type === 'O').map(({ value }) => value) };
}

interface Validity {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A path to a root, as far as it was checked: everything but the time. */
interface Verified {
  readonly user: UserInfo | undefined;
  readonly validity: readonly Validity[];
}

const validityOf = (certificate: X509Certificate): Validity => ({
  fromMs: Date.parse(certificate.validFrom),
  toMs: Date.parse(certificate.validTo),
});

/** `keyUsage` of Node's certificates is the extended key usage; none at all allows every use. */
const allowsClients = (certificate: X509Certificate): boolean => {
  const usages = certificate.keyUsage as readonly string[] | undefined;
  return usages === undefined || usages.includes(CLIENT_AUTH) || usages.includes(ANY_USAGE);
};

const isSigned = (certificate: X509Certificate, issuer: X509Certificate): boolean =>
  issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);

/**
 * All paths from `leaf` to one of `roots`, leaf first. Upstream takes the leaf itself for a path when it is a root.
 * The search is bounded, so that a peer's certificates cannot keep the server busy.
 */
function* pathsOf(
  leaf: X509Certificate,
  intermediates: readonly X509Certificate[],
  roots: readonly X509Certificate[],
): Generator<readonly X509Certificate[]> {
  const isRoot = (candidate: X509Certificate): boolean =>
    roots.some((root) => root.raw.equals(candidate.raw));
  const pending: (readonly X509Certificate[])[] = [[leaf]];
  let signatures = 0;
  if (isRoot(leaf)) yield [leaf];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const last = path.at(-1) ?? leaf;
    for (const root of roots)
      if (signatures++ < MAX_SIGNATURES && isSigned(last, root)) yield [...path, root];
    for (const next of intermediates) {
      if (path.includes(next) || signatures++ >= MAX_SIGNATURES) continue;
      if (isSigned(last, next)) pending.push([...path, next]);
    }
  }
}

/**
 * A TLS peer's certificate, checked against the bundle of client CAs: signatures up to a root, CA flags, validity at
 * `clock`'s time of every certificate of the path, and the extended key usage for clients (RFC 5280). Common name →
 * user, organizations → groups. A peer's path is found once; later requests on its connection check the time alone.
 * Constraints on names and on the length of the path are not looked at.
 */
export function createClientCertificateAuthenticator(options: {
  readonly clientCa: readonly X509Certificate[];
  readonly clock: Clock;
}): Authenticator {
  const { clientCa, clock } = options;
  const known = new WeakMap<X509Certificate, readonly Verified[]>();

  function verify(certificate: X509Certificate, sent: readonly X509Certificate[]): readonly Verified[] {
    const found: Verified[] = [];
    for (const path of pathsOf(certificate, sent.slice(0, MAX_INTERMEDIATES), clientCa))
      if (path.every(allowsClients))
        found.push({ user: userOfCertificate(certificate), validity: path.map(validityOf) });
    return found;
  }

  const isCurrent = ({ validity }: Verified): boolean => {
    const nowMs = clock.now();
    return validity.every(({ fromMs, toMs }) => fromMs <= nowMs && nowMs <= toMs);
  };

  return {
    name: 'client-certificate',
    async authenticate({ peer }) {
      const { certificate } = peer;
      if (certificate === undefined) return undefined;
      let paths = known.get(certificate);
      if (paths === undefined) {
        paths = verify(certificate, peer.intermediates ?? []);
        known.set(certificate, paths);
      }
      if (paths.length === 0) throw rejected('x509: certificate signed by unknown authority');
      const path = paths.find(isCurrent);
      if (path === undefined) throw rejected('x509: certificate has expired or is not yet valid');
      return path.user === undefined ? undefined : { user: asAuthenticated(path.user) };
    },
  };
}
