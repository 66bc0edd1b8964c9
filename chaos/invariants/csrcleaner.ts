import { X509Certificate } from 'node:crypto';
import { certificateSigningRequests } from '../../api/groups/certificates-v1.ts';
import type { DeepReadonly } from '../../api/kinds/kind.ts';
import type { CertificateSigningRequest } from '../../api/types/certificates-v1.ts';
import { fromTime } from '../../base/clock/clock.ts';
import { type Invariant, invariant, liveObjects, objectOf, verdict } from './invariant.ts';

type Request = DeepReadonly<CertificateSigningRequest>;

const CONTROLLER = 'csrcleaner';
const HOUR = 3_600_000;
/** For the controller to take it up: a run may end at the very moment. */
const HEED_MS = 10_000;

export const conditionOf = ({ status }: Request, type: string) =>
  status?.conditions?.find((each) => each.type === type && each.status === 'True');

/** When the certificate of a request runs out; undefined without one, or when it cannot be read. */
export function certificateOf({ status }: Request): X509Certificate | undefined {
  if (!status?.certificate) return undefined;
  const known = certificates.get(status);
  if (known !== undefined) return known;
  try {
    const certificate = new X509Certificate(Buffer.from(status.certificate, 'base64'));
    certificates.set(status, certificate);
    return certificate;
  } catch {
    return undefined;
  }
}

/** By the status that holds it: several invariants ask for it, at every commit. */
const certificates = new WeakMap<NonNullable<Request['status']>, X509Certificate>();

/** The first moment at which a request may be deleted (specification 2, section 3.1). */
function endOfLife(request: Request): number {
  const createdMs = fromTime(request.metadata?.creationTimestamp) ?? 0;
  const ends: number[] = [];
  for (const type of ['Denied', 'Failed', ...(request.status?.certificate ? ['Approved'] : [])]) {
    const condition = conditionOf(request, type);
    const sinceMs =
      fromTime(condition?.lastUpdateTime) ?? fromTime(condition?.lastTransitionTime) ?? createdMs;
    if (condition) ends.push(sinceMs + HOUR);
  }
  const certificate = certificateOf(request);
  if (certificate) ends.push(Date.parse(certificate.validTo));
  return ends.length === 0 ? createdMs + 24 * HOUR : Math.min(...ends);
}

const isDecided = (request: Request): boolean =>
  ['Denied', 'Failed'].some((type) => conditionOf(request, type)) || Boolean(request.status?.certificate);

/** A deletion judged on the request as it was when it went. */
const onDeletion = (id: string, says: string, concerns: (request: Request) => boolean): Invariant =>
  invariant({
    id,
    says,
    controller: CONTROLLER,
    kind: 'never',
    initial: () => null,
    onCommit(state, commit) {
      const request = objectOf(commit, certificateSigningRequests, 'before');
      const isIts = commit.actor === CONTROLLER && commit.verb === 'delete';
      if (!isIts || !request || !concerns(request)) return verdict(state, false);
      const leftMs = endOfLife(request) - commit.atMs;
      return verdict(
        state,
        true,
        leftMs > 0 ? `deleted ${commit.name} ${leftMs / 1000} s too early` : undefined,
      );
    },
  });

/** Certificate requests go when their time is over, by the time of the API server. */
export const csrCleanerInvariants: readonly Invariant[] = [
  onDeletion('csrcleaner/N1', 'never deletes a request before its time', () => true),
  invariant<readonly string[]>({
    id: 'csrcleaner/N2',
    says: 'never deletes a request for the age of another of the same name',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => [],
    onCommit(names, commit) {
      const request = objectOf(commit, certificateSigningRequests, 'before');
      const isNew = commit.resource === 'certificates/certificatesigningrequests' && !commit.before;
      if (isNew) return verdict([...new Set([...names, commit.name])].sort(), false);
      const isIts = commit.actor === CONTROLLER && commit.verb === 'delete' && names.includes(commit.name);
      if (!isIts || !request) return verdict(names, false);
      const isEarly = endOfLife(request) > commit.atMs;
      return verdict(names, true, isEarly ? `deleted ${commit.name}, which had been made anew` : undefined);
    },
  }),
  onDeletion('csrcleaner/N3', 'never deletes a request for what it was before it was decided', isDecided),
  invariant({
    id: 'csrcleaner/E1',
    says: 'a request whose time is over goes',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => null,
    atRest(state, live) {
      const requests = liveObjects(live, certificateSigningRequests);
      const left = requests.find((each) => endOfLife(each) + HEED_MS <= live.nowMs);
      return verdict(
        state,
        true,
        left && `the time of ${left.metadata?.name ?? ''} is over and it is still there`,
      );
    },
  }),
];
