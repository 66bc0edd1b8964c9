import { X509Certificate } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { certificateSigningRequests } from '../../api/groups/certificates-v1.ts';
import type { DeepReadonly } from '../../api/kinds/kind.ts';
import type { CertificateSigningRequest } from '../../api/types/certificates-v1.ts';
import { readCertificate } from '../../base/pki/read-certificate.ts';
import { parseCertificateRequest } from '../../base/pki/request.ts';
import { readSubject } from '../../base/pki/subject.ts';
import { certificateOf, conditionOf } from './csrcleaner.ts';
import {
  type Commit,
  type Invariant,
  type LiveView,
  type ProcessEntry,
  type Verdict,
  invariant,
  liveObjects,
  objectOf,
  verdict,
} from './invariant.ts';

type Request = DeepReadonly<CertificateSigningRequest>;

const CONTROLLER = 'csrsigning';
const MINUTE = 60_000;
/** The shortest life time given, and how far clocks may be apart. */
const SHORTEST_MS = 10 * MINUTE;
const SKEW_MS = 5 * MINUTE;
/** How much longer than it is valid it may take until it is written: it was backdated, its signer stood still, the write was slow. */
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

/** What of a certificate is not what was asked for. */
function difference(request: Request, certificate: X509Certificate): string | undefined {
  const asked = parseCertificateRequest(Buffer.from(request.spec?.request ?? '', 'base64'));
  if (!certificate.publicKey.equals(asked.publicKey)) return 'public key';
  if (!isDeepStrictEqual(readSubject(readCertificate(certificate.raw).subjectDer), asked.subject))
    return 'subject';
  return certificate.ca ? 'CA flag' : undefined;
}

/** What is signed, and what is refused. */
export const csrSigningInvariants = (signerNames: readonly string[]): readonly Invariant[] => [
  onIssue(
    'csrsigning/N1',
    'signs only what is approved, and neither denied nor failed',
    ({ before }, { name }) => {
      if (!conditionOf(before, 'Approved')) return `signed ${name}, which is not approved`;
      return conditionOf(before, 'Denied') || conditionOf(before, 'Failed')
        ? `signed ${name}, which is denied or failed`
        : undefined;
    },
  ),
  onIssue('csrsigning/N2', 'leaves requests of other signers alone', ({ before }, { name }) =>
    signerNames.includes(before.spec?.signerName ?? '') ? undefined : `signed ${name} of a foreign signer`,
  ),
  invariant({
    id: 'csrsigning/N3',
    says: 'never has a request failed and got its certificate',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => null,
    onCommit(state, commit) {
      const after = objectOf(commit, certificateSigningRequests, 'after');
      const isEither =
        Boolean(after?.status?.certificate) || (after && conditionOf(after, 'Failed') !== undefined);
      const isBoth =
        Boolean(after?.status?.certificate) && after && conditionOf(after, 'Failed') !== undefined;
      return verdict(
        state,
        Boolean(isEither),
        isBoth ? `${commit.name} has failed and has a certificate` : undefined,
      );
    },
  }),
  onIssue(
    'csrsigning/N4',
    'a certificate is for the key and the subject that were asked for, and is no CA',
    ({ after }, { name }) => {
      const certificate = certificateOf(after);
      if (!certificate) return `the certificate of ${name} cannot be read`;
      const wrong = difference(after, certificate);
      return wrong && `the certificate of ${name} has another ${wrong} than was asked for`;
    },
  ),
  onIssue('csrsigning/N5', 'a certificate ends no later than was asked for', ({ after }, { name, atMs }) => {
    const seconds = after.spec?.expirationSeconds;
    const certificate = certificateOf(after);
    if (seconds === undefined || !certificate) return undefined;
    const latestMs = atMs + Math.max(seconds * 1000, SHORTEST_MS) + SKEW_MS;
    return Date.parse(certificate.validTo) > latestMs
      ? `the certificate of ${name} lives too long`
      : undefined;
  }),
  invariant({
    id: 'csrsigning/N6',
    says: 'a certificate that is there is never changed',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => null,
    onCommit(state, commit) {
      const [before, after] = (['before', 'after'] as const).map((which) =>
        objectOf(commit, certificateSigningRequests, which),
      );
      const had = before?.status?.certificate;
      // Whoever changes one that has its certificate brings it up again: then it is to be left alone.
      if (!had || !after) return verdict(state, false);
      const isChanged = commit.actor === CONTROLLER && after.status?.certificate !== had;
      return verdict(state, true, isChanged ? `replaced that of ${commit.name}` : undefined);
    },
  }),
  onIssue(
    'csrsigning/N8',
    'a certificate is valid from the time at which it was given',
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
    id: 'csrsigning/E1',
    says: 'what is approved is signed or has failed',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => null,
    atRest(state, live) {
      const open = liveObjects(live, certificateSigningRequests).find(
        (each) =>
          signerNames.includes(each.spec?.signerName ?? '') &&
          conditionOf(each, 'Approved') &&
          !['Denied', 'Failed'].some((type) => conditionOf(each, type)) &&
          !each.status?.certificate &&
          !each.metadata?.deletionTimestamp,
      );
      return verdict(state, true, open && `${open.metadata?.name ?? ''} is approved and not signed`);
    },
  }),
];

