import { certificateSigningRequests } from '../../../api/groups/certificates-v1.ts';
import type { DeepReadonly } from '../../../api/kinds/index.ts';
import type { CertificateSigningRequest } from '../../../api/types/certificates-v1.ts';
import { fromTime } from '../../../base/clock/index.ts';
import { certificateOf, conditionOf } from '../../invariants/certificate-requests.ts';
import { type Invariant, invariant, liveObjects, objectOf, verdict } from '../../invariants/invariant.ts';

type Request = DeepReadonly<CertificateSigningRequest>;

const CONTROLLER = 'csrcleaner';
const HOUR = 3_600_000;
/** Reaction time of the controller in milliseconds. A run may end just when a request expires. */
const REACTION_MS = 10_000;

/**
 * Returns the first time in milliseconds at which a request may be deleted:
 * https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#request-signing-process
 */
export function endOfLife(request: Request): number {
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

/** Creates an invariant about the deletion of requests, evaluated on the request before its deletion. */
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

/** Invariants about the deletion of expired certificate requests, by the API server's clock. */
export const csrCleanerInvariants: readonly Invariant[] = [
  onDeletion('csrcleaner/no-early-deletion', 'never deletes a request before it expires', () => true),
  invariant<readonly string[]>({
    id: 'csrcleaner/no-recreated-deletion',
    says: 'never deletes a request because of the age of an earlier one with its name',
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
      return verdict(names, true, isEarly ? `deleted ${commit.name}, which had been recreated` : undefined);
    },
  }),
  onDeletion(
    'csrcleaner/no-early-deletion-of-decided',
    'never deletes a decided request because of its undecided state',
    isDecided,
  ),
  invariant({
    id: 'csrcleaner/expired-is-deleted',
    says: 'an expired request is deleted',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => null,
    onCommit(state, commit) {
      const request = objectOf(commit, certificateSigningRequests, 'before');
      const isDeletion = commit.verb === 'delete' && request !== undefined;
      return verdict(state, isDeletion && endOfLife(request) <= commit.atMs);
    },
    atRest(state, live) {
      const requests = liveObjects(live, certificateSigningRequests);
      // A finalizer may hold a request that was deleted in time, so deleted requests are skipped.
      const left = requests.find(
        (each) =>
          each.metadata?.deletionTimestamp === undefined && endOfLife(each) + REACTION_MS <= live.nowMs,
      );
      return verdict(
        state,
        left !== undefined,
        left && `${left.metadata?.name ?? ''} has expired and still exists`,
      );
    },
  }),
];
