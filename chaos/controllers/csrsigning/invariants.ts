import { X509Certificate } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { certificateSigningRequests } from '../../../api/groups/certificates-v1.ts';
import type { DeepReadonly } from '../../../api/kinds/index.ts';
import type { CertificateSigningRequest } from '../../../api/types/certificates-v1.ts';
import { parseCertificateRequest, readCertificate, readSubject } from '../../../base/pki/index.ts';
import { certificateOf, conditionOf } from '../../invariants/certificate-requests.ts';
import {
  type Commit,
  type Invariant,
  type LiveView,
  type ProcessEntry,
  type InvariantResult,
  invariant,
  liveObjects,
  objectOf,
  verdict,
} from '../../invariants/invariant.ts';

type Request = DeepReadonly<CertificateSigningRequest>;

const CONTROLLER = 'csrsigning';
const MINUTE = 60_000;
/** Minimum lifetime of a certificate, and maximum difference of clocks, in milliseconds. */
const SHORTEST_MS = 10 * MINUTE;
const SKEW_MS = 5 * MINUTE;
/**
 * Maximum age of a new certificate in milliseconds. It is backdated, the signer may pause, and the write may
 * be slow.
 */
const LATE_MS = 15 * MINUTE;

interface Issue {
  readonly before: Request;
  readonly after: Request;
}

const writeIn = (commit: Commit): Issue | undefined => {
  const before = objectOf(commit, certificateSigningRequests, 'before');
  const after = objectOf(commit, certificateSigningRequests, 'after');
  return commit.actor === CONTROLLER && before && after ? { before, after } : undefined;
};

const onIssue = (
  id: string,
  says: string,
  judge: (issue: Issue, commit: Commit) => string | undefined,
  rest: Pick<Invariant, 'unless'> = {},
): Invariant =>
  invariant({
    id,
    says,
    controller: CONTROLLER,
    kind: 'never',
    ...rest,
    initial: () => null,
    onCommit(state, commit) {
      const issue = writeIn(commit);
      if (!issue?.after.status?.certificate) return verdict(state, false);
      return verdict(state, true, judge(issue, commit));
    },
  });

/**
 * Returns the name of the first property of a certificate that differs from the request; undefined if none
 * differs.
 */
function difference(request: Request, certificate: X509Certificate): string | undefined {
  const asked = parseCertificateRequest(Buffer.from(request.spec?.request ?? '', 'base64'));
  if (!certificate.publicKey.equals(asked.publicKey)) return 'public key';
  if (!isDeepStrictEqual(readSubject(readCertificate(certificate.raw).subjectDer), asked.subject))
    return 'subject';
  return certificate.ca ? 'CA flag' : undefined;
}

/** True if a request is approved, and neither denied nor failed nor signed. */
const isOpen = (request: Request): boolean =>
  conditionOf(request, 'Approved') !== undefined &&
  !['Denied', 'Failed'].some((type) => conditionOf(request, type)) &&
  !request.status?.certificate;

/** Returns the invariants about issued certificates and rejected requests. */
export const csrSigningInvariants = (signerNames: readonly string[]): readonly Invariant[] => [
  onIssue(
    'csrsigning/no-unapproved-certificate',
    'signs only requests that are approved and neither denied nor failed',
    ({ before }, { name }) => {
      if (!conditionOf(before, 'Approved')) return `signed ${name}, which is not approved`;
      return conditionOf(before, 'Denied') || conditionOf(before, 'Failed')
        ? `signed ${name}, which is denied or failed`
        : undefined;
    },
  ),
  onIssue(
    'csrsigning/no-foreign-signer',
    'does not sign requests for other signers',
    ({ before }, { name }) =>
      signerNames.includes(before.spec?.signerName ?? '') ? undefined : `signed ${name} of a foreign signer`,
  ),
  invariant({
    id: 'csrsigning/no-certificate-and-failure',
    says: 'never gives a request both a certificate and the Failed condition',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => null,
    onCommit(state, commit) {
      // Users may mark a request as failed although it has its certificate.
      if (commit.actor === 'user') return verdict(state, false);
      const [before, after] = (['before', 'after'] as const).map((which) =>
        objectOf(commit, certificateSigningRequests, which),
      );
      const isIssued = Boolean(after?.status?.certificate);
      const isFailed = after !== undefined && conditionOf(after, 'Failed') !== undefined;
      // Others may change a request that a user has marked, such as its finalizers.
      const wasBoth =
        Boolean(before?.status?.certificate) && before && conditionOf(before, 'Failed') !== undefined;
      return verdict(
        state,
        isIssued || isFailed,
        isIssued && isFailed && wasBoth !== true
          ? `${commit.name} has failed and has a certificate`
          : undefined,
      );
    },
  }),
  onIssue(
    'csrsigning/certificate-as-requested',
    'a certificate has the requested key and subject and is not a CA',
    ({ after }, { name }) => {
      const certificate = certificateOf(after);
      if (!certificate) return `the certificate of ${name} cannot be read`;
      const wrong = difference(after, certificate);
      return wrong && `the certificate of ${name} has a different ${wrong} than requested`;
    },
  ),
  onIssue(
    'csrsigning/no-longer-lifetime',
    'a certificate expires no later than requested',
    ({ after }, { name, atMs }) => {
      const seconds = after.spec?.expirationSeconds;
      const certificate = certificateOf(after);
      if (seconds === undefined || !certificate) return undefined;
      const latestMs = atMs + Math.max(seconds * 1000, SHORTEST_MS) + SKEW_MS;
      return Date.parse(certificate.validTo) > latestMs
        ? `the certificate of ${name} is valid for too long`
        : undefined;
    },
  ),
  invariant({
    id: 'csrsigning/no-changed-certificate',
    says: 'an existing certificate is never changed',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => null,
    onCommit(state, commit) {
      const [before, after] = (['before', 'after'] as const).map((which) =>
        objectOf(commit, certificateSigningRequests, which),
      );
      const had = before?.status?.certificate;
      // A change of a request with a certificate enqueues the request. The certificate must then stay.
      if (!had || !after) return verdict(state, false);
      const isChanged = commit.actor === CONTROLLER && after.status?.certificate !== had;
      return verdict(state, true, isChanged ? `replaced that of ${commit.name}` : undefined);
    },
  }),
  onIssue(
    'csrsigning/valid-from-signing',
    'a certificate is valid from the time of signing',
    ({ after }, { name, atMs }) => {
      const certificate = certificateOf(after);
      if (!certificate) return undefined;
      const fromMs = Date.parse(certificate.validFrom);
      const isNow = fromMs >= atMs - LATE_MS && fromMs <= atMs + SKEW_MS;
      return isNow ? undefined : `the certificate of ${name} is valid from ${certificate.validFrom}`;
    },
    { unless: 'api-clock-forward' },
  ),
  invariant({
    id: 'csrsigning/approved-is-signed',
    says: 'an approved request is signed or has failed',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => null,
    onCommit(state, commit) {
      const write = writeIn(commit);
      const isOurs = signerNames.includes(write?.before.spec?.signerName ?? '');
      return verdict(state, isOurs && write !== undefined && isOpen(write.before) && !isOpen(write.after));
    },
    atRest(state, live) {
      const open = liveObjects(live, certificateSigningRequests).find(
        (each) =>
          signerNames.includes(each.spec?.signerName ?? '') &&
          isOpen(each) &&
          !each.metadata?.deletionTimestamp,
      );
      return verdict(
        state,
        open !== undefined,
        open && `${open.metadata?.name ?? ''} is approved and not signed`,
      );
    },
  }),
];

