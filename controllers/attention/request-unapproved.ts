import { certificateSigningRequests } from '../../api/groups/certificates-v1.ts';
import { objectRule } from '../../runtime/index.ts';
import { conditionOf, hasOwnSigner, isOpen } from './certificate-requests.ts';

/** Certificate request that has no approver. */
export const requestUnapproved = objectRule({
  reason: 'no-approver',
  controller: 'csrapproving',
  kind: certificateSigningRequests,
  patienceMs: 5 * 60_000,
  applies: (request) => isOpen(request) && !conditionOf(request, 'Approved'),
  find(request, { vocabulary }) {
    const signer = request.spec?.signerName ?? '';
    const then = hasOwnSigner(request, vocabulary)
      ? ''
      : `, and no controller of this program signs for ${signer}`;
    return {
      sentence: `CertificateSigningRequest ${request.metadata?.name ?? ''} waits for an approver: nobody has approved or denied it${then}.`,
    };
  },
});
