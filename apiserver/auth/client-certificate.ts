import { X509Certificate } from 'node:crypto';
import { createLruMap } from '../../base/cache/lru-map.ts';
import { rejecting } from '../../base/async/soon.ts';
import type { Clock } from '../../base/clock/clock.ts';
import type { HttpPeer } from '../../base/http/message.ts';
import type { Live } from '../../base/lifetime/reloaded.ts';
import type { Metrics } from '../../base/metrics/metrics.ts';
import type { UserInfo } from '../../api/kinds/kind.ts';
import type { Authenticator } from '../request.ts';
import { type PathConstraints, readPathConstraints } from '../../base/pki/constraints.ts';
import { isForgeable } from '../../base/pki/signature.ts';
import { type NameAttribute, parseDistinguishedName } from './distinguished-name.ts';
import { asAuthenticated } from './groups.ts';
import { rejected } from './rejection.ts';

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const ANY_USAGE = '2.5.29.37.0';
/** Certificates a peer may send besides its own, and signatures that are checked for one peer: bounds on its cost to us. */
const MAX_INTERMEDIATES = 10;
const MAX_SIGNATURES = 100;
/** Chains remembered across connections: a client that connects anew is not checked anew. */
const MAX_CHAINS = 4_096;
/** Certificates of bundles that are kept parsed. */
const MAX_PARSED = 64;

const CERTIFICATE_BLOCK = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** Certificates of bundles, by their text: servers of one process mostly trust the same authorities. */
const parsed = createLruMap<X509Certificate>(MAX_PARSED);

function parseCertificate(block: string): X509Certificate {
  const known = parsed.get(block);
  if (known !== undefined) return known;
  const certificate = new X509Certificate(block);
  parsed.set(block, certificate);
  return certificate;
}

/** The certificates of a PEM bundle, in order; other text and blocks are ignored. Throws when one cannot be read. */
export const parseCertificates = (pem: string): readonly X509Certificate[] =>
  (pem.match(CERTIFICATE_BLOCK) ?? []).map(parseCertificate);

/** What the DER of a certificate says; that of an authority is asked for with every chain. */
interface Reading {
  readonly forgeable: boolean;
  readonly constraints: PathConstraints;
}
const readings = new WeakMap<X509Certificate, Reading>();

function readingOf(certificate: X509Certificate): Reading {
  const { raw } = certificate;
  const reading = readings.get(certificate) ?? {
    forgeable: isForgeable(raw),
    constraints: readPathConstraints(raw),
  };
  readings.set(certificate, reading);
  return reading;
}

/** The certificates of a bundle that may be another one later; parsed once as long as it is the same. */
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

// Node's types call the subject text; it is undefined where it is empty.
const subjectOf = (certificate: X509Certificate): readonly NameAttribute[] =>
  parseDistinguishedName((certificate.subject as string | undefined) ?? '');

const lastCommonName = (attributes: readonly NameAttribute[]): string =>
  attributes.findLast(({ type }) => type === 'CN')?.value ?? '';

/** The last common name; '' where there is none. */
export const commonNameOf = (certificate: X509Certificate): string => lastCommonName(subjectOf(certificate));

/** The last common name is the user, organizations are groups; undefined without a common name. */
export function userOfCertificate(certificate: X509Certificate): UserInfo | undefined {
  const attributes = subjectOf(certificate);
  const username = lastCommonName(attributes);
  if (username === '') return undefined;
  return { username, groups: attributes.filter(({ type }) => type === 'O').map(({ value }) => value) };
}

interface Validity {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A path to a root, as far as it was checked: everything but the time. */
type VerifiedPath = readonly Validity[];

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
  issuer.ca &&
  certificate.checkIssued(issuer) &&
  !readingOf(certificate).forgeable &&
  certificate.verify(issuer.publicKey);

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
 * Whether every authority of a path, leaf first, allows so many below it, and no certificate asks for what is not
 * understood. Which alternative names an authority allows is not looked into: below one that constrains them a leaf
 * must have none.
 */
function keepsConstraints(path: readonly X509Certificate[]): boolean {
  const all = path.map((certificate) => readingOf(certificate).constraints);
  const hasNames = all[0]?.hasNames === true;
  return all.every(
    ({ pathLength, constrainsNames, isUnknown }, at) =>
      !isUnknown &&
      (at === 0 || ((pathLength === undefined || at - 1 <= pathLength) && !(constrainsNames && hasNames))),
  );
}

/** Throws the rejection of a certificate that does not lead to a root or is not valid now; undefined without one. */
export type PeerVerifier = (peer: HttpPeer) => X509Certificate | undefined;

/**
 * Checks TLS peers' certificates against a bundle of roots: signatures up to a root, none by a broken digest, CA flags, validity at `clock`'s time
 * of every certificate of the path, its length, critical extensions, and the extended key usage for clients (RFC 5280).
 * A chain's paths are found once; later requests and connections with it check the time alone, until there are other
 * roots. Chains that lead to no root are not remembered, so that strangers cannot crowd out the others.
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

  function verify(certificate: X509Certificate, sent: readonly X509Certificate[]): readonly VerifiedPath[] {
    const intermediates = sent.slice(0, MAX_INTERMEDIATES);
    const chain = [certificate, ...intermediates].map(({ fingerprint256 }) => fingerprint256).join();
    const remembered = chains.get(chain);
    if (remembered !== undefined) return remembered;
    const found: VerifiedPath[] = [];
    for (const path of pathsOf(certificate, intermediates, roots))
      if (path.every(allowsClients) && keepsConstraints(path)) found.push(path.map(validityOf));
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

/** Common name → user, organizations → groups, for peers whose certificate leads to one of the client CAs. */
export function createClientCertificateAuthenticator(options: {
  readonly clientCa: Live<readonly X509Certificate[]>;
  readonly clock: Clock;
  readonly metrics: Metrics;
}): Authenticator {
  const { clientCa, clock, metrics } = options;
  const verify = createPeerVerifier({ roots: clientCa, clock });
  const users = new WeakMap<
    X509Certificate,
    { readonly user: UserInfo | undefined; readonly endMs: number }
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
      let known = users.get(certificate);
      if (known === undefined) {
        const user = userOfCertificate(certificate);
        known = { user: user && asAuthenticated(user), endMs: Date.parse(certificate.validTo) };
        users.set(certificate, known);
      }
      const { user, endMs } = known;
      remaining.observe((endMs - clock.now()) / 1000);
      return rejecting(() => verify(peer) && user && { user });
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
