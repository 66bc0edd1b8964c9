import { certificateSigningRequests } from '../../api/groups/certificates-v1.ts';
import { fromTime } from '../../base/clock/index.ts';
import { objectRule } from '../../runtime/index.ts';
import { conditionOf, hasOwnSigner, isOpen } from './certificate-requests.ts';

/** Approved certificate request for which no signer issues a certificate. */
export const requestUnsigned = objectRule({
  reason: 'no-signer',
  controller: 'csrsigning',
  kind: certificateSigningRequests,
  patienceMs: 60_000,
  applies: (request) => isOpen(request) && conditionOf(request, 'Approved') !== undefined,
  find(request, { vocabulary }) {
    const signer = request.spec?.signerName ?? '';
    const why = hasOwnSigner(request, vocabulary)
      ? `the signer ${signer} has not issued its certificate`
      : `no controller of this program signs for ${signer}, so that signer must issue its certificate`;
    return {
      sinceMs: fromTime(conditionOf(request, 'Approved')?.lastTransitionTime),
      sentence: `CertificateSigningRequest ${request.metadata?.name ?? ''} is approved, but ${why}.`,
    };
  },
});
