import { certificateSigningRequests } from '../../../api/groups/certificates-v1.ts';
import type { DeepReadonly } from '../../../api/kinds/index.ts';
import { equalJson } from '../../../api/schema/index.ts';
import type { CertificateSigningRequest } from '../../../api/types/certificates-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { conditionOf } from '../../invariants/certificate-requests.ts';
import {
  type Commit,
  type Invariant,
  type LiveView,
  invariant,
  liveObjects,
  objectOf,
  verdict,
} from '../../invariants/invariant.ts';

type Request = DeepReadonly<CertificateSigningRequest>;

const CONTROLLER = 'csrapproving';
const DECISIONS = ['Approved', 'Denied', 'Failed'] as const;

/** Returns the request before and after a write of the approver; undefined for other commits. */
function writeIn(commit: Commit): { readonly before: Request; readonly after: Request } | undefined {
  const before = objectOf(commit, certificateSigningRequests, 'before');
  const after = objectOf(commit, certificateSigningRequests, 'after');
  return commit.actor === CONTROLLER && before && after ? { before, after } : undefined;
}

const onWrite = (
  id: string,
  says: string,
  judge: (write: { before: Request; after: Request }, commit: Commit, live: LiveView) => string | undefined,
): Invariant =>
  invariant({
    id,
    says,
    controller: CONTROLLER,
    kind: 'never',
    initial: () => null,
    onCommit(state, commit, live) {
      const write = writeIn(commit);
      return write ? verdict(state, true, judge(write, commit, live)) : verdict(state, false);
    },
  });

const decisionOf = (request: Request): string | undefined =>
  DECISIONS.find((type) => conditionOf(request, type));

/**
 * Returns the invariants about approvals.
 * @param mayHave true if the user is allowed to get the requested certificate; by default this is not checked
 */
export const csrApprovingInvariants = (
  { signers }: Vocabulary,
  mayHave: (request: Request, nowMs: number) => boolean = () => true,
): readonly Invariant[] => [
  onWrite(
    'csrapproving/no-unpermitted-approval',
    'approves only requests for its own signer from permitted users',
    ({ before }, commit) => {
      if (before.spec?.signerName !== signers.nodeClient)
        return `approved ${commit.name} of signer ${before.spec?.signerName ?? ''}`;
      return mayHave(before, commit.atMs) ? undefined : `approved ${commit.name} without permission`;
    },
  ),
  onWrite('csrapproving/no-write-to-decided', 'never writes to a decided request', ({ before }, { name }) => {
    const decision = decisionOf(before);
    return decision && `wrote to ${name}, which is ${decision}`;
  }),
  invariant({
    id: 'csrapproving/no-approved-and-denied',
    says: 'a request is never both approved and denied',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => null,
    onCommit(state, commit) {
      const after = objectOf(commit, certificateSigningRequests, 'after');
      if (!after || !conditionOf(after, 'Approved')) return verdict(state, false);
      return verdict(
        state,
        true,
        conditionOf(after, 'Denied') ? `${commit.name} is approved and denied` : undefined,
      );
    },
  }),
  onWrite(
    'csrapproving/only-conditions-written',
    'writes only conditions, through the approval subresource',
    ({ before, after }, commit) => {
      if (commit.subresource !== 'approval') return `wrote ${commit.name} itself`;
      const without = ({ spec, status }: Request): unknown =>
        JSON.parse(JSON.stringify({ spec, certificate: status?.certificate }));
      return equalJson(without(before), without(after))
        ? undefined
        : `changed more of ${commit.name} than conditions`;
    },
  ),
  onWrite(
    'csrapproving/no-replaced-request-approved',
    'approves the request that it has read, never another one of the same name',
    ({ before: { metadata } }, { name, decidedOn: { uid, resourceVersion } = {} }) => {
      const isThat = uid === metadata?.uid || resourceVersion === metadata?.resourceVersion;
      return isThat ? undefined : `approved a ${name} that it had not read`;
    },
  ),
  invariant({
    id: 'csrapproving/permitted-is-approved',
    says: 'a permitted request is approved',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => null,
    onCommit(state, commit) {
      const write = writeIn(commit);
      const isApproval = write !== undefined && decisionOf(write.after) === 'Approved';
      return verdict(
        state,
        isApproval &&
          write.before.spec?.signerName === signers.nodeClient &&
          decisionOf(write.before) === undefined &&
          mayHave(write.before, commit.atMs),
      );
    },
    atRest(state, live) {
      const open = liveObjects(live, certificateSigningRequests).find(
        (each) =>
          each.spec?.signerName === signers.nodeClient &&
          decisionOf(each) === undefined &&
          !each.metadata?.deletionTimestamp &&
          mayHave(each, live.nowMs),
      );
      return verdict(
        state,
        open !== undefined,
        open && `${open.metadata?.name ?? ''} is permitted but not approved`,
      );
    },
  }),
];

/** Invariants about failed reviews. They need journals, which explorers do not have. */
export const csrReviewInvariants: readonly Invariant[] = [
  invariant<Record<string, true>>({
    id: 'csrapproving/no-approval-after-failed-review',
    says: 'never approves after a failed permission review',
    controller: CONTROLLER,
    kind: 'never',
    entries: ['started', 'effect.failed', 'effect.started'],
    initial: () => ({}),
    onEntry(failed, { process, event }) {
      if (event === 'started') {
        // A restarted process numbers its reconciliations from 1 again.
        for (const pass of Object.keys(failed)) if (pass.startsWith(`${process} `)) delete failed[pass];
        return undefined;
      }
      if (event.controller !== CONTROLLER) return undefined;
      const pass = `${process} ${event.reconcileId ?? ''}`;
      if (event.kind === 'effect.failed') {
        if (event.state === 'review') failed[pass] = true;
        return undefined;
      }
      if (event.state !== 'approve') return undefined;
      const broken = failed[pass] && `approves ${event.key} after its review failed`;
      return verdict(failed, true, broken || undefined);
    },
  }),
];
