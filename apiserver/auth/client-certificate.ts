import { X509Certificate } from 'node:crypto';
import { createLruMap, once } from '../../base/cache/index.ts';
import { rejecting } from '../../base/async/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import type { HttpPeer } from '../../base/http/index.ts';
import type { Live } from '../../base/lifetime/index.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import type { UserInfo } from '../../api/kinds/index.ts';
import type { Authenticator } from '../request.ts';
import { messageOf } from '../../base/errors/index.ts';
import { type CertificateIdentity, readIdentity } from '../../base/pki/index.ts';
import { type VerifiedPath, createPathSearch } from './certificate-paths.ts';
import { asAuthenticated } from './groups.ts';
import { rejected } from './rejection.ts';

/**
 * Maximum number of verified chains cached across connections, so that a client that reconnects is not
 * verified again.
 */
const MAX_CHAINS = 4_096;
/** Maximum number of parsed certificates cached. */
const MAX_PARSED = 64;

const CERTIFICATE_BLOCK = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** Parsed certificates by their PEM text, as the servers of one process mostly trust the same CAs. */
const parsed = createLruMap<X509Certificate>(MAX_PARSED);

function parseCertificate(block: string): X509Certificate {
  const known = parsed.get(block);
  if (known !== undefined) return known;
  const certificate = new X509Certificate(block);
  parsed.set(block, certificate);
  return certificate;
}

/**
 * Parses the certificates of a PEM bundle, in order. Ignores text and blocks of other types. Throws if a
 * certificate cannot be read.
 */
export const parseCertificates = (pem: string): readonly X509Certificate[] =>
  (pem.match(CERTIFICATE_BLOCK) ?? []).map(parseCertificate);

/**
 * Returns a live view of the certificates of a bundle that may change. Parses the bundle again only if its
 * text differs.
 */
export function liveCertificates(pem: Live<string>): Live<readonly X509Certificate[]> {
  let text = pem();
  let certificates = parseCertificates(text);
  return () => {
    const now = pem();
    if (now !== text) {
      text = now;
      certificates = parseCertificates(now);
    }
    return certificates;
  };
}

/**
 * Returns the common name of a verified certificate, or '' if it has none. Throws a rejection if the subject
 * cannot be read completely.
 */
export const commonNameOf = (certificate: X509Certificate): string => identityOf(certificate).username;

/**
 * Returns the user and groups that a certificate names. Returns undefined if the certificate has no common
 * name. Throws a rejection if the subject cannot be read completely.
 */
export function userOfCertificate(certificate: X509Certificate): UserInfo | undefined {
  const { username, groups } = identityOf(certificate);
  return username === '' ? undefined : { username, groups };
}

function identityOf({ raw }: X509Certificate): CertificateIdentity {
  try {
    return readIdentity(raw);
  } catch (thrown) {
    throw rejected(`x509: certificate subject cannot be read: ${messageOf(thrown)}`);
  }
}

/**
 * Function that returns the peer's verified certificate, or undefined if the peer sent none. Throws a
 * rejection if no path leads to a root, or if no path is valid now.
 */
export type PeerVerifier = (peer: HttpPeer) => X509Certificate | undefined;

/**
 * Creates a verifier of clients' TLS certificates against a bundle of roots. A path that `createPathSearch`
 * finds must be valid at the current time.
 *
 * Each chain is searched once. Later requests and connections with the same chain check only the validity
 * period, until the roots change. Chains without a path to a root are not cached, so that untrusted clients
 * cannot evict the chains of trusted ones.
 */
export function createPeerVerifier(options: {
  readonly roots: Live<readonly X509Certificate[]>;
  readonly clock: Clock;
}): PeerVerifier {
  const { roots, clock } = options;
  let held = roots();
  let verify = createBundleVerifier(held, clock);
  return (peer) => {
    const now = roots();
    if (now !== held) {
      held = now;
      verify = createBundleVerifier(now, clock);
    }
    return verify(peer);
  };
}

function createBundleVerifier(roots: readonly X509Certificate[], clock: Clock): PeerVerifier {
  const known = new WeakMap<X509Certificate, readonly VerifiedPath[]>();
  const chains = createLruMap<readonly VerifiedPath[]>(MAX_CHAINS);
  const pathsOf = createPathSearch(roots);

  function verify(certificate: X509Certificate, sent: readonly X509Certificate[]): readonly VerifiedPath[] {
    const chain = [certificate, ...sent].map(({ fingerprint256 }) => fingerprint256).join();
    const remembered = chains.get(chain);
    if (remembered !== undefined) return remembered;
    const found = pathsOf(certificate, sent);
    if (found.length > 0) chains.set(chain, found);
    return found;
  }

  const isCurrent = (path: VerifiedPath): boolean => {
    const nowMs = clock.now();
    return path.every(({ fromMs, toMs }) => fromMs <= nowMs && nowMs <= toMs);
  };

  return ({ certificate, intermediates = [] }) => {
    if (certificate === undefined) return undefined;
    let paths = known.get(certificate);
    if (paths === undefined) {
      paths = verify(certificate, intermediates);
      known.set(certificate, paths);
    }
    if (paths.length === 0) throw rejected('x509: certificate signed by unknown authority');
    if (!paths.some(isCurrent)) throw rejected('x509: certificate has expired or is not yet valid');
    return certificate;
  };
}

function readUser(certificate: X509Certificate): UserInfo | undefined {
  const user = userOfCertificate(certificate);
  return user && asAuthenticated(user);
}

/**
 * Creates an authenticator for clients whose certificate leads to a client CA. The common name becomes the
 * user name, the organizations become the groups.
 */
export function createClientCertificateAuthenticator(options: {
  readonly clientCa: Live<readonly X509Certificate[]>;
  readonly clock: Clock;
  readonly metrics: Metrics;
}): Authenticator {
  const { clientCa, clock, metrics } = options;
  const verify = createPeerVerifier({ roots: clientCa, clock });
  const known = new WeakMap<
    X509Certificate,
    { readonly endMs: number; readonly user: () => UserInfo | undefined }
  >();
  const remaining = metrics
    .histogram(
      'apiserver_client_certificate_expiration_seconds',
      'Distribution of the remaining lifetime on the certificate used to authenticate a request.',
      [],
      REMAINING_SECONDS,
    )
    .at();
  return {
    name: 'client-certificate',
    authenticate({ peer }) {
      const { certificate } = peer;
      if (certificate === undefined) return undefined;
      let facts = known.get(certificate);
      if (facts === undefined) {
        facts = { endMs: Date.parse(certificate.validTo), user: once(() => readUser(certificate)) };
        known.set(certificate, facts);
      }
      const { endMs, user: userOf } = facts;
      remaining.observe((endMs - clock.now()) / 1000);
      return rejecting(() => {
        verify(peer);
        const user = userOf();
        return user && { user };
      });
    },
  };
}

const HOUR = 3600;
const DAY = 24 * HOUR;
const REMAINING_SECONDS = [
  0,
  HOUR / 2,
  ...[1, 2, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 4, 7, 30, 90, 180, 360].map((days) => days * DAY),
];
