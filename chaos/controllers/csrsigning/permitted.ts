import { certificateSigningRequests } from '../../../api/groups/certificates-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { conditionOf } from '../../invariants/certificate-requests.ts';
import { type Invariant, invariant, objectOf, verdict } from '../../invariants/invariant.ts';
import { isPermitted } from '../../invariants/permitted-contents.ts';

/** Returns the invariant that signers and the approver keep to the documented contents of requests. */
export const permittedContents = (vocabulary: Vocabulary): Invariant =>
  invariant({
    id: 'csrsigning/contents-decide',
    says: 'a request is approved or signed only with the contents that its signer documents, and fails only without',
    controller: '*',
    kind: 'never',
    initial: () => null,
    onCommit(state, commit) {
      const before = objectOf(commit, certificateSigningRequests, 'before');
      const after = objectOf(commit, certificateSigningRequests, 'after');
      if (commit.actor === 'user' || !before?.spec || !after) return verdict(state, false);
      const isNew = (type: string): boolean =>
        conditionOf(after, type) !== undefined && conditionOf(before, type) === undefined;
      const isSigned = after.status?.certificate !== undefined && before.status?.certificate === undefined;
      const isGranted = isSigned || isNew('Approved');
      const isFailed = isNew('Failed') && conditionOf(after, 'Failed')?.reason === 'SignerValidationFailure';
      if (!isGranted && !isFailed) return verdict(state, false);
      const may = isPermitted(before, vocabulary);
      const what = isFailed ? 'failed' : isSigned ? 'signed' : 'approved';
      return verdict(
        state,
        true,
        may === isGranted
          ? undefined
          : `${commit.actor} ${what} ${commit.name}, whose contents ${before.spec.signerName ?? ''} ${may ? 'permits' : 'forbids'}`,
      );
    },
  });