/** Requests for which a certificate was made that is not recorded yet, by the process that has made it. */
type Unrecorded = Readonly<Record<string, string>>;

const without = (open: Unrecorded, isMeant: (key: string, process: string) => boolean): Unrecorded =>
  Object.fromEntries(Object.entries(open).filter(([key, process]) => !isMeant(key, process)));

function onSignature(open: Unrecorded, { process, event }: ProcessEntry): Verdict<Unrecorded> {
  // What a process that has died had made is lost with it: that is a fault.
  if (event === 'started')
    return verdict(
      without(open, (_, of) => of === process),
      false,
    );
  const { controller, key, kind, state, outcome } = event;
  if (controller !== CONTROLLER) return verdict(open, false);
  if (kind === 'effect.failed' || (kind === 'pass.finished' && outcome === 'failed'))
    return verdict(
      without(open, (each, of) => each === key && of === process),
      false,
    );
  if (kind !== 'effect.done' || state !== 'sign') return verdict(open, false);
  const isSecond = open[key] === process;
  return verdict(
    { ...open, [key]: process },
    true,
    isSecond
      ? `made another certificate for ${key}, with one that was neither recorded nor refused`
      : undefined,
  );
}

/**
 * For each certificate that is made one is recorded, or the write has failed, or the process has died. Read from the
 * controllers' journals: an explorer has none.
 */
export const csrIssuanceInvariants: readonly Invariant[] = [
  invariant<Unrecorded>({
    id: 'csrsigning/N7',
    says: 'makes no second certificate while the first is neither recorded nor refused',
    controller: CONTROLLER,
    kind: 'never',
    entries: ['started', 'effect.done', 'effect.failed', 'pass.finished'],
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

/** Whether some request has a certificate of another authority: what signed it then is not what signs now. */
const isRotated = (live: LiveView, authority: X509Certificate): boolean =>
  liveObjects(live, certificateSigningRequests).some((each) => {
    const certificate = certificateOf(each);
    return certificate !== undefined && !certificate.verify(authority.publicKey);
  });

/** What follows from another authority's taking the place of one. `authorityPem`: the certificate of the one in force. */
export function csrRotationInvariants(authorityPem: string): readonly Invariant[] {
  const authority = new X509Certificate(authorityPem);
  return [
    invariant({
      id: 'csrsigning/E3',
      says: 'once another authority signs, new certificates chain to that one',
      controller: CONTROLLER,
      kind: 'never',
      initial: () => null,
      onCommit(state, commit, live) {
        const issue = writeIn(commit);
        const isNew = issue && !issue.before.status?.certificate && issue.after.status?.certificate;
        if (!isNew || !isRotated(live, authority)) return verdict(state, false);
        const certificate = certificateOf(issue.after);
        const isOurs = certificate?.checkIssued(authority) && certificate.verify(authority.publicKey);
        return verdict(state, true, isOurs ? undefined : `signed ${commit.name} by an authority of before`);
      },
    }),
  ];
}