/** Requests with a certificate that was issued but not recorded, and the process that issued it. */
type Unrecorded = Readonly<Record<string, string>>;

const without = (open: Unrecorded, isMeant: (key: string, process: string) => boolean): Unrecorded =>
  Object.fromEntries(Object.entries(open).filter(([key, process]) => !isMeant(key, process)));

function onSignature(open: Unrecorded, { process, event }: ProcessEntry): InvariantResult<Unrecorded> {
  // A crash may lose a certificate before it is recorded. The controller is not to blame.
  if (event === 'started')
    return verdict(
      without(open, (_, of) => of === process),
      false,
    );
  const { controller, key, kind, state, outcome } = event;
  if (controller !== CONTROLLER) return verdict(open, false);
  if (kind === 'effect.failed' || (kind === 'reconcile.finished' && outcome === 'failed'))
    return verdict(
      without(open, (each, of) => each === key && of === process),
      false,
    );
  if (kind !== 'effect.done' || state !== 'sign') return verdict(open, false);
  const isSecond = open[key] === process;
  return verdict(
    { ...open, [key]: process },
    true,
    isSecond ? `issued another certificate for ${key} before the first was recorded or refused` : undefined,
  );
}

/**
 * Invariants about issued certificates: each is recorded, or its write failed, or the process crashed. These
 * invariants need journals, which explorers do not have.
 */
export const csrIssuanceInvariants: readonly Invariant[] = [
  invariant<Unrecorded>({
    id: 'csrsigning/no-second-certificate',
    says: 'issues no second certificate before the first is recorded or refused',
    controller: CONTROLLER,
    kind: 'never',
    entries: ['started', 'effect.done', 'effect.failed', 'reconcile.finished'],
    initial: () => ({}),
    onCommit(open, commit) {
      const isRecorded = writeIn(commit)?.after.status?.certificate !== undefined;
      const isNew = objectOf(commit, certificateSigningRequests, 'after') && !commit.before;
      const isGone = objectOf(commit, certificateSigningRequests, 'before') && !commit.after;
      if (!isRecorded && !isNew && !isGone) return verdict(open, false);
      return verdict(
        without(open, (key) => key === commit.name),
        false,
      );
    },
    onEntry: onSignature,
  }),
];

/** True if any request has a certificate of a former authority. */
const isRotated = (live: LiveView, authority: X509Certificate): boolean =>
  liveObjects(live, certificateSigningRequests).some((each) => {
    const certificate = certificateOf(each);
    return certificate !== undefined && !certificate.verify(authority.publicKey);
  });

/**
 * Returns the invariants about a rotated authority. `authorityPem` is the certificate of the current
 * authority.
 */
export function csrRotationInvariants(authorityPem: string): readonly Invariant[] {
  const authority = new X509Certificate(authorityPem);
  return [
    invariant({
      id: 'csrsigning/current-authority-signs',
      says: 'after a rotation, new certificates chain to the current authority',
      controller: CONTROLLER,
      kind: 'never',
      initial: () => null,
      onCommit(state, commit, live) {
        const issue = writeIn(commit);
        const isNew = issue && !issue.before.status?.certificate && issue.after.status?.certificate;
        if (!isNew || !isRotated(live, authority)) return verdict(state, false);
        const certificate = certificateOf(issue.after);
        const isOurs = certificate?.checkIssued(authority) && certificate.verify(authority.publicKey);
        return verdict(state, true, isOurs ? undefined : `signed ${commit.name} with a former authority`);
      },
    }),
  ];
}
